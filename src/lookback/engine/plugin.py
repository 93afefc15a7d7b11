"""Adapt the engine to MkDocs: run the book on its events, add files, rewrite pages.

This module alone imports MkDocs. What it calls knows strings, paths and the engine's
own classes.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from html import escape
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Literal
from urllib.parse import urljoin

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
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink
from mkdocs.utils import get_relative_url

from lookback import WHERE
from lookback.extract import program, requirements

from . import backmatter, glossary, labs, notebook, paths, search
from .background import Background
from .blocks import Page as Pieces
from .blocks import parse
from .book import Book
from .errors import PageError
from .links import DeadLinks
from .listings import foot, listings
from .live import models_of, weights_of, with_models, with_scripts
from .opened import versions
from .render import (
    Rendered,
    Setting,
    add_exercises,
    faulty,
    finish,
    place_titles,
    to_markdown,
)
from .run import Run
from .source import page_of

log = get_plugin_logger("lookback")
DIAGRAM_CSS = Path(__file__).parents[1] / "figures/diagram.css"
"""Notebooks hold this style sheet, too: it is part of the package."""


PATIENCE = 10.0
"""Seconds that a build of `mkdocs serve` waits for the page that was edited."""


@contextmanager
def _build_errors(kind: type[ValueError] = PageError) -> Iterator[None]:
    """Turn an error of the engine into one message that ends MkDocs' build."""
    try:
        yield
    except kind as error:
        raise PluginError(str(error)) from None


class LookbackConfig(Config):
    cache_dir = options.Type(str, default=".cache/lookback")
    time_limit = options.Type((int, float), default=300)
    execute = options.Type(bool, default=True)


