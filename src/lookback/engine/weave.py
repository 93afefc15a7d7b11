"""Weave a book: each page as front matter and Markdown that any builder renders.

A page's text, what its blocks showed and the site around it go in; what comes out
depends on nothing else, and is kept until one of them changes. The template prints the
front matter. Imports no MkDocs.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from urllib.parse import urljoin

import yaml

from lookback import MODULE_OF
from lookback.extract import Package, program, requirements

from . import backmatter, glossary, notebook, paths
from .book import Book
from .errors import PageError
from .listings import foot, listings
from .live import imports_of, models_of, scripts_of, weights_of
from .opened import times, versions
from .output import printable
from .render import PageContext, fault_html, raw_block, to_markdown
from .run import Run
from .source import page_of

DIAGRAM_CSS = Path(__file__).parents[1] / "figures/diagram.css"
"""Notebooks hold this style sheet, too: it is part of the package."""

Part = tuple[str, tuple[str, ...]]
"""A part of the book: its title, and its pages."""
T = TypeVar("T")


@dataclass(frozen=True)
class Site:
    """Hold what the settings say of the site that a book becomes.

    order       the pages of the navigation;  parts  those that stand in one
    paths       `extra: paths:` of the settings
    url         where the site is published, repository where its source is; or ""
    blob        what addresses of files in the repository begin with
    directories pages are `ngram/`, else `ngram.html`
    from_source links in HTML are relative to the source of their page, not to its URL
    """

    order: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    paths: Mapping[str, Any] = field(default_factory=dict)
    url: str = ""
    repository: str = ""
    blob: str = ""
    directories: bool = True
    from_source: bool = False

    def address(self, uri: str) -> str:
        """Return a page's URL, relative to that of the site."""
        path = PurePosixPath(uri)
        if path.suffix not in (".md", ".py"):
            return uri
        stem = path.with_suffix("")
        if not self.directories:
            return f"{stem}.html"
        folder = path.parent if path.stem == "index" else stem
        return "" if folder == PurePosixPath() else f"{folder}/"

    def link(self, there: str, here: str) -> str:
        """Link a page from another one."""
        address = self.address(there)
        start = posixpath.dirname(here if self.from_source else self.address(here))
        url = posixpath.relpath(address or ".", start or ".")
        return f"{url}/" if not address or address.endswith("/") else url


def read_nav(nav: Iterable[Any]) -> tuple[tuple[str, ...], tuple[Part, ...]]:
    """Read the navigation of mkdocs.yml: all pages in order, and the parts."""
    order, parts = list[str](), list[Part]()
    for entry in nav:
        if isinstance(entry, str):
            order.append(entry)
            continue
        for title, inside in entry.items():
            if isinstance(inside, str):
                order.append(inside)
            else:
                pages, deeper = read_nav(inside)
                order += pages
                parts += [(title, pages), *deeper]
    return tuple(order), tuple(parts)


