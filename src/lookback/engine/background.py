"""Run pages in a thread while `mkdocs serve` shows what there is. Imports no MkDocs.

Each build hands in its book and takes the runs that are valid; whatever lacks one goes
on running across builds. First come the pages that were edited, and the one that the
reader looks at. A build is asked for only when someone would see the difference: when
one of those pages has run, and when all have.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from .book import Book
from .opened import times
from .run import Pool, Run
from .worker import Job

State = dict[Path, int]
"""When each file of the package was edited last."""


@dataclass
class Background:
    """Hold what runs, what waits, and what has ended.

    build  asks for a build of the site;  say, complain  get lines for the terminal
    """

    build: Callable[[], None]
    say: Callable[[str], None]
    complain: Callable[[str], None]
    waiting: dict[str, Job] = field(default_factory=dict)
    looked_at: str = ""

    def __post_init__(self) -> None:
        self.changed = threading.Condition()  # held by whoever touches what follows
        self.thread: threading.Thread | None = None
        self.stopped = self.taking = False
        self.edited, self.news = set[str](), set[str]()
        self.sources: dict[str, tuple[Any, State]] = {}
        self.started: dict[str, tuple[Job, State]] = {}
        self.ended: dict[str, tuple[Job, State, Run]] = {}

    def set_book(self, book: Book, *, timeout: float = 0) -> None:
        """Give each page its valid run, else one that stands in; the latter wait.

        timeout  seconds that the edited page and the one looked at get to run before
        """
        with self.changed:
            self.book, self.state = book, times(book.package)
            jobs = {uri: book.job(uri) for uri in book.pages}
            runs = {uri: self._known(job) for uri, job in jobs.items() if job.pieces}
            self.total, late = len(runs), {*self.waiting}
            self.waiting = {jobs[u].name: jobs[u] for u, run in runs.items() if not run}
            hurry = self._edits(list(jobs.values())) | ({self.looked_at} - late)
            self.edited = (self.edited & late) | hurry
            if timeout and self.waiting:
                self.start()
                self.taking = True
                done = partial(hurry.isdisjoint, self.waiting)
                self.changed.wait_for(done, timeout=timeout)
                self.taking = False
            self.news.clear()
            for uri, job in jobs.items():
                run = runs.get(uri) or (self._known(job) if job.pieces else None)
                book.set_run(uri, run or Run(job.name, pending=bool(job.pieces)))

    def start(self) -> None:
        """Start the thread where pages wait and it does not run."""
        with self.changed:
            if self.waiting and not self.thread:
                self.thread = threading.Thread(target=self._work, daemon=True)
                self.thread.start()

    def stop(self) -> None:
        """Stop the pages that run."""
        with self.changed:
            self.stopped, thread = True, self.thread
        if thread:
            thread.join()

    def look_at(self, name: str) -> None:
        """Run the page that the reader looks at first; show it if it has just run."""
        with self.changed:
            self.looked_at = name
            if name in self.news:
                self.build()

    def _known(self, job: Job) -> Run | None:
        """Find the last run of a job, failed or not, until an edit; or a stored one."""
        was, state, run = self.ended.get(job.name, (job, None, None))
        moved = run and run.error and was.pieces != job.pieces  # so have its lines
        if run and was.key == job.key and state == self.state and not moved:
            return run
        run = self.book.stored.read(job) if self.book.stored else None
        if run:
            self.ended[job.name] = job, self.state, run
        return run

    def _edits(self, jobs: list[Job]) -> set[str]:
        """Find the pages whose blocks or modules were edited since the last build."""
        before, self.sources = self.sources, {}
        for job in jobs:
            stem = Path(job.name).stem
            own = {path: at for path, at in self.state.items() if path.stem == stem}
            self.sources[job.name] = job.key, own
        return {n for n in before if self.sources.get(n) != before[n]}

    def _urgent(self) -> set[str]:
        return {*self.waiting} & {*self.edited, self.looked_at}

    def _work(self) -> None:
        """Run what waits until nothing does; this is the thread."""
        pool = Pool(time_limit=self.book.time_limit)
        try:
            while self._fill(pool):
                for run in pool.ended():
                    self._end(run)
        finally:
            pool.stop()
            with self.changed:
                self.thread = None

    def _fill(self, pool: Pool) -> bool:
        """Start what may start, urgent pages first; False when there is no more."""
        with self.changed:
            if self.stopped:
                return False
            for name in self.edited & pool.active.keys() & self.waiting.keys():
                if self.started[name] != (self.waiting[name], self.state):
                    pool.stop(name)
            urgent = self._urgent()
            for name in sorted(self.waiting, key=lambda name: name not in urgent):
                if pool.has_room and name not in pool.active:
                    pool.start(self.waiting[name])
                    self.started[name] = self.waiting[name], self.state
            if not pool.active:
                self.thread = None
            return bool(pool.active)

    def _end(self, run: Run) -> None:
        """Keep a run, say so, and ask for a build where it would be seen."""
        with self.changed:
            job, state = self.started.pop(run.name)
            stored = None if run.error else self.book.stored
            if stored and (fault := stored.write(job, run)):
                self.say(fault)
            self.ended[run.name] = job, state, run
            wanted = self.waiting.get(run.name)
            if wanted is None or not self._known(wanted):
                return  # edited meanwhile: it runs again
            urgent = run.name in self._urgent()
            del self.waiting[run.name]
            self.news.add(run.name)
            done = f"{self.total - len(self.waiting)} of {self.total}: {run.name}"
            if run.error:
                self.complain(str(run.error))
                self.say(f"{done} failed, and runs again after an edit")
            else:
                self.say(f"{done} ran for {run.seconds:.1f} s")
            self.changed.notify_all()
            if not self.taking and (urgent or not self.waiting):
                self.build()
