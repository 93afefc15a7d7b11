"""Show modules whole on pages of their own, and link a chapter's files at its foot."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from . import raw_html
from .backmatter import html
from .book import Book
from .errors import read_text
from .source import page_of

ROOMS = {
    "Module": ("src/lookback/{}.py",),
    "Drawings": ("src/lookback/diagrams/{}.py", "src/lookback/diagrams/{}_*.py"),
    "JavaScript": ("docs/live/{}.js",),
    "Recipe": ("src/lookback/recipes/{}.py",),
    "Study": ("src/lookback/studies/{}.py",),
    "Exercise": ("src/lookback/exercises/{}.py",),
    "Tests": (
        "tests/test_{}.py",
        "tests/diagrams/test_{}_*.py",
        "tests/recipes/test_{}.py",
        "tests/studies/test_{}.py",
    ),
    "Benchmark": ("bench/{}.py",),
}


@cache  # `mkdocs serve` writes it again with each edit of the book
def _coloured(code: str) -> str:
    """Highlight code, each line with an id, L1, L2 …"""
    formatter = HtmlFormatter(linespans="L", wrapcode=True, cssclass="highlight")
    return highlight(code, PythonLexer(), formatter).replace('id="L-', 'id="L')


@dataclass
class Listing:
    """Hold a module that gets a page, and the pages that link it, its chapter first."""

    module: str
    path: Path
    pages: list[str] = field(default_factory=list)

    @property
    def uri(self) -> str:
        return page_of(self.module)

    def markdown(self, root: Path, title: Callable[[str], str]) -> str:
        """Write the page: the code in colour, each line with an id, L1, L2 …

        root  of the repository;  title  (page) → its title
        """
        up = posixpath.dirname(self.uri)
        links = (f"[{title(uri)}]({posixpath.relpath(uri, up)})" for uri in self.pages)
        back = f"← Back to {', '.join(links)}\n{{ .lb-back }}"
        inside = self.path.is_relative_to(root)
        shown = self.path.relative_to(root).as_posix() if inside else self.path.name
        code = _coloured(read_text(self.path, shown))
        front = f"title: {self.module}\nsearch: {{exclude: true}}\nhide: [toc]"
        about = f"The whole of `{shown}`, as this site was built from it."
        listing = raw_html.fence(f'<div class="lb-listing">{code}</div>')
        parts = (f"---\n{front}\n---", f"# `{self.module}`", back, about, listing, back)
        return "\n\n".join(parts) + "\n"


def listings(book: Book, chapters: Iterable[str]) -> dict[str, Listing]:
    """Find the modules of chapters, and those that pages show a part of, by page.

    A module that is not there is left out: the page that shows it reports its line.
    """
    names = [(f"{book.package.name}.{Path(uri).stem}", uri) for uri in chapters]
    names += [
        (piece.options["module"], uri)
        for uri, page in book.pages.items()
        for piece in page.pieces
        if piece.kind == "source"
    ]
    found: dict[str, Listing] = {}
    for module, uri in names:
        try:
            path = book.modules.path(module.partition(".")[2])
        except ValueError:
            continue
        one = found.setdefault(page_of(module), Listing(module, path))
        if uri not in one.pages:
            one.pages.append(uri)
    return found


def foot(
    book: Book,
    uri: str,
    listings: Mapping[str, Listing],
    url: Callable[[str], str],
    blob: str,
) -> str:
    """List a chapter's files, room by room; "" where there are none.

    A file links its page, by `url`, where `listings` has one; else its place in the
    repository, whose address `blob` begins; with neither it is a name.
    """
    pages = {one.path: page for page, one in listings.items()}

    def address(path: Path, name: str) -> str:
        return url(pages[path]) if path in pages else blob and blob + name

    rooms = {}
    for room, patterns in ROOMS.items():
        globs = (pattern.format(Path(uri).stem) for pattern in patterns)
        paths = [path for one in globs for path in sorted(book.root.glob(one))]
        names = {path: path.relative_to(book.root).as_posix() for path in paths}
        if names:
            rooms[room] = {name: address(path, name) for path, name in names.items()}
    return html("foot", rooms) if rooms else ""
