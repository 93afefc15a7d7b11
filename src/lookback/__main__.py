"""`python -m lookback …` is `lookback …`."""

from lookback.cli import main

raise SystemExit(main())
