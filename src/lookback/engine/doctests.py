"""Run pages and labs as tests: a plugin of pytest.

pytest-markdown-docs collects each page as one fence, by its hook for a parser; the
item's runner is ours, and runs the page as a build does, with the values in its
sentences, its figures and the options of its blocks. Docstrings are left out: in this
package they show shapes and no programs.

Tests never read the cache; what ran whole is written to it, for the next build.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it.token import Token
from pytest_markdown_docs.definitions import FenceTestDefinition
from pytest_markdown_docs.plugin import MarkdownDocstringCodeModule, MarkdownTextFile

from .book import one_page
from .errors import PageError, read_text
from .quiz import judged
from .run import run_pages

HANGS = 3600.0
"""Seconds after which a page is taken to hang: a busy machine may be long about it."""


class WholePage:
    """Parse a page as one fence, opened by its first line, which `Page` runs."""

    def parse(self, text: str) -> list[Token]:
        _, _, rest = text.partition("\n")
        lines = [0, text.count("\n")]
        return [Token("fence", "code", 0, info="python", content=rest, map=lines)]


@pytest.hookimpl(tryfirst=True)
def pytest_markdown_docs_markdown_it() -> WholePage:
    """Give pytest-markdown-docs that parser."""
    return WholePage()


class Page:
    """Run a page as a build does; fail with its own message."""

    def runtest(self, test: FenceTestDefinition, args: object, **_: object) -> None:
        book, uri = one_page(test.source_path, store=True)
        if not (job := book.job(uri)).pieces:
            return
        (run,) = run_pages([job], time_limit=HANGS)
        if run.error is None:
            book.store(uri, run)
        if error := judged(book.pages[uri], run).error:
            raise error

    def repr_failure(
        self,
        test: FenceTestDefinition,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: object = None,
    ) -> str:
        error = excinfo.value
        return str(error if isinstance(error, PageError) else excinfo.getrepr())


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[Any], list[Any]]:
    """Collect labs as pages, and no docstrings."""
    found = yield
    if file_path.suffix == ".md" or file_path.match("labs/*.py"):
        return [PageFile.from_parent(parent, path=file_path)]
    return [one for one in found if not isinstance(one, MarkdownDocstringCodeModule)]


class PageFile(MarkdownTextFile):
    """Collect a page; one that is not UTF-8 is one message."""

    def collect(self) -> Iterator[pytest.Item]:
        try:
            read_text(self.path, self.nodeid)
        except PageError as error:
            raise self.CollectError(str(error)) from None
        yield from super().collect()  # type: ignore[no-untyped-call]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: Any) -> None:
    """Give a page its runner."""
    if isinstance(item.parent, PageFile):
        item.runner = Page()
