"""`lookback extract NAME`: a chapter's machine as one file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lookback import CHAPTERS, MODULE_OF
from lookback.text.spelling import listed, nearest

from . import options

if TYPE_CHECKING:
    from .options import Commands

EXAMPLES = """\
  lookback extract bahdanau                   print it
  lookback extract bahdanau -o rnnsearch.py   write it to a file

The file needs torch or numpy, and nothing of lookback. It computes what the package
does, bit for bit, but checks no arguments."""


def add_to(commands: Commands) -> None:
    parser = options.add(
        commands, "extract", _extract, "write a chapter's machine as one file", EXAMPLES
    )
    parser.add_argument("name", metavar="NAME", help="a chapter, such as bahdanau")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.py")


def _extract(arguments: argparse.Namespace) -> int:
    from lookback.extract import program

    _check(arguments.name)
    text, path = program(arguments.name), arguments.output
    if path is None:
        print(text, end="")
        return 0
    with options.whole(path) as file:
        file.write_text(text, encoding="utf-8", newline="\n")
    print(path)
    return 0


def _check(name: str) -> None:
    """Refuse what is no chapter; of a class, name the chapter that it is in."""
    if name in CHAPTERS:
        return
    meant = {n: n for n in CHAPTERS}
    meant |= {n: chapter for n, chapter in MODULE_OF.items() if chapter in CHAPTERS}
    near = nearest(name, meant)
    hint = f"did you mean {meant[near]!r}? " if near else ""
    raise ValueError(f"there is no chapter {name!r}: {hint}there is{listed(CHAPTERS)}")
