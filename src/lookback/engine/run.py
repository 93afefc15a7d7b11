"""Run pages, each in a clean process, several at a time.

Where the system can fork, one server process imports torch and matplotlib once and
forks a child per page (Python's own `forkserver`); elsewhere each page starts a
process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess

from . import labs, worker
from .errors import PageError
from .opened import distributions
from .output import Output
from .worker import Job

PRELOAD = [
    "__main__",
    "numpy",
    "torch",
    "torch._dynamo",  # the first optimizer imports it: two seconds of each page
    "matplotlib.pyplot",
    "matplotlib.backends.backend_svg",
]
"""What the server process imports: never lookback itself, so that an edit is seen."""

ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "MPLBACKEND": "svg",
    "PYTHONDONTWRITEBYTECODE": "1",  # `mkdocs serve` watches the package
}

PATIENCE = 5.0
"""Seconds that a process may take to end after its last word."""


@dataclass
class Run:
    """Hold the result of running a page.

    outputs  what each running piece showed, in order
    seconds  from the first block to the last
    models   the provenance of the page's models
    files    hashes of the package's files that it read, by path in the package
    distributions  versions of Python and of the distributions that it imported
    error    why it failed; failed is the number of the piece
    pending  it has not run yet
    """

    name: str
    outputs: list[list[Output]] = field(default_factory=list)
    seconds: float = 0.0
    models: list[dict[str, str]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    distributions: dict[str, str] = field(default_factory=dict)
    error: PageError | None = None
    failed: int | None = None
    pending: bool = False


def run_pages(
    jobs: Iterable[Job],
    *,
    processes: int | None = None,
    time_limit: float = 300.0,
) -> Iterator[Run]:
    """Run pages in parallel and yield each as it ends, in the order they end.

    processes   pages at a time; the cores there are, if None
    time_limit  seconds a page may take
    """
    pool, waiting = Pool(processes=processes, time_limit=time_limit), deque(jobs)
    try:
        while waiting or pool.active:
            while waiting and pool.has_room:
                pool.start(waiting.popleft())
            yield from pool.ended()
    finally:
        pool.stop()


class Pool:
    """Run some pages at a time, each in a process of its own."""

    def __init__(
        self, *, processes: int | None = None, time_limit: float = 300.0
    ) -> None:
        self.context, self.time_limit = process_context(), time_limit
        self.many = processes or os.cpu_count() or 1
        self.active: dict[str, _Active] = {}

    @property
    def has_room(self) -> bool:
        return len(self.active) < self.many

    def start(self, job: Job) -> None:
        """Start a page's process."""
        self.active[job.name] = _Active(self.context, job, self.time_limit)

    def ended(self) -> list[Run]:
        """Follow the pages for a tenth of a second; return the runs that have ended."""
        pages = {page.connection: page for page in self.active.values()}
        for ready in wait(list(pages), timeout=0.1):
            pages[ready].receive()  # type: ignore[index]
        for page in pages.values():
            page.check_time()
        runs = [page.run for page in pages.values() if page.finished]
        for run in runs:
            del self.active[run.name]
        return runs

    def stop(self, *names: str) -> None:
        """Stop these pages; all, if none is named."""
        for name in names or [*self.active]:
            self.active.pop(name).stop()


def process_context() -> BaseContext:
    """Choose how processes start: forked by a server where possible, else spawned."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    return context


@contextmanager
def environment() -> Iterator[None]:
    """Set the environment of the processes, and restore this one's afterwards."""
    before = dict(os.environ)
    os.environ.update(ENVIRONMENT)
    try:
        yield
    finally:
        for name in ENVIRONMENT:
            del os.environ[name]
        os.environ.update(before)


class _Active:
    """Follow the process of one page."""

    def __init__(self, context: BaseContext, job: Job, time_limit: float) -> None:
        self.job, self.time_limit = job, time_limit
        self.connection, theirs = context.Pipe(duplex=False)
        self.process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=labs.main if job.lab else worker.main,
            args=(theirs, job),
            daemon=True,
        )
        with environment():
            self.process.start()
        theirs.close()
        self.began = time.monotonic()
        self.run, self.finished = Run(job.name), False

    def receive(self) -> None:
        """Receive one message; a stream that just ends is a crash."""
        run = self.run
        try:
            message = self.connection.recv()
        except EOFError:
            self.stop(PATIENCE)
            return self.fail(f"the process that ran this page {self._death()}")
        match message:
            case ("start",):  # the limit is the page's: starting Python is not
                self.began = time.monotonic()
            case "done", outputs:
                run.outputs.append(outputs)
            case "error", text, line:
                self.fail(text, line)
            case "end", models, files, modules:
                run.seconds = time.monotonic() - self.began
                run.models, run.files = models, files
                run.distributions = distributions(modules)
                self.finished = True
                self.stop(PATIENCE)

    def check_time(self) -> None:
        """Stop a page that takes too long."""
        if not self.finished and time.monotonic() - self.began > self.time_limit:
            self.stop()
            self.fail(
                f"the page took longer than {self.time_limit:g} s and was stopped "
                "here; make it do less, or raise `time_limit` of the lookback plugin"
            )

    def fail(self, message: str, line: int | None = None) -> None:
        """Fail the page at the first piece without outputs."""
        pieces = self.job.pieces
        at = min(len(self.run.outputs), len(pieces) - 1)
        if pieces[at].kind == "code":
            number = sum(piece.kind == "code" for piece in pieces[: at + 1])
            message = f"block {number}: {message}"
        self.run.error = PageError(self.job.name, line or pieces[at].line, message)
        self.run.failed, self.finished = at, True

    def stop(self, patience: float = 0) -> None:
        """Join the process; kill it if it does not end in `patience` seconds."""
        self.process.join(patience)
        if self.process.is_alive():
            self.process.kill()
        self.process.join()

    def _death(self) -> str:
        code = self.process.exitcode or 0
        if code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        return f"ended in this block with exit status {code}"
