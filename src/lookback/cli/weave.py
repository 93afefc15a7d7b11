"""`lookback weave -o FOLDER`: the book as a folder that any builder renders."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from .options import Commands

EXAMPLES = """\
  lookback weave -o woven
  PYTHONPATH=woven mkdocs build --strict -f woven/mkdocs.yml
  lookback weave -o woven --links source      for Zensical, which rewrites links"""


def add_to(commands: Commands) -> None:
    text = "write the book as a folder that any builder with Python-Markdown renders"
    parser = options.add(commands, "weave", _weave, text, EXAMPLES, fault=1)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--links", choices=("page", "source"), default="page")
    parser.add_argument("root", nargs="?", type=Path, default=Path(), metavar="BOOK")


def _weave(words: argparse.Namespace) -> int:
    from lookback.engine.folder import weave

    changed = weave(
        words.root.resolve(),
        words.output.resolve(),
        from_source=words.links == "source",
        say=lambda line: print(line, file=sys.stderr),
    )
    print(f"{words.output}: {changed} files written")
    return 0
