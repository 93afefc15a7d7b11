"""Labs in a MkDocs build: mkdocs-jupyter runs them, the engine renders them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from . import blocks, labs
from .book import Book
from .labkernel import LabKernel
from .labrun import failure, notebook_in, run_of
from .run import Run

PLUGIN = "mkdocs-jupyter"


class Labs:
    """The labs of one build; their kernel's settings are in place while it lasts."""

    def __init__(self) -> None:
        self.pages: dict[str, blocks.Page] = {}
        self.kernel: LabKernel | None = None

    def begin(self, book: Book, files: Files, config: MkDocsConfig) -> None:
        """Read the labs into the book; tell mkdocs-jupyter where and how to run."""
        self.pages.clear()
        if PLUGIN not in config.plugins or book.cache is None:
            return
        jupyter: Any = config.plugins[PLUGIN]
        self.kernel = LabKernel(book.cache, book.package, book.time_limit)
        jupyter.config["cache_dir"] = self.kernel.cache_dir
        self.kernel.enter()
        for file in files:  # mkdocs-jupyter calls them pages only later
            if file.src_uri.endswith(".py") and jupyter.should_include(file):
                text = Path(str(file.abs_src_path)).read_text(encoding="utf-8")
                page = labs.read(text, book.name(file.src_uri))
                self.pages[file.src_uri] = book.pages[file.src_uri] = page
                book.runs[file.src_uri] = Run(page.name, [[] for _ in page.running])

    def run(
        self,
        uri: str,
        page: Page,
        jupyter: Callable[[], None],
    ) -> Run:
        """Let mkdocs-jupyter run a lab; what its cells showed, or PageError."""
        lab = self.pages[uri]
        try:
            jupyter()
            notebook = notebook_in(page.content or "")
        except Exception as error:
            raise failure(error, lab) from None
        return run_of(notebook, lab)

    def end(self) -> None:
        """Put everything back as it was."""
        if self.kernel is not None:
            self.kernel.leave()
            self.kernel = None
