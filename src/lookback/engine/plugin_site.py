"""What stands around the pages of a MkDocs build: styles, search, policy, head."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from .book import Book
from .csp import with_policy
from .describe import description
from .joined import folder_of, join
from .live import Weights, weights_of, with_models, with_scripts
from .search import add_keywords, searchable

SEARCH = "material/search"
PRINT = "print.css"  # a file of its own: a screen need not wait for it


class Site:
    """One build's care for what all pages have in common."""

    def __init__(self, serving: bool = False) -> None:
        self.serving = serving
        self.keywords: dict[str, dict[str, str]] = {}
        self.whole: dict[str, str | None] = {}
        self.weights: dict[str, Weights] = {}

    def begin(self, files: Files, config: MkDocsConfig) -> None:
        """Put one style sheet and one script in place of ours."""
        self.keywords.clear()
        styles = [str(uri) for uri in config.extra_css]
        screen = [uri for uri in styles if not uri.endswith(PRINT)]
        printed = [uri for uri in styles if uri.endswith(PRINT)]
        config.extra_css = self._joined(screen, ".css", files, config)
        config.extra["print_css"] = printed
        scripts = [str(uri) for uri in config.extra_javascript]
        config.extra_javascript = self._joined(scripts, ".js", files, config)

    def _joined(
        self, uris: Sequence[str], suffix: str, files: Files, config: MkDocsConfig
    ) -> list[Any]:
        """The files in `docs` joined; those from elsewhere stay as they are."""
        found = {uri: files.get_file_from_path(uri) for uri in uris}
        ours = {uri: file for uri, file in found.items() if file and file.abs_src_path}
        if len(ours) < 2:
            return list(uris)
        try:
            folder = folder_of(list(ours))
            paths = [Path(str(file.abs_src_path)) for file in ours.values()]
            name, text = join(paths, suffix)
        except ValueError as error:
            raise PluginError(f"mkdocs.yml: {error}") from None
        for file in ours.values():
            files.remove(file)
        uri = f"{folder}/{name}" if folder else name
        files.append(File.generated(config, uri, content=text))
        return [*(uri for uri in uris if uri not in ours), uri]

    def add_weights(self, book: Book, files: Files, config: MkDocsConfig) -> None:
        """The weights of the models that pages run in the reader's browser."""
        folder = book.package / "recipes"
        asked = (
            name
            for run in book.runs.values()
            for outputs in run.outputs
            for output in outputs
            if "asks" in output
            for name in json.loads(output["asks"])["models"]
        )
        try:
            self.weights = {name: weights_of(name, folder) for name in asked}
        except ValueError as error:
            raise PluginError(str(error)) from None
        for found in self.weights.values():
            path = str(found.path)
            files.append(File.generated(config, found.address, abs_src_path=path))

    def with_scripts(self, html: str, url: str, files: Files) -> str:
        """The page with the modules and the models that it asks for."""
        html = with_models(html, url, self.weights.__getitem__)
        return with_scripts(html, url, {file.url for file in files})

    def describe(self, page: Page, question: str, text: str) -> None:
        """Give a page a description of its own, unless its author has written one."""
        if found := description(question, text):
            page.meta.setdefault("description", escape(found))  # the theme does not

    def show_to_search(self, page: Page) -> None:
        """Before the search reads the page: only what it should find."""
        self.whole[page.url] = page.content
        if page.meta.get("search", {}).get("exclude"):
            return
        page.content, keywords = searchable(page.content or "")
        if whole := page.meta.get("keywords"):
            keywords[""] = str(whole)
        if keywords:
            self.keywords[page.url] = keywords

    def show_to_readers(self, page: Page) -> None:
        """After the search has read it."""
        page.content = self.whole.pop(page.url)

    def add_keywords(self, config: MkDocsConfig) -> None:
        """Before the search writes its index."""
        if SEARCH not in config.plugins:
            return
        search: Any = config.plugins[SEARCH]
        try:
            add_keywords(search.search_index.entries, self.keywords)
        except ValueError as error:
            raise PluginError(str(error)) from None

    def with_policy(self, html: str) -> str:
        """Served while it is edited, a page holds a script that changes: no policy."""
        return html if self.serving else with_policy(html)