class LookbackPlugin(BasePlugin[LookbackConfig]):
    """Run the chapters' blocks and put what they show into the pages."""

    def __init__(self) -> None:
        self.links = DeadLinks()

    def on_startup(
        self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool
    ) -> None:
        self.port_is_free = command != "serve"
        self.command, self.served = command, False
        self.folder = TemporaryDirectory()  # the project may be read-only
        self.signal = Path(self.folder.name, "build")
        self.background = Background(self._ask_for_build, log.info, log.error)
        self.read = dict[str, tuple[Pieces, dict[str, Any]]]()
        self.addresses = dict[str, str]()

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        self.root = Path(config.config_file_path or "mkdocs.yml").resolve().parent
        if not self.port_is_free:
            with _build_errors(ValueError):
                backmatter.refuse_taken_port(*config.dev_addr)
            self.port_is_free = True  # from now on, the server's own
        self.links.start()
        if config.edit_uri:  # MkDocs guesses an older name of the branch
            config.edit_uri = config.edit_uri.replace("/master/", "/main/")
        fences = config.mdx_configs.setdefault("pymdownx.superfences", {})
        fences.setdefault("preserve_tabs", True)
        if time := backmatter.git(self.root, "log", "-1", "--format=%ct"):
            os.environ.setdefault("SOURCE_DATE_EPOCH", time)
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Run what must run; add listings and notebooks to the site."""
        self.files, self.rendered = files, dict[str, Rendered]()
        self.searched: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self.repository = (config.repo_url or "").removesuffix(".git")
        blob = backmatter.blob(self.root, self.repository)
        self.blob = self.repository and blob
        self.versions = versions(["python", "torch"])
        self.commit = backmatter.commit_of(self.root)
        with _build_errors():
            self.book = Book(
                root=self.root,
                docs=Path(config.docs_dir),
                package=Path(__file__).parents[1],
                cache=self.root / self.config.cache_dir,
                time_limit=float(self.config.time_limit),
            )
            self.faults = dict[str, PageError]()
            for file in files.documentation_pages():
                if file.generated_by is None:
                    self._read(file.src_uri)
            self._run_book()
            self._add_listings(files, config)
            self._add_notebooks(files, config)
        self._add_package_files(files, config)
        return files

    @contextmanager
    def _faults_of(self, uri: str) -> Iterator[None]:
        """Under `mkdocs serve` a fault of a page is shown there, and others go on."""
        try:
            yield
        except PageError as error:
            if self.command != "serve":
                raise
            log.error(error)
            self.faults[uri] = error

    def _read(self, uri: str) -> None:
        """Read a page; one that has a fault is to others what it was before."""
        with self._faults_of(uri):
            self.book.read([uri])
            self.book.papers(uri)
            self.read[uri] = self.book.pages[uri], self.book.front[uri]
        if uri in self.faults:
            nothing = parse("", self.book.name(uri)), dict[str, Any]()
            page, front = self.read.get(uri, nothing)
            self.book.pages[uri], self.book.front[uri] = page, front

    def _run_book(self) -> None:
        """Run what must run; under `mkdocs serve` most of it in the background."""
        if not self.config.execute:
            self.book.skip()
        elif self.command == "serve":
            self.background.take(self.book, patience=PATIENCE if self.served else 0)
        else:
            self.book.run(say=log.info)

    def _add_listings(self, files: Files, config: MkDocsConfig) -> None:
        """Add a page for each module that chapters link."""
        chapters = filter(self.book.is_chapter, self.book.pages)
        self.listings = listings(self.book, chapters)
        title = partial(backmatter.title_of, self.book)
        for uri, one in self.listings.items():
            file = File.generated(config, uri, content=one.markdown(self.root, title))
            file.inclusion = InclusionLevel.NOT_IN_NAV
            files.append(file)

    def _add_package_files(self, files: Files, config: MkDocsConfig) -> None:
        """Add the weights of models that pages run, and the diagrams' style sheet."""
        folder = self.book.package / "recipes"
        names = models_of(self.book.runs.values())
        with _build_errors(ValueError):
            self.weights = {name: weights_of(name, folder) for name in names}
        served = {one.address: one.path for one in self.weights.values()}
        for uri, path in {**served, "assets/diagram.css": DIAGRAM_CSS}.items():
            files.append(File.generated(config, uri, abs_src_path=str(path)))

    def _add_notebooks(self, files: Files, config: MkDocsConfig) -> None:
        """Add two notebooks of each page that runs, and each machine as one file.

        The second, without solutions, is what a class is given.
        """
        self.notebooks: dict[str, list[str]] = {}
        self.programs: dict[str, str] = {}
        package = self._add_wheel(files, config)
        for uri in filter(self.book.is_chapter, self.book.pages):
            name, file = Path(uri).stem, files.src_uris[uri]
            if name in WHERE.values():
                self.programs[uri] = text = program(name, self.book.modules)
                path = str(PurePosixPath(file.dest_uri).with_name(f"{name}.py"))
                files.append(File.generated(config, path, content=text))
            if not self.book.pages[uri].running:
                continue
            with self._faults_of(uri):
                for solutions in (True, False):
                    path = notebook.path_of(uri, file.dest_uri, solutions=solutions)
                    text = notebook.to_notebook(
                        self._setting(file),
                        package=package,
                        page_url=urljoin(config.site_url, file.url)
                        if config.site_url
                        else "",
                        solutions=solutions,
                    )
                    files.append(File.generated(config, path, content=text))
                    self.notebooks.setdefault(uri, []).append(path)

    def _add_wheel(self, files: Files, config: MkDocsConfig) -> str:
        """Say where notebooks get the package, see `notebook.install`.

        Where no repository is set the site offers a wheel: made for a build alone,
        since `mkdocs serve` builds again with each edit.
        """
        self.wheel = ""
        if config.repo_url:
            return f"git+{config.repo_url}"
        own = self.book.package.is_relative_to(self.root)
        if self.command == "serve" or not own:
            return ""
        with TemporaryDirectory() as folder, _build_errors(ValueError):
            wheel = notebook.write_wheel(self.root, Path(folder))
            self.wheel, content = wheel.name, wheel.read_bytes()
        files.append(File.generated(config, self.wheel, content=content))
        return urljoin(config.site_url, self.wheel) if config.site_url else ""

    def on_nav(
        self, nav: Navigation, *, config: MkDocsConfig, files: Files
    ) -> Navigation:
        """Read the paths through the book, and what comes before each chapter."""
        self.nav, self.files = nav, files
        order = [page.file.src_uri for page in nav.pages]
        self.needs, self.roads = dict[str, list[str]](), list[paths.Road]()
        with _build_errors(), self._faults_of("mkdocs.yml"):
            self.needs = paths.needs(self.book, order)
            doors = config.extra.get("paths", {})
            self.roads = paths.roads(self.book, order, doors)
        self.minutes: dict[str, int] = {}
        return nav

    def _add_reading(self, page: Page, html: str) -> None:
        """Give a page's header its reading time, what comes before, and its paths."""
        uri = page.file.src_uri
        self.minutes[uri] = page.meta["minutes"] = paths.minutes(html)

        def link(uri: str) -> tuple[str, str]:
            title = backmatter.short_title(self.book, uri)
            return title, self.files.src_uris[uri].url

        page.meta["before"] = [link(need) for need in self.needs[uri]]
        page.meta["roads"] = [
            (road.title, at, len(road.pages), [*map(link, road.pages[at : at + 1])])
            for road in self.roads
            if uri in road.pages and len(road.pages) < len(self.needs)
            for at in [road.pages.index(uri) + 1]
        ]

    def _setting(self, file: File) -> Setting:
        return Setting(self.book, file.src_uri, partial(self._url, file))

    def _url(self, file: File, uri: str) -> str:
        """Link a page from another one; "" where the site has no such page."""
        there = self.files.get_file_from_path(uri)
        return get_relative_url(there.url, file.url) if there else ""

    def _markers(self, file: File) -> dict[str, str]:
        """Write the HTML of the engine's markers, for a page that holds some."""
        parts = [
            (part.title, [p.file.src_uri for p in part.children if isinstance(p, Page)])
            for part in self.nav
            if isinstance(part, Section)
        ]
        url = partial(self._url, file)
        return backmatter.markers(self.book, parts, url, self.roads, self.needs)

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        """Give MkDocs a lab as the Markdown page that stands for it."""
        uri = page.file.src_uri
        if uri in self.faults:
            return ""
        return self.book.pages[uri].text if labs.is_lab(uri) else None

    def on_page_markdown(
        self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str:
        uri = page.file.src_uri
        if uri not in self.book.pages:
            return markdown
        if labs.is_lab(uri):  # MkDocs renders its prose, mkdocs-jupyter nothing
            vars(page).pop("render")
        if uri not in self.faults:
            with _build_errors(), self._faults_of(uri):
                setting = self._setting(page.file)
                if "<!-- lookback:" in markdown:
                    setting.markers.update(self._markers(page.file))
                self.rendered[uri] = to_markdown(setting)
        if uri in self.faults:
            self.rendered[uri] = faulty(uri, self.faults[uri])
            self.book.runs[uri] = Run(self.book.name(uri), error=self.faults[uri])
            return self.rendered[uri].markdown
        return self._prepared(uri, page)

    def _prepared(self, uri: str, page: Page) -> str:
        """Link the page's glossary terms, and its source and notebook in its header."""
        if pair := self.notebooks.get(uri):
            page.meta["notebook"], page.meta["handout"] = map(posixpath.basename, pair)
            page.meta["colab"] = notebook.colab_url(pair[0], self.repository)
            page.meta["wheel"] = self.wheel
        if text := self.programs.get(uri):
            page.meta["program"] = f"{Path(uri).stem}.py"
            page.meta["requires"] = requirements(text)
        listing = page_of(f"{self.book.package.name}.{Path(uri).stem}")
        if listing in self.listings:
            page.meta["source_url"] = self.files.src_uris[listing].url
        text = self.rendered[uri].markdown
        if uri == "glossary.md":
            return text
        there = "../" * uri.count("/") + "glossary.md"
        return glossary.link_terms(text, self.book.glossary, there)

    def on_page_content(
        self, html: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str:
        uri = page.file.src_uri
        if uri not in self.rendered:
            return html
        rendered, run = self.rendered[uri], self.book.runs[uri]
        add_exercises(html, page.toc.items, AnchorLink)
        place_titles(page.toc.items, rendered)
        html = finish(html, rendered)
        about = backmatter.description(str(page.meta.get("question") or ""), html)
        page.meta.setdefault("description", escape(about))  # the theme does not
        if uri in self.needs:
            self._add_reading(page, html)
        if self.book.is_chapter(uri):
            url = partial(self._url, page.file)
            html += foot(self.book, uri, self.listings, url, self.blob)
        if self.book.pages[uri].running:
            html += backmatter.stamp(run, self.versions, self.commit)
        if run.pending or run.error:
            html = self._with_state(html, run)
        self.addresses[page.abs_url or ""] = run.name
        self.searched[page.url] = html, page.meta
        return html

    def _with_state(self, html: str, run: Run) -> str:
        """Say under a page's title that it runs, or has failed."""
        total = self.background.total
        done = total - sum(run.pending for run in self.book.runs.values())
        title, end, rest = html.rpartition("</h1>")
        return title + end + backmatter.html("state", run, done, total) + rest

    @event_priority(100)  # before the search reads the page
    def _hide_code(self, context: Any, /, *, page: Page, **_: Any) -> None:
        self.whole = page.content or ""
        page.content = search.without_code(self.whole)

    @event_priority(-100)
    def _show_code(self, context: Any, /, *, page: Page, **_: Any) -> None:
        content = search.without_marks(self.whole)
        for road in self.roads:  # all pages are rendered, and their times are known
            time = paths.duration(sum(self.minutes.get(uri, 0) for uri in road.pages))
            content = content.replace(f"<!-- time of {road.title} -->", time)
        page.content = content

    on_page_context = CombinedEvent(_hide_code, _show_code)

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        scripts = {
            file.url: Path(file.abs_src_path)
            for file in self.files
            if file.abs_src_path and file.src_uri.endswith(".js")
        }
        output = with_models(output, page.url, self.weights.__getitem__)
        try:
            return with_scripts(output, page.url, scripts)
        except ValueError as error:
            name = self.book.name(page.file.src_uri)
            raise PluginError(str(PageError(name, 1, str(error)))) from None

    def on_serve(
        self,
        server: LiveReloadServer,
        *,
        config: MkDocsConfig,
        builder: Callable[..., Any],
    ) -> LiveReloadServer:
        server.watch(str(self.book.package))
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
    def _complete_index(self, /, *, config: MkDocsConfig) -> None:
        index: Any = config.plugins.get("material/search")
        if index:
            with _build_errors(ValueError):
                search.complete(index.search_index.entries, self.searched)

    @event_priority(-100)  # after every other plugin has had its say
    def _report_dead_links(self, /, *, config: MkDocsConfig) -> None:
        self.links.stop()
        with _build_errors(), self._faults_of("mkdocs.yml"):
            self.links.raise_first(self.book, Path(config.config_file_path))
        self.served = True
        self.background.start()

    on_post_build = CombinedEvent(_complete_index, _report_dead_links)

    def on_build_error(self, *, error: Exception) -> None:
        self.links.stop()

    def on_shutdown(self) -> None:
        self.background.stop()
        self.folder.cleanup()
