"""Store what pages showed, several versions of each, until they are no longer used.

An entry holds the page's running pieces, the files of the package that the page read,
modules, weights and results, and the versions of Python and of the distributions that
it imported. It is valid only while all of them are what they were: an edit runs the
chapters that read the file, and no other; undoing it runs nothing, since the entry of
before is still there. Prose is in none of this: editing a sentence runs nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .opened import digests, versions
from .output import from_json
from .run import Run
from .worker import Job

FORMAT = 1
"""Raised when an entry is written in another way: those of before are not used."""
KEPT = 8
"""Entries of a page: those used last."""


class Cache:
    """Keep entries in a folder for each page: a line of key, and a line of run."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.folder, self.package, self.writable = folder, package, True

    def read(self, job: Job) -> Run | None:
        """Load a stored run of this very job; None where none is valid."""
        for path in self._entries(job):
            try:
                with path.open(encoding="utf-8") as file:
                    if self._difference(json.loads(file.readline()), job):
                        continue
                    run = Run(**json.loads(file.readline()))
                run.outputs = [[*map(from_json, some)] for some in run.outputs]  # type: ignore[arg-type]
            except (OSError, ValueError, TypeError):
                continue
            with suppress(OSError):  # read-only: entries are as old as they were
                os.utime(path)
            return run
        return None

    def write(self, job: Job, run: Run) -> str:
        """Store a run, so that no process ever reads half of it; drop the oldest.

        Where the folder cannot be written, store nothing from then on: the first time,
        return a sentence that says why, and else "".
        """
        if not self.writable:
            return ""
        key = json.dumps([FORMAT, job.key, run.files, run.distributions])
        name = hashlib.sha256(key.encode()).hexdigest()[:16]
        new = self._folder(job) / f"{name}.{os.getpid()}"
        try:
            new.parent.mkdir(parents=True, exist_ok=True)
            new.write_text(f"{key}\n{json.dumps(asdict(run))}\n", encoding="utf-8")
            new.replace(new.with_suffix(".json"))
            for old in self._entries(job)[KEPT:]:
                old.unlink(missing_ok=True)
        except OSError as error:
            self.writable = False
            with suppress(OSError):
                new.unlink()
            return f"{self.folder}: no run is stored from here on: {error.strerror}"
        return ""

    def why(self, job: Job) -> str:
        """Say why a page would run again: how it differs from the run used last."""
        differences = list[str]()
        for path in self._entries(job):
            with suppress(OSError, ValueError, TypeError), path.open("rb") as file:
                differences.append(self._difference(json.loads(file.readline()), job))
        return "" if "" in differences else [*differences, "no run of it is stored"][0]

    def _difference(self, key: Any, job: Job) -> str:
        """Name the first thing that is not what it was; "" where all is."""
        form, pieces, files, distributions = key
        if form != FORMAT:
            return "its run is stored in another form"
        if pieces != job.key:
            same = zip(pieces, job.key, strict=False)
            at = next(
                (n for n, (old, new) in enumerate(same) if old != new), len(pieces)
            )
            at = min(at, len(job.pieces) - 1)
            return f"line {job.pieces[at].line}: its blocks are not what they were"
        now = digests(self.package, files)
        if edited := [name for name in files if files[name] != now[name]]:
            done = "is gone" if not now[edited[0]] else "has been edited"
            return f"{self.package.name}/{edited[0]} {done}"
        for name, version in versions(distributions).items():
            if version != distributions[name]:
                return f"{name} was {distributions[name]} and is {version}"
        return ""

    def _entries(self, job: Job) -> list[Path]:
        """List the entries of a page, the one used last first."""
        used = dict[Path, int]()
        for path in self._folder(job).glob("*.json"):
            with suppress(FileNotFoundError):  # another process may drop it
                used[path] = path.stat().st_mtime_ns
        return sorted(used, key=used.__getitem__, reverse=True)

    def _folder(self, job: Job) -> Path:
        return self.folder / job.name.replace("/", "--")
