"""Run the blocks of pages, and labs, as tests: a plugin of pytest.

pytest-markdown-docs collects a page by the engine's own parser. Each block and each
value in a sentence is a test, and all blocks of a page share one process, as in a
build: so what the tests execute is a call of `check_piece` instead of the block, and
the first of them runs the page. A lab is one test.

Two things public hooks do not reach. pytest-markdown-docs collects the docstrings of
every module, which here show shapes and no programs: its collector is left out. It
shows a failure with an excerpt of the test: the page's own message takes its place.

Tests never read the cache; what ran whole is written to it, for the next build.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from markdown_it.token import Token
from pytest_markdown_docs.plugin import MarkdownDocstringCodeModule, MarkdownTextFile

from .blocks import parse
from .book import one_page
from .errors import PageError, read_text
from .quiz import judged
from .run import Run, run_pages


class Parser:
    """Parse a page into tokens, each of which calls for the check of one piece."""

    def parse(self, text: str) -> list[Token]:
        tokens = []
        page = parse(text.removeprefix("\ufeff"), "this page")
        for number, piece in enumerate(page.running):
            token = Token("fence", "code", 0, map=[piece.line - 1, piece.line])
            token.info = "python fixture:check_piece"
            token.content = f"check_piece({number})"
            tokens.append(token)
        return tokens


@pytest.hookimpl(tryfirst=True)
def pytest_markdown_docs_markdown_it() -> Parser:
    """Give pytest-markdown-docs the engine's parser."""
    return Parser()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[Any], list[Any]]:
    """Collect labs as labs, pages as pages, and no docstrings."""
    found = yield
    if file_path.suffix == ".py" and file_path.parent.name == "labs":
        return [LabFile.from_parent(parent, path=file_path)]
    if any(isinstance(one, MarkdownTextFile) for one in found):
        return [PageFile.from_parent(parent, path=file_path)]
    return [c for c in found if not isinstance(c, MarkdownDocstringCodeModule)]


class PageFile(MarkdownTextFile):
    """Collect what runs of a page; one that cannot be read is one message."""

    def collect(self) -> Iterator[pytest.Item]:
        try:
            parse(read_text(self.path, self.nodeid), self.nodeid)
        except PageError as error:
            raise self.CollectError(str(error)) from None
        yield from super().collect()  # type: ignore[no-untyped-call]


class LabFile(pytest.File):
    """Collect a lab as one test."""

    def collect(self) -> Iterator[pytest.Item]:
        yield LabItem.from_parent(self, name="lab")


class LabItem(pytest.Item):
    """Run a lab."""

    def runtest(self) -> None:
        if error := run_page(self.path).error:
            raise error


@pytest.fixture
def check_piece(request: pytest.FixtureRequest) -> Callable[[int], None]:
    """Return what a fence calls."""
    return partial(check, request.path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report the page's own message in place of an excerpt of the test."""
    report = yield
    error = call.excinfo.value if call.excinfo else None
    if isinstance(error, PageError) and not isinstance(item, pytest.Function):
        report.longrepr = str(error)
    return report


HANGS = 3600.0
"""Seconds after which a page is taken to hang: a busy machine may be long about it."""


@cache
def run_page(path: Path) -> Run:
    """Run a page without the cache; store a whole run."""
    book, uri = one_page(path, store=True)
    (run,) = run_pages([book.job(uri)], time_limit=HANGS)
    if run.error is None:
        book.store(uri, run)
    return judged(book.pages[uri], run)


def check(path: Path, number: int) -> None:
    """Pass, fail with the page's own message, or skip what depended on a failure."""
    run = run_page(path)
    if run.error is None or number < (run.failed or 0):
        return
    if number == run.failed:
        raise run.error
    pytest.skip(f"depends on a block that failed: {run.error.page}:{run.error.line}")