class Weaver:
    """Weave a book again and again, and only what has changed.

    Between two calls of `set_book` everything is of one state of the book.
    """

    def __init__(self) -> None:
        self.kept: dict[tuple[str, ...], tuple[Any, Any]] = {}
        self.keys: dict[str, Any] = {}
        self.programs: dict[str, tuple[str, dict[Path, int | None]]] = {}
        self.sources: dict[Path, int] = {}

    def set_book(self, book: Book, site: Site) -> None:
        """Take a book that has run, and the site that it becomes.

        Raises PageError, or ValueError for the weights of a model that are not there.
        """
        self.book, self.site = book, site
        self.keys.clear()
        self.sources = times(book.package)
        chapters = [*filter(book.is_chapter, book.pages)]
        self.chapters = chapters
        self.listings = listings(book, chapters)
        self.needs = paths.needs(book, site.order)
        self.reading_paths = paths.reading_paths(book, site.order, site.paths)
        self.minutes = {uri: paths.minutes(book.pages[uri]) for uri in self.needs}
        self.work = {uri: paths.work(book.pages[uri]) for uri in self.needs}
        folder = book.package / "recipes"
        names = models_of(book.runs.values())
        self.weights = {name: weights_of(name, folder) for name in names}
        self.scripts = {
            path.relative_to(book.docs).as_posix(): path
            for path in book.docs.rglob("*.js")
        }
        self.versions = versions(["python", "torch"])
        self.titles = {uri: self._title(uri) for uri in book.pages}
        running = [uri for uri, page in book.pages.items() if page.running]
        done = sum(not book.runs[uri].pending for uri in running)
        self.progress = done, len(running)
        self.world = (
            site,
            self.titles,
            book.front,
            {uri: book.labels(uri).by_id for uri in book.pages},
            book.glossary,
            book.bibliography.entries,
            self.minutes,
            self.work,
            self.weights,
            [*self.listings],
            {path: path.stat().st_mtime_ns for path in self.scripts.values()},
            self.versions,
        )

    def files(self) -> dict[str, Path]:
        """List the files of the package that the site needs, by their addresses."""
        weights = {one.address: one.path for one in self.weights.values()}
        return {"assets/diagram.css": DIAGRAM_CSS, **weights}

    def beside(self, uri: str) -> dict[str, str]:
        """Write what stands beside a chapter: its machine as one file, two notebooks.

        The second, without solutions, is what a class is given.
        """
        found = dict[str, str]()
        if text := self._program(uri):
            found[self._beside(uri, f"{PurePosixPath(uri).stem}.py")] = text
        if self.book.pages[uri].running:
            whole, handout = self._notebooks(uri)
            found[self._notebook_path(uri)] = whole
            found[self._notebook_path(uri, solutions=False)] = handout
        return found

    def page(self, uri: str) -> str:
        """Weave a page of the book, or the listing of a module."""
        if uri in self.listings:
            return self._listing(uri)
        run = self.book.runs[uri]
        state = self.progress if run.pending else ()
        key = self._key(uri), run.pending, run.error and str(run.error), state
        return self._once(("page", uri), key, partial(self._page, uri))

    def _once(self, name: tuple[str, ...], key: Any, make: Callable[[], T]) -> T:
        """Return what was made for this key, or make it."""
        old, value = self.kept.get(name, (None, None))
        if old is None or old != key:
            value = make()
            self.kept[name] = key, value
        found: T = value
        return found

    def _key(self, uri: str) -> Any:
        """List what a page is made of."""
        if uri not in self.keys:
            self.keys[uri] = self._parts(uri)
        return self.keys[uri]

    def _parts(self, uri: str) -> Any:
        page, run = self.book.pages[uri], self.book.runs[uri]
        context = self._context(uri)
        shown = [context.excerpt(p) for p in page.pieces if p.kind == "source"]
        files = foot(self.book, uri, {}, lambda uri: "", "") if self._foot(uri) else ""
        return page.text, run.outputs, run.models, shown, files, self.world

    def _foot(self, uri: str) -> bool:
        return uri in self.chapters

    def _page(self, uri: str) -> str:
        context, run = self._context(uri), self.book.runs[uri]
        if "<!-- lookback:" in context.page.text:
            context.markers.update(self._markers(context.url))
        text = to_markdown(context)
        if uri != "glossary.md":
            there = "../" * uri.count("/") + "glossary.md"
            text = glossary.link_terms(text, self.book.glossary, there)
        if run.pending or run.error:
            state = raw_block(backmatter.html("state", run, *self.progress))
            head, title, rest = text.partition("\n# ")
            line, end, rest = rest.partition("\n")
            text = head + title + line + state + end + rest
        if self._foot(uri):
            blob, url = self.site.blob, context.url
            text += raw_block(foot(self.book, uri, self.listings, url, blob))
        front = {**self.book.front[uri], **self._front(uri, text)}
        return printable(_joined(front, text))

    def _front(self, uri: str, text: str) -> dict[str, Any]:
        """Collect what the template prints of a page, as its front matter."""
        book, run, name = self.book, self.book.runs[uri], PurePosixPath(uri).stem
        scripts = scripts_of(text, self.scripts, book.name(uri))
        part = [title for title, pages in self.site.parts if uri in pages]
        about: dict[str, Any] = {
            "part": part[-1] if part else "",
            "description": escape(backmatter.description(book, uri)),
            "scripts": scripts,
            "preloads": imports_of(scripts, self.scripts),
        }
        if book.pages[uri].running:
            about["stamp"] = backmatter.stamp(run, self.versions)
        if uri in self.needs:
            about["minutes"] = paths.duration(self.minutes[uri])
            about["work"] = paths.duration(self.work[uri])
            about["before"] = [self._named(need) for need in self.needs[uri]]
            about["paths"] = [
                self._place(uri, reading_path)
                for reading_path in self.reading_paths
                if uri in reading_path.pages
                and len(reading_path.pages) < len(self.needs)
            ]
        if uri in self.chapters and book.pages[uri].running:
            path = self._notebook_path(uri)
            about["notebook"] = posixpath.basename(path)
            handout = self._notebook_path(uri, solutions=False)
            about["handout"] = posixpath.basename(handout)
            about["colab"] = notebook.colab_url(path, self.site.repository)
        if program := self._program(uri):
            about["program"], about["requires"] = f"{name}.py", requirements(program)
        listing = page_of(f"{book.package.name}.{name}")
        if listing in self.listings:
            about["source_url"] = self.site.address(listing)
        return {key: value for key, value in about.items() if value}

    def _place(self, uri: str, reading_path: paths.ReadingPath) -> list[Any]:
        """Tell a page's place on a path: its title, number, how many, what is next.

        Then what it takes for known of each chapter that the path leaves out.
        """
        at = reading_path.pages.index(uri) + 1
        following = [self._named(page) for page in reading_path.pages[at : at + 1]]
        enough = [
            [*self._named(need), reading_path.enough[need]]
            for need in self.needs[uri]
            if need not in reading_path.pages
        ]
        return [reading_path.title, at, len(reading_path.pages), following, enough]

    def _listing(self, uri: str) -> str:
        one = self.listings[uri]
        titles = [self._title(page) for page in one.pages]
        key = one.path.stat().st_mtime_ns, titles, one.pages
        make = partial(one.markdown, self.book.root, self._title)
        return self._once(("listing", uri), key, make)

    def _program(self, uri: str) -> str:
        """Write a chapter's machine as one file; "" where it has none."""
        name = PurePosixPath(uri).stem
        if uri not in self.chapters or name not in MODULE_OF.values():
            return ""
        text, files = self.programs.get(name, ("", {}))
        if not files or any(self.sources.get(path) != at for path, at in files.items()):
            package = Package(self.book.package)
            text = program(name, package)
            paths = [*map(package.path, package.modules)]
            paths.append(package.folder / f"recipes/{name}.py")  # it may appear
            files = {path: self.sources.get(path) for path in paths}
            self.programs[name] = text, files
        return text

    def _notebooks(self, uri: str) -> tuple[str, str]:
        url = urljoin(self.site.url, self.site.address(uri)) if self.site.url else ""
        package = f"git+{self.site.repository}" if self.site.repository else ""
        context, to_notebooks = self._context(uri), notebook.to_notebooks
        make = partial(to_notebooks, context, package=package, page_url=url)
        return self._once(("notebooks", uri), self._key(uri), make)

    def _notebook_path(self, uri: str, *, solutions: bool = True) -> str:
        name = PurePosixPath(uri).stem + "-exercises" * (not solutions)
        return self._beside(uri, f"{name}.ipynb")

    def _beside(self, uri: str, name: str) -> str:
        """Place a file beside a page of the site."""
        return posixpath.join(posixpath.dirname(self.site.address(uri)), name)

    def _context(self, uri: str) -> PageContext:
        known = self.book.pages.keys() | self.listings.keys()

        def url(there: str) -> str:
            return self.site.link(there, uri) if there in known else ""

        def weights(name: str) -> dict[str, Any]:
            return self.weights[name].seen_from(self.site.address(uri))

        return PageContext(self.book, uri, url, weights)

    def _title(self, uri: str) -> str:
        return backmatter.title_of(self.book, uri)

    def _named(self, uri: str) -> list[str]:
        return [backmatter.short_title(self.book, uri), self.site.address(uri)]

    def _markers(self, url: Callable[[str], str]) -> dict[str, str]:
        """Write the HTML of the engine's markers, for a page that holds some."""
        times = {
            reading_path.title: " to read, ".join(
                paths.duration(sum(spent.get(p, 0) for p in reading_path.pages))
                for spent in (self.minutes, self.work)
            )
            + " with the code"
            for reading_path in self.reading_paths
        }
        parts, needs = self.site.parts, self.needs
        return backmatter.markers(
            self.book,
            parts,
            url,
            self.reading_paths,
            needs,
            times,
            self.site.repository,
        )


def faulty(uri: str, error: PageError) -> str:
    """Write what stands for a page that cannot be read or rendered."""
    run = Run(error.page, error=error)
    state = backmatter.html("state", run, 0, 0)
    return f"# {uri}{raw_block(state)}{raw_block(fault_html(str(error)))}"


def _joined(front: Mapping[str, Any], text: str) -> str:
    lines = yaml.safe_dump(dict(front), allow_unicode=True, sort_keys=False, width=1000)
    return f"---\n{lines}---\n\n{text.lstrip()}"
