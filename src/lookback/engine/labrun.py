"""What came of running a lab: the executed notebook as the run of its page."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

from .blocks import Page, Piece
from .errors import PageError
from .run import Run
from .svg import MIME, adapt, adapted
from .worker import BlockFault, Output, steady

MARK = "lookback-notebook"
NO_ALT = (
    "this cell draws a figure that has no words for who cannot see it: begin the cell "
    "with `#| alt: what the figure shows`"
)

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_NOTEBOOK = re.compile(rf'<script[^>]*\bid="{MARK}"[^>]*>(.*?)</script>', re.DOTALL)
_FRAME = re.compile(r"Cell In\[\d+\], line (\d+)")
_begun: list[str] = []  # the kinds of the cells that the lab running now has begun


def notebook_in(content: str) -> dict[str, Any]:
    """The executed notebook in what mkdocs-jupyter made with our template."""
    found = _NOTEBOOK.search(content)
    if found is None:
        raise ValueError("mkdocs-jupyter used another template than lookback's")
    notebook = json.loads(found[1])
    if not isinstance(notebook, dict) or "cells" not in notebook:
        raise ValueError("what mkdocs-jupyter made holds no notebook")
    return notebook


def run_of(notebook: dict[str, Any], page: Page) -> Run:
    """What the cells of the executed notebook showed, as a run of the page."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if len(cells) != len(page.running):
        raise PageError(
            page.name, 1, f"jupytext reads {len(cells)} cells, we {len(page.running)}"
        )
    pairs = enumerate(zip(page.running, cells, strict=True))
    outputs = [_outputs(cell, piece, i, page) for i, (piece, cell) in pairs]
    return Run(page.name, outputs, seconds=seconds_of(notebook))


def _outputs(
    cell: dict[str, Any], piece: Piece, index: int, page: Page
) -> list[Output]:
    try:
        shown = [_shown(output, f"f{index}") for output in _joined(cell["outputs"])]
        figures = sum("svg" in output or "frames" in output for output in shown)
        if figures and not piece.options.get("alt"):
            raise BlockFault(NO_ALT)
        if figures != ("alt" in piece.options):
            drawn = f"{figures} figures" if figures else "no figure"
            raise BlockFault(f"this cell has one alt text and draws {drawn}")
    except (BlockFault, ValueError) as fault:
        raise PageError(page.name, piece.line, str(fault)) from None
    return shown


def _joined(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was printed in one go, whatever the pieces in which the kernel sent it."""
    whole: list[dict[str, Any]] = []
    for output in outputs:
        if output.get("name") == "stderr":
            words = _ANSI.sub("", _text(output["text"])).strip()
            raise BlockFault(f"this cell warns; warnings are errors:\n{words}")
        if whole and output.get("name") == whole[-1].get("name") == "stdout":
            whole[-1]["text"] = _text(whole[-1]["text"]) + _text(output["text"])
        else:
            whole.append(dict(output))
    return whole


def _shown(output: dict[str, Any], prefix: str) -> Output:
    if output["output_type"] == "stream":
        return {"text": _text(output["text"])}
    data = output["data"]
    if MIME in data:
        return adapted(data[MIME], prefix=prefix)
    if "image/svg+xml" in data:
        return {"svg": adapt(_text(data["image/svg+xml"]), prefix=prefix)}
    if "text/html" in data:
        return {"html": steady(_text(data["text/html"]))}
    if "text/plain" not in data or any(kind.startswith("image/") for kind in data):
        raise BlockFault(f"this cell shows {', '.join(data)}: the book shows SVG")
    return {"text": steady(_text(data["text/plain"])) + "\n"}


def _text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


def seconds_of(notebook: dict[str, Any]) -> float:
    """From the first cell's start to the last one's end, by the kernel's own clock."""
    times = sorted(
        datetime.fromisoformat(time)
        for cell in notebook["cells"]
        for time in cell.get("metadata", {}).get("execution", {}).values()
    )
    return (times[-1] - times[0]).total_seconds() if times else 0.0


def note_start(cell: dict[str, Any], cell_index: int) -> None:
    """Called by nbclient as each cell begins: who stopped a lab, even by dying."""
    del _begun[cell_index:]
    _begun.append(cell["cell_type"])


def failure(error: Exception, page: Page) -> PageError:
    """Why a lab did not run to its end, with its line and without colours.

    error  what mkdocs-jupyter raised when it ran this page
    """
    message = _ANSI.sub("", str(error)).strip()
    number = _begun.count("code")
    if not 0 < number <= len(page.running):
        return PageError(page.name, 1, f"{type(error).__name__}: {message}")
    piece = page.running[number - 1]
    frame = _FRAME.search(message)
    if frame is None or not hasattr(error, "ename"):
        return PageError(page.name, piece.line, f"{type(error).__name__}: {message}")
    head = f"{error.ename}: {getattr(error, 'evalue', '')}".rstrip(": ")
    return PageError(
        page.name, piece.line + int(frame[1]), f"{head}\n{message[frame.start() :]}"
    )
