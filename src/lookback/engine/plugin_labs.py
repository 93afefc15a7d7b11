"""Labs in a MkDocs build: run by mkdocs-jupyter, kept and rendered by the engine."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
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
    """The labs of one build; their kernel's settings are in place while it lasts.

    They run one after another in a thread, while the chapters run in their processes.
    """

    def __init__(self) -> None:
        self.pages: dict[str, blocks.Page] = {}
        self.kernel: LabKernel | None = None

    def begin(self, book: Book, files: Files, config: MkDocsConfig) -> None:
        """Read the labs; tell mkdocs-jupyter where and how to run, and let it begin."""
        self.pages.clear()
        if PLUGIN not in config.plugins:
            return
        self.book = book
        jupyter: Any = config.plugins[PLUGIN]
        jupyter.config["cache"] = False  # it forgets that a lab depends on the package
        self.kernel = LabKernel(book.package, book.time_limit)
        self.kernel.enter()
        self.thread = ThreadPoolExecutor(1)
        self.runs: dict[str, Future[Run]] = {}
        for file in files:  # mkdocs-jupyter calls them pages only later
            uri = file.src_uri
            if uri.endswith(".py") and jupyter.should_include(file):
                text = Path(str(file.abs_src_path)).read_text(encoding="utf-8")
                self.pages[uri] = labs.read(text, book.name(uri))
                page = Page(None, file, config)
                file.page = None  # MkDocs makes the page that is shown itself
                jupyter.on_pre_page(page, config=config, files=files)
                self.runs[uri] = self.thread.submit(self._run, uri, page, config, files)

    def join(self) -> None:
        """Add the labs to the book, whose pages have run."""
        for uri, page in self.pages.items():
            self.book.pages[uri] = page
            self.book.runs[uri] = Run(page.name, [[] for _ in page.running])

    def run(self, uri: str) -> Run:
        """What a lab's cells showed; raises PageError where a cell fails."""
        return self.runs[uri].result()

    def _run(self, uri: str, page: Page, config: MkDocsConfig, files: Files) -> Run:
        """As stored, or run now by mkdocs-jupyter."""
        lab, book = self.pages[uri], self.book
        job = book.job_of(uri, lab)
        cache = Cache(book.cache, book.package) if book.cache else None
        if cache and (stored := cache.read(job)):
            return stored
        began = time.time()
        try:
            page.render(config, files)
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
        """Put everything back as it was, when the lab that runs has ended."""
        if self.kernel is not None:
            for run in self.runs.values():
                run.cancel()
            self.thread.submit(_close_loop)
            self.thread.shutdown()
            self.kernel.leave()
            self.kernel = None


def _close_loop() -> None:
    """Close the event loop of the thread, which ran its kernels and runs no more."""
    import_module("jupyter_core.utils").ensure_event_loop().close()
