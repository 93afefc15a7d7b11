"""Pages that show a file of code whole, to which listings and feet of pages link."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.utils import get_relative_url

from . import backmatter
from .book import Book
from .coloured import Coloured
from .rooms import foot, rooms
from .source import module_path


class Listings:
    """The listings of one build, each under the dotted name of its file."""

    def __init__(
        self, book: Book, files: Files, config: MkDocsConfig, coloured: Coloured
    ) -> None:
        self.book, self.files, self.config = book, files, config
        self.coloured = coloured
        self.feet: dict[str, dict[str, list[Path]]] = {}
        self.pages: dict[str, list[str]] = {}  # a listing → pages that lead to it
        self.code: dict[str, tuple[str, str]] = {}  # a listing → its code, its suffix

    def add_all(self, chapters: Iterable[str]) -> None:
        """Listings of what pages show a part of, and of the files of each chapter."""
        shown = {name: self._shown(name) for name in self._names()}
        for uri in chapters:
            self.feet[uri] = rooms(self.book.root, Path(uri).stem)
            for path in (path for paths in self.feet[uri].values() for path in paths):
                shown.setdefault(_name(path), (self.book.root / path, path))
                self.pages.setdefault(_name(path), []).append(uri)
        for name, listing in shown.items():
            if listing is not None:
                self._add(name, *listing)

    def _names(self) -> list[str]:
        """The modules of which pages show a part; `pages` remembers which do."""
        for uri, page in self.book.pages.items():
            for piece in page.pieces:
                if piece.kind == "source":
                    name = piece.code.partition(":")[0]
                    self.pages.setdefault(name, []).append(uri)
        return sorted(self.pages)

    def _shown(self, name: str) -> tuple[Path, Path] | None:
        """Where a module is, and how its listing calls the file."""
        package = self.book.package
        try:
            path = module_path(name, package)
        except ValueError:
            return None  # the page that shows it says so, with its line
        inside = path.is_relative_to(self.book.root)
        above = self.book.root if inside else package.parent
        return path, path.relative_to(above)

    def _add(self, name: str, path: Path, shown: Path) -> None:
        text = path.read_text(encoding="utf-8")
        up = posixpath.dirname(_uri(name))
        back = tuple(
            (backmatter.title_of(self.book, uri), posixpath.relpath(uri, up))
            for uri in self.back(name)
        )
        title = shown.name if path.suffix == ".js" else name
        page = backmatter.listing(title, shown.as_posix(), back)
        self.code[_uri(name)] = text, path.suffix
        add(self.files, self.config, _uri(name), page)

    def back(self, name: str) -> list[str]:
        """The pages that lead to a listing: first the chapter of its own name."""
        own = name.rpartition(".")[2].removeprefix("test_")
        pages = dict.fromkeys(self.pages.get(name, []))
        return sorted(pages, key=lambda uri: not own.startswith(Path(uri).stem))

    def home(self, uri: str) -> str | None:
        """The page that a listing belongs to; None for another page."""
        names = (name for name in self.pages if _uri(name) == uri)
        return next((self.back(name)[0] for name in names), None)

    def with_code(self, uri: str, html: str) -> str:
        """The HTML of a page; a listing gets its code."""
        if uri not in self.code:
            return html
        return html.replace(backmatter.CODE, self.coloured[self.code[uri]], 1)

    def url(self, name: str) -> str | None:
        """Where the listing of a dotted name is, seen from the root of the site."""
        file = self.files.get_file_from_path(_uri(name))
        return file.url if file else None

    def foot(self, uri: str, url: str) -> str:
        """The foot of a page, with links from where the page is."""

        def link(path: Path) -> str:
            return get_relative_url(self.url(_name(path)) or "", url)

        return foot(self.feet.get(uri, {}), link)


def add(files: Files, config: MkDocsConfig, uri: str, content: str) -> None:
    """A generated file; a page among them stays out of the navigation."""
    level = InclusionLevel.NOT_IN_NAV
    files.append(File.generated(config, uri, content=content, inclusion=level))


def _uri(module: str) -> str:
    """`lookback.luong` → source/luong.md, `tests.test_luong` → source/tests/…"""
    return "source/" + module.removeprefix("lookback.").replace(".", "/") + ".md"


def _name(path: Path) -> str:
    """src/lookback/luong.py → `lookback.luong`, tests/test_luong.py → `tests.test_…`"""
    return ".".join(path.with_suffix("").parts).removeprefix("src.")
