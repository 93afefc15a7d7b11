"""The blocks of the pages as tests: the very same blocks, run the very same way.

A pytest plugin over pytest-markdown-docs. Its parser is the engine's; its runner runs a
page once, in the worker process that a build would use, and reports every block, every
value in a sentence and every `src=` as a test of its own. Tests never read the cache;
a page that ran whole is written to it, for the next build.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pytest_markdown_docs import definitions
from pytest_markdown_docs._runners import _Runner, register_runner

from .blocks import Page, Piece, parse
from .cache import Cache
from .errors import PageError
from .run import Run, run_pages
from .source import find_source
from .worker import Job

PACKAGE = Path(__file__).parents[1]
TESTED = ("code", "value", "source")


@dataclass(frozen=True)
class Fence:
    """A token as pytest-markdown-docs expects one of markdown-it."""

    content: str
    map: tuple[int, int]
    type: str = "fence"
    info: str = "python"


class Parser:
    """What `pytest_markdown_docs_markdown_it` returns: anything that can `parse`."""

    def parse(self, text: str) -> list[Fence]:
        pieces = [p for p in parse(text, "this page").pieces if p.kind in TESTED]
        return [Fence(piece.code, (piece.line - 1, piece.line)) for piece in pieces]


@pytest.hookimpl(tryfirst=True)
def pytest_markdown_docs_markdown_it() -> Parser:
    return Parser()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Labs are notebooks: nothing may import one in order to look for tests."""
    is_lab = collection_path.suffix == ".py" and collection_path.parent.name == "labs"
    return True if is_lab else None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[Any], list[Any]]:
    """Docstrings show shapes, not programs: only pages are collected for blocks."""
    found = yield
    return [c for c in found if type(c).__name__ != "MarkdownDocstringCodeModule"]


class BlockFailed(Exception):
    """A block failed; its message names the page, the line and the traceback."""


@register_runner(default=True)
class PageRunner(_Runner):
    """Runs a page when its first block is asked for, and remembers."""

    def __init__(self) -> None:
        self.ran: dict[Path, tuple[Page, Run]] = {}

    def runtest(
        self,
        test: definitions.FenceTestDefinition,
        args: dict[str, Any],
        *,
        asyncio_runner: Any = None,
    ) -> None:
        path = test.source_path.resolve()
        if path not in self.ran:
            self.ran[path] = run_page(path)
        page, run = self.ran[path]
        pieces = [piece for piece in page.pieces if piece.kind in TESTED]
        first = next(n for n, p in enumerate(pieces) if p.line == test.start_line)
        for piece in pieces[first:]:
            if piece.line == test.start_line and piece.code == test.source.strip("\n"):
                return check(piece, page, run)
        return check(pieces[first], page, run)

    def repr_failure(
        self,
        test: definitions.FenceTestDefinition,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: Any = None,
    ) -> str:
        if isinstance(excinfo.value, BlockFailed):
            return str(excinfo.value)
        return str(excinfo.getrepr(style="short"))


def run_page(path: Path) -> tuple[Page, Run]:
    """Run a page without the cache; a whole run is kept for the next build."""
    root = next((p for p in path.parents if (p / "mkdocs.yml").is_file()), path.parent)
    name = path.relative_to(root).as_posix()
    page = parse(path.read_text(encoding="utf-8"), name)
    job = Job(name, str(path), page.running)
    run = next(iter(run_pages([job]))) if job.pieces else Run(name)
    if run.error is None and job.pieces:
        Cache(root / ".cache" / "lookback", PACKAGE).write(job, run)
    return page, run


def check(piece: Piece, page: Page, run: Run) -> None:
    """Pass, fail with the page's own message, or skip what depended on a failure."""
    if piece.kind == "source":
        try:
            find_source(piece.code, PACKAGE)
        except ValueError as error:
            raise BlockFailed(
                str(PageError(page.name, piece.line, str(error)))
            ) from None
        return
    at = page.running.index(piece)
    if run.error is None or (run.failed is not None and at < run.failed):
        return
    if at == run.failed:
        raise BlockFailed(str(run.error))
    pytest.skip(f"depends on a block that failed: {run.error.page}:{run.error.line}")
