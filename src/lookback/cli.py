"""The command line: `lookback run PAGE`, `lookback notebook PAGE`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the words say; every failure is one message and an exit status."""
    words = _parser().parse_args(arguments)
    try:
        return int(words.command(words))
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("lookback"):
            raise
        _complain(
            f"this command needs `{error.name}`, which is not installed: "
            "pip install 'lookback-attention[site]'"
        )
    except (OSError, ValueError) as error:
        _complain(str(error))
    except KeyboardInterrupt:
        _complain("interrupted")
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lookback", description="The history of attention as a program."
    )
    parser.add_argument(
        "--version", action="version", version=version("lookback-attention")
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="run the blocks of pages and show the output")
    run.add_argument("pages", nargs="+", type=Path, metavar="PAGE.md")
    run.add_argument("--time-limit", type=_seconds, default=120.0, metavar="SECONDS")
    run.set_defaults(command=_run)
    notebook = commands.add_parser("notebook", help="write a page as a notebook")
    notebook.add_argument("page", type=Path, metavar="PAGE.md")
    notebook.add_argument("-o", "--output", type=Path, metavar="FILE.ipynb")
    notebook.set_defaults(command=_notebook)
    return parser


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{word!r} is no positive number of seconds")
    return seconds


def _complain(message: str) -> None:
    print(f"lookback: {message}", file=sys.stderr)


def _note(message: str) -> None:
    print(message, file=sys.stderr)


def _run(words: argparse.Namespace) -> int:
    """Run pages; print under each block's line what it showed."""
    from lookback.site.book import one_page

    for path in words.pages:
        book, uri = one_page(path, words.time_limit)
        book.run(fresh=True, say=_note)
        page, outputs = book.pages[uri], book.runs[uri].outputs
        for piece, shown in zip(page.running, outputs, strict=True):
            for output in shown:
                text = output.get("text") or "(a figure or a table: see the site)\n"
                print(f"{page.name}:{piece.line}: {text.rstrip()}")
    return 0


def _notebook(words: argparse.Namespace) -> int:
    """Write a page as a notebook beside it, or where `-o` says."""
    from lookback.site.book import one_page, to_json
    from lookback.site.cache import write_atomically
    from lookback.site.notebook import to_notebook
    from lookback.site.render import Setting

    book, uri = one_page(words.page)
    book.run(say=_note)
    setting = Setting(book.package, book.bibliography)
    notebook = to_notebook(book.pages[uri], book.runs[uri], setting)
    target = words.output or words.page.with_suffix(".ipynb")
    write_atomically(target, to_json(notebook).encode())
    print(target)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
