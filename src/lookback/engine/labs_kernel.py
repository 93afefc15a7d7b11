"""Set up the kernel of a lab: the book's figures, warnings as errors, a report.

The kernel imports it before the first cell: see JUPYTER in labs.py.
"""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

from IPython.core.getipython import get_ipython
from IPython.display import display

from .opened import imported, opened, watch
from .svg import parts_of, use_style
from .worker import provenance


def set_up(report: Path) -> None:
    """Watch and style what this kernel does for a lab.

    report  the file for what the lab read, its models, and the cell it is at
    """
    watch()
    use_style()
    warnings.filterwarnings("error", module=r"__main__|lookback(\.|$)")
    shell: Any = get_ipython()
    shell.run_line_magic("xmode", "Plain")
    shell.run_line_magic("colors", "nocolor")
    at = [-1]  # the number of the cell that runs

    def show_figure(figure: Any) -> None:
        """Display an Output, which the page makes a figure of."""
        output = json.dumps(parts_of(figure, prefix=f"f{at[0]}"))
        html = f'<script type="application/json">{output}</script>'
        display({"text/html": html, "text/plain": "figure"}, raw=True)  # type: ignore[no-untyped-call]

    formatter = shell.display_formatter.ipython_display_formatter
    for module, name in (
        ("matplotlib.figure", "Figure"),
        ("lookback.figures.frames", "Frames"),
        ("lookback.figures.live", "Live"),
    ):
        formatter.for_type_by_name(module, name, show_figure)

    def write_report() -> None:
        """Write it after each cell: the last one leaves the whole."""
        models = provenance(shell.user_ns)
        found = {"cell": at[0], "models": models}
        found |= {"files": opened(), "modules": imported()}
        report.write_text(json.dumps(found), encoding="utf-8")

    def before_cell(info: Any) -> None:
        at[0] += 1
        write_report()

    shell.events.register("pre_run_cell", before_cell)
    shell.events.register("post_run_cell", lambda result: write_report())


set_up(Path(os.environ["LOOKBACK_LAB_REPORT"]))
