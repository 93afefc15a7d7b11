"""`lookback book`: the book, and each path through it, as PDF and as EPUB."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    from .options import Commands


def add_to(commands: Commands) -> None:
    parser = options.add(
        commands,
        "book",
        _book,
        "write the built site as books, one PDF and one EPUB for each path",
        "  lookback book                  all paths of mkdocs.yml, into build/book\n"
        "  lookback book evening --only epub",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH")
    parser.add_argument("--site", type=Path, default=Path("site"), metavar="FOLDER")
    parser.add_argument(
        "--into", type=Path, default=Path("build/book"), metavar="FOLDER"
    )
    parser.add_argument("--only", choices=("pdf", "epub"))
    parser.add_argument(
        "--address",
        default=os.environ.get("LOOKBACK_SITE_URL", ""),
        metavar="URL",
        help="where the site lives, for links to pages that the book has not",
    )


def _book(words: argparse.Namespace) -> int:
    from lookback.paper import Volume, paths, write_epub, write_pdf

    root = Path.cwd()
    for name in words.paths or paths(root):
        volume = Volume(root, words.site, name, words.address)
        for kind, write, unit in (
            ("epub", write_epub, "sections"),
            ("pdf", write_pdf, "pages"),
        ):
            if words.only in (None, kind):
                start = time.monotonic()
                target = words.into / f"lookback-{name}.{kind}"
                target.parent.mkdir(parents=True, exist_ok=True)
                with options.whole(target) as file:
                    count = write(volume, file)
                seconds = time.monotonic() - start
                print(f"{target}: {count} {unit}, {seconds:.0f} s")
                sys.stdout.flush()
    return 0
