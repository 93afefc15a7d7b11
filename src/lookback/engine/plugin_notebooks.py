"""The notebooks of a build: one for each chapter and each lab, and the links to it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from .book import Book, to_json
from .notebook import to_notebook
from .render import Setting

PACKAGE = "lookback-attention[figures]"


class Notebooks:
    """The notebooks of one build: of these pages, under these settings of the site."""

    def __init__(self, book: Book, uris: list[str], config: MkDocsConfig) -> None:
        self.book, self.uris, self.config = book, uris, config

    def add_all(self, files: Files, setting: Callable[[File], Setting]) -> None:
        """A generated file for each; setting: what the engine knows around a page."""
        repository, site = self.config.repo_url or "", self.config.site_url or ""
        package = f"{PACKAGE} @ git+{repository}" if repository else PACKAGE
        for uri in self.uris:
            file = files.get_file_from_path(uri)
            assert file is not None
            target = self.uri_of(uri)
            folder = target.rpartition("/")[0] + "/"
            notebook = to_notebook(
                self.book.pages[uri],
                self.book.runs[uri],
                setting(file),
                package=package,
                page_url=urljoin(site, folder) if site else "",
            )
            text = to_json(notebook)
            files.append(File.generated(self.config, target, content=text))

    def uri_of(self, uri: str) -> str:
        """Beside the page: `ngram/ngram.ipynb`."""
        stem = uri.rpartition(".")[0]
        folder = f"{stem}/" if self.config.use_directory_urls else f"{stem}/../"
        return posixpath.normpath(f"{folder}{Path(stem).name}.ipynb")

    def link(self, page: Page) -> None:
        """Tell the templates where the notebook of a page is, and where it can run."""
        uri = page.file.src_uri
        if uri not in self.uris:
            return
        notebook = self.uri_of(uri)
        page.meta["notebook"] = notebook.rpartition("/")[2]
        repository = (self.config.repo_url or "").removesuffix(".git")
        if match := re.match(r"https://github\.com/([^/]+/[^/]+)", repository):
            page.meta["colab"] = (
                "https://colab.research.google.com/github/"
                f"{match[1]}/blob/gh-pages/{notebook}"
            )
