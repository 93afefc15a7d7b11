"""`lookback run PAGE` and `lookback why PAGE`: chapters without the site."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from lookback.engine.book import Book

    from .options import Commands


def add_to(commands: Commands) -> None:
    run = options.add(
        commands,
        "run",
        _run,
        "run the blocks of pages and show the output",
        "  lookback run docs/ngram.md\n  lookback run --time-limit 600 docs/*.md",
        fault=1,
    )
    run.add_argument("pages", nargs="+", type=Path, metavar="PAGE.md")
    run.add_argument("--time-limit", type=_seconds, default=120.0, metavar="SECONDS")
    why = options.add(
        commands,
        "why",
        _why,
        "say why a build would run pages again",
        "  lookback why docs/ngram.md\n  lookback why docs/*.md",
    )
    why.add_argument("pages", nargs="+", type=Path, metavar="PAGE.md")


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{word!r} is no positive number of seconds")
    return seconds


def _note(message: str) -> None:
    print(message, file=sys.stderr)


def _run_page(path: Path, time_limit: float = 300.0) -> tuple[Book, str]:
    from lookback.engine.book import one_page

    if path.suffix == ".py":
        raise ValueError(f"{path} is a notebook: open it in Jupyter, with jupytext")
    book, uri = one_page(path, time_limit=time_limit)
    book.run(say=_note)
    return book, uri


def _why(words: argparse.Namespace) -> int:
    """Say of each page that would run what has changed since its stored run."""
    from lookback.engine.book import one_page

    for path in words.pages:
        book, uri = one_page(path, store=True)
        job = book.job(uri)
        if job.pieces and book.stored:
            reason = book.stored.why(job)
            print(f"{job.name}: " + (f"runs, {reason}" if reason else "is stored"))
        else:
            print(f"{job.name}: has nothing that runs")
    return 0


def _run(words: argparse.Namespace) -> int:
    """Run pages; print under each block's line what it showed."""
    for path in words.pages:
        book, uri = _run_page(path, words.time_limit)
        page, outputs = book.pages[uri], book.runs[uri].outputs
        for piece, shown in zip(page.running, outputs, strict=True):
            for output in shown:
                told = output.text if output.kind == "text" else ""
                text = told or "(a figure or a table: see the site)\n"
                print(f"{page.name}:{piece.line}: {text.rstrip()}")
    return 0
