"""The thin skin between the engine and MkDocs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin

from jinja2 import Environment
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

from . import backmatter, glossary, labs, notebook, search
from .book import Book
from .errors import PageError
from .listings import foot, listings, uri_of
from .live import models_of, weights_of, with_models, with_scripts
from .opened import version_of
from .plugin_links import LinkWarnings, line_of, refuse_taken_port
from .plugin_setting import setting_of
from .render import Rendered, Setting, add_exercises, finish, place, to_markdown
from .run import Run

SEARCH = "material/search"

log = get_plugin_logger("lookback")
DIAGRAM_CSS = Path(__file__).parents[1] / "figures/diagram.css"
"""Notebooks hold this style sheet, too: it is part of the package."""


class LookbackConfig(Config):
    cache_dir = options.Type(str, default=".cache/lookback")
    time_limit = options.Type((int, float), default=300)
    execute = options.Type(bool, default=True)


class LookbackPlugin(BasePlugin[LookbackConfig]):
    """Runs the chapters' blocks and puts what they show into the pages."""

    def __init__(self) -> None:
        self.serving, self.first = False, True
        self.links = LinkWarnings()

    def on_startup(
        self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool
    ) -> None:
        self.serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        self.root = Path(config.config_file_path or "mkdocs.yml").resolve().parent
        if self.serving and self.first:
            refuse_taken_port(config)
        self.first = False
        self.links.start()
        if config.edit_uri:  # MkDocs guesses an older name of the branch
            config.edit_uri = config.edit_uri.replace("/master/", "/main/")
        time = backmatter.git(self.root, "log", "-1", "--format=%ct")
        if time:  # two builds of one commit are the same bytes
            os.environ.setdefault("SOURCE_DATE_EPOCH", time)
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Run what must run; add listings and notebooks to the site."""
        self.files, self.rendered = files, dict[str, Rendered]()
        self.searched: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self.repository = (config.repo_url or "").removesuffix(".git")
        self.revision = backmatter.git(self.root, "rev-parse", "HEAD")
        self.versions = {name: version_of(name) for name in ("python", "torch")}
        self.commit = backmatter.commit_of(self.root)
        with _PageErrors():
            self.book = self._read_book(files, config)
            if self.config.execute:
                self.book.run(say=log.info)
            else:
                self.book.skip()
            self._add_listings(files, config)
            self._add_notebooks(files, config)
        self._add_weights(files, config)
        css = str(DIAGRAM_CSS)
        files.append(File.generated(config, "assets/diagram.css", abs_src_path=css))
        return files

    def _add_listings(self, files: Files, config: MkDocsConfig) -> None:
        """Add a page for each module that chapters link."""
        self.listings = listings(self.book, filter(self._is_chapter, self.book.pages))
        level = InclusionLevel.NOT_IN_NAV
        for uri, one in self.listings.items():
            text = one.markdown(self.root, partial(backmatter.title_of, self.book))
            files.append(File.generated(config, uri, content=text, inclusion=level))

    def _add_weights(self, files: Files, config: MkDocsConfig) -> None:
        """Add the weights of the models that pages run in the reader's browser."""
        folder = self.book.package / "recipes"
        try:
            names = models_of(self.book.runs.values())
            self.weights = {name: weights_of(name, folder) for name in names}
        except ValueError as error:
            raise PluginError(str(error)) from None
        for found in self.weights.values():
            path = str(found.path)
            files.append(File.generated(config, found.address, abs_src_path=path))

    def _read_book(self, files: Files, config: MkDocsConfig) -> Book:
        book = Book(
            root=self.root,
            docs=Path(config.docs_dir),
            package=Path(__file__).parents[1],
            cache=self.root / self.config.cache_dir,
            time_limit=float(self.config.time_limit),
        )
        pages = files.documentation_pages()
        book.read(f.src_uri for f in pages if f.generated_by is None)
        return book

    def _is_chapter(self, uri: str) -> bool:
        """Is the page a lab, or about papers?"""
        return labs.is_lab(uri) or bool(self.book.papers(uri))

    def _add_notebooks(self, files: Files, config: MkDocsConfig) -> None:
        """Add a notebook for each lab and each chapter that has blocks to run."""
        self.notebooks: dict[str, str] = {}
        for uri, page in self.book.pages.items():
            if not page.running or not self._is_chapter(uri):
                continue
            path = notebook.path_of(uri, config.use_directory_urls)
            folder = path.rpartition("/")[0] + "/"
            made = notebook.to_notebook(
                page,
                self.book.runs.get(uri, Run(page.name)),
                self._setting(self._file(uri)),
                repository=config.repo_url or "",
                page_url=urljoin(config.site_url, folder) if config.site_url else "",
            )
            text = notebook.to_json(made)
            files.append(File.generated(config, path, content=text))
            self.notebooks[uri] = path

    def on_nav(
        self, nav: Navigation, *, config: MkDocsConfig, files: Files
    ) -> Navigation:
        self.nav, self.files = nav, files
        return nav

    def on_env(
        self, env: Environment, *, config: MkDocsConfig, files: Files
    ) -> Environment:
        """Drop the empty lines that a template's own code leaves."""
        env.trim_blocks = env.lstrip_blocks = True
        return env

    def _setting(self, file: File) -> Setting:
        """What the engine needs to know of the site around a page."""
        return setting_of(file, self.book, self.files)

    def _file(self, uri: str) -> File:
        file = self.files.get_file_from_path(uri)
        assert file is not None
        return file

    def _markers(self, file: File) -> dict[str, str]:
        """The HTML that the engine writes itself, for the pages that ask for it."""

        def link(uri: str) -> str:
            return get_relative_url(self._file(uri).url, file.url)

        sections = [item for item in self.nav.items if isinstance(item, Section)]
        parts = [
            (s.title, [p.file.src_uri for p in s.children if isinstance(p, Page)])
            for s in sections
        ]
        return backmatter.markers(self.book, parts, link)

    def on_page_read_source(self, *, page: Page, config: MkDocsConfig) -> str | None:
        """A lab is read as the page that stands for it."""
        uri = page.file.src_uri
        return self.book.pages[uri].text if labs.is_lab(uri) else None

    def on_page_markdown(
        self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str:
        uri = page.file.src_uri
        if uri not in self.book.pages:
            return markdown
        with _PageErrors():
            setting = self._setting(page.file)
            if labs.is_lab(uri):
                self._run_lab(page, config, files)
            if "<!-- lookback:" in markdown:
                setting.markers.update(self._markers(page.file))
            run = self.book.runs[uri]
            self.rendered[uri] = to_markdown(self.book.pages[uri], run, setting)
        return self._prepared(uri, page)

    def _run_lab(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        """Have mkdocs-jupyter run a lab; leave its prose to MkDocs.

        mkdocs-jupyter sets `render` of a page, which here is called before its time.
        """
        render_notebook = vars(page).pop("render")

        def render() -> str:
            render_notebook(config, files)
            return page.content or ""

        if page.file.src_uri not in self.book.runs:
            log.info(f"Running {page.file.src_uri}")
            self.book.run_lab(page.file.src_uri, render)

    def _prepared(self, uri: str, page: Page) -> str:
        """The page's Markdown with terms linked; its links to source and notebook."""
        if path := self.notebooks.get(uri):
            page.meta["notebook"] = path.rpartition("/")[2]
            page.meta["colab"] = notebook.colab_url(path, self.repository)
        listing = uri_of(f"{self.book.package.name}.{Path(uri).stem}")
        if listing in self.listings:
            page.meta["source_url"] = self._file(listing).url
        text = self.rendered[uri].markdown
        if uri != "glossary.md":
            up = "../" * uri.count("/")
            text = glossary.link_terms(text, self.book.glossary, f"{up}glossary.md")
        return text

    def on_page_content(
        self, html: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str:
        uri = page.file.src_uri
        if uri not in self.rendered:
            return html
        rendered, run = self.rendered[uri], self.book.runs[uri]

        def settle(items: Any) -> None:
            for item in items:
                item.title = place(item.title, rendered)
                settle(item.children)

        add_exercises(html, page.toc.items, AnchorLink)
        settle(page.toc)
        html = finish(html, rendered)
        question = str(page.meta.get("question") or "")
        if about := backmatter.description(question, html):
            page.meta.setdefault("description", escape(about))  # the theme does not
        if self._is_chapter(uri):
            html += foot(self.root, Path(uri).stem, partial(self._url_of_file, page))
        if self.book.pages[uri].running:
            html += backmatter.stamp(run, self.versions, self.commit)
        self.searched[page.url] = html, page.meta
        return search.without_code(html)

    def _url_of_file(self, page: Page, path: Path) -> str:
        """Link a file's page; else its place in the repository, where that is known."""
        for uri, listing in self.listings.items():
            if listing.path == self.root / path:
                return get_relative_url(self._file(uri).url, page.url)
        if not self.repository:
            return ""
        return f"{self.repository}/blob/{self.revision}/{path.as_posix()}"

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        scripts = {
            file.url: Path(file.abs_src_path)
            for file in self.files
            if file.abs_src_path and file.src_uri.endswith(".js")
        }
        try:
            output = with_models(output, page.url, self.weights.__getitem__)
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
        return server

    @event_priority(100)  # before the search writes its index
    def _complete_index(self, /, *, config: MkDocsConfig) -> None:
        if SEARCH not in config.plugins:
            return
        index: Any = config.plugins[SEARCH]
        try:
            search.complete(index.search_index.entries, self.searched)
        except ValueError as error:
            raise PluginError(str(error)) from None

    @event_priority(-100)  # after every other plugin has had its say
    def _say_dead_links(self, /, *, config: MkDocsConfig) -> None:
        self.links.stop()
        for uri, link, message in self.links.found:
            name = self.book.name(uri) if uri else Path(config.config_file_path).name
            path = Path(config.docs_dir, uri) if uri else Path(config.config_file_path)
            text = path.read_text(encoding="utf-8")
            line = line_of(link, text)
            raise PluginError(str(PageError(name, line, message)))

    on_post_build = CombinedEvent(_complete_index, _say_dead_links)

    def on_build_error(self, *, error: Exception) -> None:
        self.links.stop()


class _PageErrors:
    """A fault of a page becomes one message of the build, and ends it."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, PageError):
            raise PluginError(str(error)) from None
