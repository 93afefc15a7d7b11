"""Run the blocks of pages, and labs, as tests: a plugin of pytest.

pytest-markdown-docs collects a page by the engine's own parser. Each block, each value
in a sentence and each `src=` is a test, and all blocks of a page share one process, as
in a build: so what the tests execute is a call of `check_piece` instead of the block,
and the first of them runs the page. A lab is one test.

Two things public hooks do not reach. pytest-markdown-docs collects the docstrings of
every module, which here show shapes and no programs: its collector is left out. It
shows a failure with an excerpt of the test: the page's own message takes its place.

Tests never read the cache; what ran whole is written to it, for the next build.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pytest_markdown_docs.plugin import MarkdownDocstringCodeModule

from . import labs
from .blocks import Page, Piece, parse
from .cache import Cache
from .errors import PageError
from .run import Run, run_pages
from .source import find_source
from .worker import Job

PACKAGE = Path(__file__).parents[1]
TESTED = ("code", "value", "source")


class BlockFailed(Exception):
    """A block failed; its message names the page, the line and the traceback."""


@dataclass(frozen=True)
class Fence:
    """A token as pytest-markdown-docs expects one of markdown-it."""

    content: str
    map: tuple[int, int]
    type: str = "fence"
    info: str = "python"


class Parser:
    """Parse a page into tokens, each of which calls for the check of one piece."""

    def parse(self, text: str) -> list[Fence]:
        lines = [piece.line for piece in _pieces(parse(text, "this page"))]
        return [Fence(f"check_piece({n})", (at - 1, at)) for n, at in enumerate(lines)]


@pytest.hookimpl(tryfirst=True)
def pytest_markdown_docs_markdown_it() -> Parser:
    """Give pytest-markdown-docs the engine's parser."""
    return Parser()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[Any], list[Any]]:
    """Collect labs as labs, and no docstrings."""
    found = yield
    if file_path.suffix == ".py" and file_path.parent.name == "labs":
        return [LabFile.from_parent(parent, path=file_path)]
    return [c for c in found if not isinstance(c, MarkdownDocstringCodeModule)]


class LabFile(pytest.File):
    """Collect a lab as one test."""

    def collect(self) -> Iterator[pytest.Item]:
        yield LabItem.from_parent(self, name="lab")


class LabItem(pytest.Item):
    """Run a lab as mkdocs-jupyter does."""

    def runtest(self) -> None:
        from mkdocs_jupyter.convert import nb2html

        root, page = _read(self.path)
        name = str(self.path)
        run = labs.run(page, lambda: nb2html(name, True, allow_errors=False))
        _store(root, Job(page.name, name, page.running), run)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """Show the lab's own message, which names its line."""
        if isinstance(excinfo.value, PageError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


ran: dict[Path, tuple[Page, Run]] = {}
tested: list[Path] = []  # the file of the test that runs: a fence does not know it


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note the file under test."""
    tested[:] = [item.path.resolve()]


def pytest_markdown_docs_globals() -> dict[str, Any]:
    """Supply what a fence calls: its page runs when its first block is asked for."""

    def check_piece(number: int) -> None:
        (path,) = tested
        if path not in ran:
            ran[path] = run_page(path)
        page, run = ran[path]
        check(_pieces(page)[number], page, run)

    return {"check_piece": check_piece}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report the page's own message in place of an excerpt of the test."""
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, BlockFailed):
        report.longrepr = str(call.excinfo.value)
    return report


def _pieces(page: Page) -> list[Piece]:
    return [piece for piece in page.pieces if piece.kind in TESTED]


def _read(path: Path) -> tuple[Path, Page]:
    """Read a page or a lab under the name that a build gives it."""
    root = next((p for p in path.parents if (p / "mkdocs.yml").is_file()), path.parent)
    read = labs.read if labs.is_lab(path.name) else parse
    name = path.relative_to(root).as_posix()
    return root, read(path.read_text(encoding="utf-8"), name)


def run_page(path: Path) -> tuple[Page, Run]:
    """Run a page without the cache; store a whole run for the next build."""
    root, page = _read(path)
    job = Job(page.name, str(path), page.running)
    run = next(iter(run_pages([job]))) if job.pieces else Run(page.name)
    _store(root, job, run)
    return page, run


def _store(root: Path, job: Job, run: Run) -> None:
    if run.error is None and job.pieces:
        Cache(root / ".cache" / "lookback", PACKAGE).write(job, run)


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
