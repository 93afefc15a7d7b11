"""The thin skin between the engine and MkDocs."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin

from jinja2 import Environment, FileSystemBytecodeCache
from mkdocs.config import config_options as options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from . import backmatter
from .book import Book, to_json
from .cache import versions
from .errors import PageError
from .glossary import abbreviations, first_uses_only
from .notebook import to_notebook
from .plugin_labs import Labs
from .plugin_links import LinkWarnings, line_of, refuse_taken_port
from .render import Rendered, Setting, finish, to_markdown
from .rooms import foot, rooms
from .source import Source, module_path

log = get_plugin_logger("lookback")


class LookbackConfig(Config):
    cache_dir = options.Type(str, default=".cache/lookback")
    time_limit = options.Type((int, float), default=120)
    execute = options.Type(bool, default=True)


class LookbackPlugin(BasePlugin[LookbackConfig]):
    """Runs the chapters' blocks and puts what they show into the pages."""

    def __init__(self) -> None:
        self.serving, self.first = False, True
        self.links = LinkWarnings()
        self.labs = Labs()

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
        self.versions = versions()
        self.commit = backmatter.commit_of(self.root)
        with _PageErrors():
            self.book = self._read_book(files, config)
            if self.config.execute:
                self.book.run(say=log.info)
            else:
                self.book.skip()
            self._add_listings(files, config)
            if self.config.execute:
                self.labs.begin(self.book, files, config)
            self._add_rooms(files, config)
            self._add_notebooks(files, config)
        return files

    def _read_book(self, files: Files, config: MkDocsConfig) -> Book:
        book = Book(
            root=self.root,
            docs=Path(config.docs_dir),
            package=Path(__file__).parents[1],
            cache=self.root / self.config.cache_dir,
            time_limit=float(self.config.time_limit),
        )
        pages = [f for f in files.documentation_pages() if f.src_uri.endswith(".md")]
        book.read(f.src_uri for f in pages if f.generated_by is None)
        return book

    def _add_listings(self, files: Files, config: MkDocsConfig) -> None:
        package = self.book.package
        names = {
            piece.code.partition(":")[0]
            for page in self.book.pages.values()
            for piece in page.pieces
            if piece.kind == "source"
        }
        for name in sorted(names):
            try:
                path = module_path(name, package)
            except ValueError:
                continue  # the page that shows it says so, with its line
            self._add_listing(files, config, name, path)

    def _add_rooms(self, files: Files, config: MkDocsConfig) -> None:
        """Listings of the files of each chapter, to which its foot links."""
        chapters = [u for u in self.book.pages if self._is_chapter(u)]
        self.rooms = {uri: rooms(self.root, Path(uri).stem) for uri in chapters}
        for found in self.rooms.values():
            for path in (path for paths in found.values() for path in paths):
                self._add_listing(files, config, _name_of(path), self.root / path)

    def _add_listing(
        self, files: Files, config: MkDocsConfig, name: str, path: Path
    ) -> None:
        uri = _listing_uri(name)
        if files.get_file_from_path(uri) is None:
            shown = (
                path.relative_to(self.root)
                if path.is_relative_to(self.root)
                else (path.relative_to(self.book.package.parent))
            )
            text = path.read_text(encoding="utf-8")
            _add(files, config, uri, backmatter.listing(name, shown.as_posix(), text))

    def _is_chapter(self, uri: str) -> bool:
        """Is the page a lab, or about papers?"""
        return uri in self.labs.pages or bool(self.book.papers(uri))

    def _add_notebooks(self, files: Files, config: MkDocsConfig) -> None:
        repository = config.repo_url or ""
        wanted = "lookback-attention[figures]"
        package = f"{wanted} @ git+{repository}" if repository else wanted
        for uri in self._notebooks():
            file = files.get_file_from_path(uri)
            assert file is not None
            target = _notebook_uri(uri, config)
            page_url = urljoin(config.site_url or "", target.rpartition("/")[0] + "/")
            notebook = to_notebook(
                self.book.pages[uri],
                self.book.runs[uri],
                self._setting(file, config),
                package=package,
                page_url=page_url if config.site_url else "",
            )
            _add(files, config, target, to_json(notebook))

    def _notebooks(self) -> list[str]:
        """Labs, and the chapters: pages about papers, with blocks that run."""
        return [
            uri
            for uri, page in self.book.pages.items()
            if page.running and self._is_chapter(uri)
        ]

    def on_nav(
        self, nav: Navigation, *, config: MkDocsConfig, files: Files
    ) -> Navigation:
        self.nav, self.files = nav, files  # by now labs are pages, with their URLs
        return nav

    def on_env(
        self, env: Environment, *, config: MkDocsConfig, files: Files
    ) -> Environment:
        """Keep compiled templates: MkDocs would compile the theme at every build."""
        folder = self.root / self.config.cache_dir / "templates"
        folder.mkdir(parents=True, exist_ok=True)
        env.bytecode_cache = FileSystemBytecodeCache(str(folder))
        return env

    def _setting(self, file: File, config: MkDocsConfig) -> Setting:
        """What the engine needs to know of the site around a page."""

        def source_url(source: Source) -> str:
            listing = self.files.get_file_from_path(_listing_uri(source.module))
            url = get_relative_url(listing.url, file.url) if listing else ""
            return f"{url}#L{source.first}" if url else ""

        up = "../" * file.src_uri.count("/")
        return Setting(
            package=self.book.package,
            bibliography=self.book.bibliography,
            bibliography_url=f"{up}bibliography.md",
            source_url=source_url,
        )

    def _markers(self, file: File) -> dict[str, str]:
        """The HTML that the engine writes itself, for the pages that ask for it."""

        def link(uri: str) -> str:
            target = self.files.get_file_from_path(uri)
            assert target is not None
            return get_relative_url(target.url, file.url)

        sections = [item for item in self.nav.items if isinstance(item, Section)]
        parts = [
            (s.title, [p.file.src_uri for p in s.children if isinstance(p, Page)])
            for s in sections
        ]
        return backmatter.markers(self.book, parts, link)

    @event_priority(-50)  # after mkdocs-jupyter has said how a lab is rendered
    def on_pre_page(self, page: Page, *, config: MkDocsConfig, files: Files) -> Page:
        uri = page.file.src_uri
        if uri in self.labs.pages:
            jupyter, lab = page.render, self.labs.pages[uri]

            def render(config: MkDocsConfig, files: Files) -> None:
                with _PageErrors():
                    run = self.book.runs[uri] = self.labs.run(
                        uri, page, lambda: jupyter(config, files)
                    )
                    setting = self._setting(page.file, config)
                    self.rendered[uri] = to_markdown(lab, run, setting)
                page.markdown = self._prepared(uri, page, config)
                Page.render(page, config, files)

            page.render = render  # type: ignore[method-assign]
        return page

    def on_page_markdown(
        self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files
    ) -> str:
        uri = page.file.src_uri
        if uri not in self.book.pages or uri in self.labs.pages:
            return markdown
        with _PageErrors():
            setting = self._setting(page.file, config)
            if "<!-- lookback:" in markdown:
                setting.markers.update(self._markers(page.file))
            run = self.book.runs[uri]
            self.rendered[uri] = to_markdown(self.book.pages[uri], run, setting)
        return self._prepared(uri, page, config)

    def _prepared(self, uri: str, page: Page, config: MkDocsConfig) -> str:
        """The page's Markdown with its glossary; its links to source and notebook."""
        if uri in self._notebooks():
            notebook = _notebook_uri(uri, config)
            page.meta["notebook"] = notebook.rpartition("/")[2]
            repository = (config.repo_url or "").removesuffix(".git")
            if match := re.match(r"https://github\.com/([^/]+/[^/]+)", repository):
                page.meta["colab"] = (
                    "https://colab.research.google.com/github/"
                    f"{match[1]}/blob/gh-pages/{notebook}"
                )
        module = f"{self.book.package.name}.{Path(uri).stem}"
        if listing := self.files.get_file_from_path(_listing_uri(module)):
            page.meta["source_url"] = listing.url
        text = self.rendered[uri].markdown
        if uri != "glossary.md":
            text += abbreviations(self.book.glossary, text)
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
                item.title = finish(item.title, rendered)
                settle(item.children)

        settle(page.toc)
        html = finish(first_uses_only(html), rendered)
        html += foot(
            self.rooms.get(uri, {}), lambda path: self._listing_url(path, page)
        )
        if self.book.pages[uri].running:
            html += backmatter.stamp(run, self.versions, self.commit)
        return html

    def _listing_url(self, path: Path, page: Page) -> str:
        listing = self.files.get_file_from_path(_listing_uri(_name_of(path)))
        assert listing is not None
        return get_relative_url(listing.url, page.file.url)

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

    @event_priority(-100)  # after every other plugin has had its say
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        self.links.stop()
        self.labs.end()
        for uri, link, message in self.links.found:
            name = self.book.name(uri) if uri else Path(config.config_file_path).name
            path = Path(config.docs_dir, uri) if uri else Path(config.config_file_path)
            text = path.read_text(encoding="utf-8")
            line = line_of(link, text)
            raise PluginError(str(PageError(name, line, message)))

    def on_build_error(self, *, error: Exception) -> None:
        self.links.stop()
        self.labs.end()


def _add(files: Files, config: MkDocsConfig, uri: str, content: str) -> None:
    """A generated file; a page among them stays out of the navigation."""
    level = InclusionLevel.NOT_IN_NAV
    files.append(File.generated(config, uri, content=content, inclusion=level))


def _listing_uri(module: str) -> str:
    """`lookback.luong` → source/luong.md, `tests.test_luong` → source/tests/…"""
    return "source/" + module.removeprefix("lookback.").replace(".", "/") + ".md"


def _name_of(path: Path) -> str:
    """src/lookback/luong.py → `lookback.luong`, tests/test_luong.py → `tests.test_…`"""
    return ".".join(path.with_suffix("").parts).removeprefix("src.")


def _notebook_uri(uri: str, config: MkDocsConfig) -> str:
    """Beside the page: `ngram/ngram.ipynb`."""
    stem = uri.rpartition(".")[0]
    folder = f"{stem}/" if config.use_directory_urls else f"{stem}/../"
    return posixpath.normpath(f"{folder}{Path(stem).name}.ipynb")


class _PageErrors:
    """A fault of a page becomes one message of the build, and ends it."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, PageError):
            raise PluginError(str(error)) from None
