"""Adapt the engine to MkDocs: hand it woven pages, and keep what it made of them.

This module alone imports MkDocs. What it calls knows strings, paths and the engine's
own classes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from jinja2 import ChoiceLoader, DictLoader, Environment
from mkdocs.config import config_options as options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import (
    BasePlugin,
    CombinedEvent,
    event_priority,
    get_plugin_logger,
)
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from . import backmatter, search
from .background import Background
from .blocks import Page as Pieces
from .blocks import parse
from .book import CACHE, Book
from .errors import PageError
from .opened import times
from .weave import Site, Weaver, faulty, read_nav

log = get_plugin_logger("lookback")

KEPT = "kept.html"
PAGE_TIMEOUT = 10.0
"""Seconds that a build of `mkdocs serve` waits for the page that was edited."""


@contextmanager
def _build_errors(kind: type[ValueError] = PageError) -> Iterator[None]:
    """Turn an error of the engine into one message that ends MkDocs' build."""
    try:
        yield
    except kind as error:
        raise PluginError(str(error)) from None


class LookbackConfig(Config):
    cache_dir = options.Type(str, default=CACHE)
    time_limit = options.Type((int, float), default=300)
    execute = options.Type(bool, default=True)


class LookbackPlugin(BasePlugin[LookbackConfig]):
    """Run the chapters' blocks and put what they show into the pages."""

    def on_startup(
        self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool
    ) -> None:
        self.command, self.served = command, False
        self.folder = TemporaryDirectory()  # the project may be read-only
        self.signal = Path(self.folder.name, "build")
        self.background = Background(self._ask_for_build, log.info, log.error)
        self.last = dict[str, tuple[Pieces, dict[str, Any]]]()
        self.addresses = dict[str, str]()
        self.weaver = Weaver()
        self.kept = dict[str, _Kept]()

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        self.root = Path(config.config_file_path or "mkdocs.yml").resolve().parent
        if config.edit_uri:  # MkDocs guesses an older name of the branch
            config.edit_uri = config.edit_uri.replace("/master/", "/main/")
        if time := backmatter.git(self.root, "log", "-1", "--format=%ct"):
            os.environ.setdefault("SOURCE_DATE_EPOCH", time)
        config.extra["commit"] = backmatter.commit_of(self.root)
        config.markdown_extensions.append("lookback.engine.raw_html")
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Run what must run, weave the book, and add its files to the site."""
        uris = [file.src_uri for file in files.documentation_pages()]
        order, parts = read_nav(config.nav or uris)
        repository = (config.repo_url or "").removesuffix(".git")
        site = Site(
            order,
            parts,
            config.extra.get("paths", {}),
            config.site_url or "",
            repository,
            repository and backmatter.blob(self.root, repository),
            config.use_directory_urls,
        )
        with _build_errors(ValueError):
            book = Book(
                root=self.root,
                docs=Path(config.docs_dir),
                package=Path(__file__).parents[1],
                cache=self.root / self.config.cache_dir,
                time_limit=float(self.config.time_limit),
            )
            self.faults = dict[str, PageError]()
            for uri in uris:
                self._read(book, uri)
            self._run(book)
            with self._faults_of("mkdocs.yml"):
                self.weaver.set_book(book, site)
            if "mkdocs.yml" in self.faults:  # of its paths, or of what a page needs
                self.weaver.set_book(book, replace(site, order=(), paths={}))
            for uri, path in self.weaver.files().items():
                files.append(_generated(config, uri, path))
            for uri in self.weaver.chapters:
                with self._faults_of(uri):
                    for name, text in self.weaver.beside(uri).items():
                        files.append(_generated(config, name, text))
            for uri in self.weaver.listings:
                files.append(_generated(config, uri, ""))
        return files

    @contextmanager
    def _faults_of(self, uri: str) -> Iterator[None]:
        """Under `mkdocs serve` a fault of a page is shown there, and others go on."""
        try:
            yield
        except PageError as error:
            if self.command != "serve":
                raise
            if uri not in self.faults:
                log.error(error)
            self.faults[uri] = error

    def _read(self, book: Book, uri: str) -> None:
        """Read a page; one that has a fault is to others what it was before."""
        with self._faults_of(uri):
            book.read([uri])
            book.papers(uri)
            book.labels(uri)
            self.last[uri] = book.pages[uri], book.front[uri]
        if uri in self.faults:
            nothing = parse("", book.name(uri)), dict[str, Any]()
            book.pages[uri], book.front[uri] = self.last.get(uri, nothing)

    def _run(self, book: Book) -> None:
        """Run what must run; under `mkdocs serve` most of it in the background."""
        if not self.config.execute:
            book.skip_runs()
        elif self.command == "serve":
            self.background.set_book(book, timeout=PAGE_TIMEOUT if self.served else 0)
        else:
            book.run(say=log.info)

    def on_nav(
        self, nav: Navigation, *, config: MkDocsConfig, files: Files
    ) -> Navigation:
        """Note what every page shows: the navigation, the settings, the templates."""
        overrides = Path(config.theme.custom_dir) if config.theme.custom_dir else None
        self.urls = [_url(file) for file in files.documentation_pages()]
        self.frame = (
            self.weaver.titles,
            (self.root / "mkdocs.yml").stat().st_mtime_ns,
            times(overrides) if overrides else {},
            config.extra["commit"],
        )
        return nav

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str:
        """Give MkDocs the woven page; what it made of the same one before is kept."""
        vars(page).pop("render", None)  # mkdocs-jupyter's, of a lab: MkDocs renders it
        uri = page.file.src_uri
        if uri not in self.faults:
            with _build_errors(), self._faults_of(uri):
                text = self.weaver.page(uri)
        if uri in self.faults:
            text = faulty(uri, self.faults[uri])
        key, old = (text, self.frame), self.kept.get(page.url)
        if self.command == "serve" and old and old.key == key:
            page.render = old.restore  # type: ignore[method-assign]
            old.page, old.fresh = page, False
            return ""
        self.kept[page.url] = _Kept(key, page)
        return text

    def on_env(
        self, env: Environment, *, config: MkDocsConfig, files: Files
    ) -> Environment:
        """Add the template of pages that are kept: there is nothing to fill in."""
        assert env.loader is not None
        env.loader = ChoiceLoader([DictLoader({KEPT: ""}), env.loader])
        return env

    def on_page_content(
        self, html: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str:
        self.kept[page.url].fill(html)
        if page.file.src_uri in self.weaver.book.runs:
            run = self.weaver.book.runs[page.file.src_uri]
            self.addresses[page.abs_url or ""] = run.name
        return html

    @event_priority(100)  # before the search reads the page
    def _hide_code(self, context: Any, /, *, page: Page, **_: Any) -> None:
        page.content = search.without_code(page.content or "")

    @event_priority(-100)
    def _show_code(self, context: Any, /, *, page: Page, **_: Any) -> None:
        page.content = search.without_marks(self.kept[page.url].content)

    on_page_context = CombinedEvent(_hide_code, _show_code)

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        kept = self.kept[page.url]
        if kept.fresh:
            kept.output = output
        return kept.output

    def on_serve(
        self,
        server: LiveReloadServer,
        *,
        config: MkDocsConfig,
        builder: Callable[..., Any],
    ) -> LiveReloadServer:
        server.watch(str(self.weaver.book.package))
        if config.theme.custom_dir:
            server.watch(config.theme.custom_dir)
        self.signal.touch()
        server.watch(str(self.signal))
        answer = server.get_app()

        def note_and_answer(environ: Any, start_response: Any) -> Any:
            if name := self.addresses.get(environ["PATH_INFO"]):
                self.background.look_at(name)
            return answer and answer(environ, start_response)

        server.set_app(note_and_answer)
        return server

    def _ask_for_build(self) -> None:
        """Touch a file that the server watches."""
        self.signal.touch()

    @event_priority(100)  # before the search writes its index
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        index: Any = config.plugins.get("material/search")
        if index:
            entries = index.search_index.entries
            with _build_errors(ValueError):
                entries[:] = self._entries(entries)
        self.served = True
        self.background.start()

    def _entries(self, found: list[search.Entry]) -> list[search.Entry]:
        """Complete the search index with the entries of pages that were kept."""
        for entry in found:
            url = entry["location"].partition("#")[0]
            self.kept[url].entries.append(entry)
        for url in self.urls:
            kept = self.kept[url]
            if kept.fresh:
                search.complete(kept.entries, {url: (kept.content, kept.meta)})
        return [dict(one) for url in self.urls for one in self.kept[url].entries]

    def on_shutdown(self) -> None:
        self.background.stop()
        self.folder.cleanup()


class _Kept:
    """Keep what MkDocs and the search made of a page, for as long as `key` is the same.

    page   the page of the last build;  fresh  whether that build rendered it
    """

    def __init__(self, key: Any, page: Page) -> None:
        self.key, self.page, self.fresh = key, page, True
        self.content = self.output = ""
        self.entries = list[search.Entry]()

    def fill(self, html: str) -> None:
        """Take what MkDocs has rendered, unless this put it there."""
        if self.fresh:
            page = self.page
            self.content, self.meta, self.toc = html, dict(page.meta), page.toc
            self.title, self.anchors = page.title, page.present_anchor_ids
            self.links = page.links_to_anchors or {}

    def restore(self, config: MkDocsConfig, files: Files) -> None:
        """Put it into the page: this takes the place of `Page.render`."""
        page, meta = self.page, {"title": self.title, **self.meta}
        page.content, page.toc, page.present_anchor_ids = "", self.toc, self.anchors
        page.meta = {**meta, "template": KEPT, "search": {"exclude": True}}
        page.links_to_anchors = {
            there: links
            for file, links in self.links.items()
            if (there := files.get_file_from_path(file.src_uri))
        }


def _url(file: File) -> str:
    """Return the URL of a file's page, as the page itself does."""
    return "" if file.url in (".", "./") else file.url


def _generated(config: MkDocsConfig, uri: str, content: str | Path) -> File:
    """Make a file of MkDocs; pages among them are not in the navigation."""
    if isinstance(content, Path):
        return File.generated(config, uri, abs_src_path=str(content))
    file = File.generated(config, uri, content=content)
    if uri.endswith(".md"):
        file.inclusion = InclusionLevel.NOT_IN_NAV
    return file
