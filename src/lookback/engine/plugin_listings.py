"""Pages that show a file of Python whole, to which listings and feet of pages link."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.utils import get_relative_url

from . import backmatter
from .book import Book
from .rooms import foot, rooms
from .source import module_path


class Listings:
    """The listings of one build, each under the dotted name of its file."""

    def __init__(self, book: Book, files: Files, config: MkDocsConfig) -> None:
        self.book, self.files, self.config = book, files, config
        self.feet: dict[str, dict[str, list[Path]]] = {}

    def add_shown(self) -> None:
        """Listings of the modules of which pages show a part."""
        names = {
            piece.code.partition(":")[0]
            for page in self.book.pages.values()
            for piece in page.pieces
            if piece.kind == "source"
        }
        package = self.book.package
        for name in sorted(names):
            try:
                path = module_path(name, package)
            except ValueError:
                continue  # the page that shows it says so, with its line
            inside = path.is_relative_to(self.book.root)
            above = self.book.root if inside else package.parent
            self._add(name, path, path.relative_to(above))

    def add_rooms(self, chapters: Iterable[str]) -> None:
        """Listings of the files of each chapter, to which its foot links."""
        for uri in chapters:
            self.feet[uri] = rooms(self.book.root, Path(uri).stem)
            for path in (path for paths in self.feet[uri].values() for path in paths):
                self._add(_name(path), self.book.root / path, path)

    def _add(self, name: str, path: Path, shown: Path) -> None:
        if self.url(name) is None:
            text = path.read_text(encoding="utf-8")
            add(
                self.files,
                self.config,
                _uri(name),
                backmatter.listing(name, shown.as_posix(), text),
            )

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
