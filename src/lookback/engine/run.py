"""Run pages, each in a clean process, several at a time.

Where the system can fork, one server process imports torch and matplotlib once and
forks a child per page (Python's own `forkserver`); elsewhere each page starts a
process.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
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

LIBRARIES = ("OMP_NUM", "MKL_NUM", "OPENBLAS_NUM", "VECLIB_MAXIMUM")
ONE_THREAD = {f"{library}_THREADS": "1" for library in LIBRARIES}
"""What torch and numpy read when they are first imported: the last ones win."""

ENVIRONMENT = {
    **ONE_THREAD,
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "svg",
    "PYTHONDONTWRITEBYTECODE": "1",  # `mkdocs serve` watches the package
}

JOIN_TIMEOUT = 5.0
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
) -> Generator[Run, None, None]:
    """Run pages in parallel and yield each as it ends, in the order they end.

    processes   pages at a time; the cores there are, if None
    time_limit  seconds a page may take
    """
    pool, waiting = Pool(processes, time_limit), deque(jobs)
    try:
        while waiting or pool.active:
            while waiting and pool.has_room:
                pool.start(waiting.popleft())
            yield from pool.ended()
    finally:
        pool.stop()


class Pool:
    """Run some pages at a time, each in a process of its own."""

    def __init__(self, processes: int | None = None, time_limit: float = 300.0) -> None:
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
        pages = [*self.active.values()]
        ready = {*wait([end for page in pages for end in page.ends], timeout=0.1)}
        for page in pages:
            if not ready.isdisjoint(page.ends):
                page.receive()
            page.check_time()
        runs = [page.run for page in pages if page.finished]
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
    resource_tracker.ensure_running()  # the first start would unblock SIGINT
    return context


@contextmanager
def environment() -> Iterator[None]:
    """Set the environment of the processes, and restore this one's afterwards.

    Ctrl-C waits until a process has started, and is this process's alone: the server
    would print a traceback while it imports.
    """
    before, masked = dict(os.environ), set[int]()
    os.environ.update(ENVIRONMENT)
    if hasattr(signal, "pthread_sigmask"):
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        for name in ENVIRONMENT:
            del os.environ[name]
        os.environ.update(before)
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)


class _Active:
    """Follow the process of one page."""

    def __init__(self, context: BaseContext, job: Job, time_limit: float) -> None:
        self.job, self.time_limit = job, time_limit
        self.connection, theirs = context.Pipe(duplex=False)
        self.process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=labs.main if labs.is_lab(job.name) else worker.main,
            args=(theirs, job),
        )
        with environment():
            self.process.start()
        theirs.close()
        self.ends = self.connection, self.process.sentinel
        self.began = math.inf  # the limit is the page's: starting Python is not
        self.run, self.finished = Run(job.name), False

    def receive(self) -> None:
        """Receive one message; a process that ends without its last one has crashed."""
        run = self.run
        try:
            if not self.connection.poll():  # a child of the process holds its end
                raise EOFError
            message = self.connection.recv()
        except EOFError:
            self.stop(JOIN_TIMEOUT)
            return self.fail(f"the process that ran this page {self._death()}")
        match message:
            case ("start",):
                self.began = time.monotonic()
            case "done", outputs:
                run.outputs.append(outputs)
            case "error", text, line:
                self.fail(text, line)
                self.stop(JOIN_TIMEOUT)
            case "end", models, files, modules:
                run.seconds = time.monotonic() - self.began
                run.models, run.files = models, files
                run.distributions = distributions(modules)
                self.finished = True
                self.stop(JOIN_TIMEOUT)

    def check_time(self) -> None:
        """Stop a page that takes too long."""
        if not self.finished and time.monotonic() - self.began > self.time_limit:
            self.stop()
            self.fail(
                f"the page took longer than {self.time_limit:g} s and was stopped "
                "here: make it do less, or raise `time_limit` of the lookback plugin, "
                "`--time-limit` of the command"
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

    def stop(self, timeout: float = 0) -> None:
        """Join the process; kill it if it does not end in `timeout` seconds.

        What it started and left behind, its process group, ends in any case.
        """
        self.process.join(timeout)
        self.process.kill()
        if self.process.pid and hasattr(os, "killpg"):
            with suppress(OSError):  # it has ended
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.join()

    def _death(self) -> str:
        code = self.process.exitcode or 0
        if code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        return f"ended in this block with exit status {code}"
