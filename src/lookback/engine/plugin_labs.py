"""Labs in a MkDocs build: run by mkdocs-jupyter, kept and rendered by the engine."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from . import blocks, labs
from .book import Book
from .cache import Cache
from .labkernel import LabKernel
from .labrun import failure, notebook_in, run_of
from .run import Run

PLUGIN = "mkdocs-jupyter"
READERS = ("engine/labkernel.py", "engine/labrun.py")  # they shape what a lab shows


class Labs:
    """The labs of one build; their kernel's settings are in place while it lasts."""

    def __init__(self) -> None:
        self.pages: dict[str, blocks.Page] = {}
        self.kernel: LabKernel | None = None

    def begin(self, book: Book, files: Files, config: MkDocsConfig) -> None:
        """Read the labs into the book; tell mkdocs-jupyter where and how to run."""
        self.pages.clear()
        if PLUGIN not in config.plugins:
            return
        self.book = book
        jupyter: Any = config.plugins[PLUGIN]
        jupyter.config["cache"] = False  # it forgets that a lab depends on the package
        self.kernel = LabKernel(book.package, book.time_limit)
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
        """What a lab's cells showed: as stored, or run now by mkdocs-jupyter.

        Raises PageError where a cell fails.
        """
        lab, job, book = self.pages[uri], self.book.job(uri), self.book
        cache = Cache(book.cache, book.package) if book.cache else None
        if cache and (stored := cache.read(job)):
            return stored
        began = time.time()
        try:
            jupyter()
            notebook = notebook_in(page.content or "")
        except Exception as error:
            raise failure(error, lab) from None
        run = run_of(notebook, lab)
        assert self.kernel is not None
        run.began, run.files = began, [*READERS, *self.kernel.opened()]
        if cache:
            cache.write(job, run)
        return run

    def end(self) -> None:
        """Put everything back as it was."""
        if self.kernel is not None:
            self.kernel.leave()
            self.kernel = None
