"""What the page says of the scripts is true of them."""

import gzip
import re

from .conftest import LIVE

PAGE = (LIVE.parent / "live.md").read_text(encoding="utf-8")
MOST = 25_000  # bytes, compressed
STILL = {"folding", "frames", "map", "preview", "query"}  # what needs no model


def test_the_javascript_on_the_page_is_that_of_the_scripts() -> None:
    scripts = "".join(p.read_text(encoding="utf-8") for p in sorted(LIVE.glob("*.js")))
    shown = re.findall(r"^    ```js\n(.*?)^    ```", PAGE, re.DOTALL | re.MULTILINE)
    assert shown
    for block in shown:
        code = re.sub(r"^    ", "", block, flags=re.MULTILINE)
        assert code in scripts


def test_all_scripts_together_are_small() -> None:
    live = [path for path in LIVE.glob("*.js") if path.stem not in STILL]
    scripts = [gzip.compress(path.read_bytes()) for path in live]
    assert sum(map(len, scripts)) <= MOST
