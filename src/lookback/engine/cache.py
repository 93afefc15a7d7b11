"""Store what a page showed until anything that could change it changes.

An entry holds the page's running pieces, the files of the package that the page read,
modules, weights and results, and the versions of Python and of the distributions that
it imported. It is valid only while all of them are what they were: an edit runs the
chapters that read the file, and no other. Prose is in none of this: editing a sentence
runs nothing.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .opened import digests, versions
from .run import Run
from .worker import Job


class Cache:
    """Entries in a folder, one per page; a page's newest run replaces the last."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.folder, self.package = folder, package

    def read(self, job: Job) -> Run | None:
        """Load the stored run of this very job; None where none is valid."""
        try:
            entry = json.loads(self._path(job).read_text(encoding="utf-8"))
            run = Run(**entry["run"])
            valid = (
                entry["pieces"] == _pieces(job)
                and digests(self.package, run.files) == run.files
                and versions(run.distributions) == run.distributions
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return run if valid else None

    def write(self, job: Job, run: Run) -> None:
        """Store a run, so that no process ever reads half of it."""
        path = self._path(job)
        new = path.with_suffix(f".{os.getpid()}")
        path.parent.mkdir(parents=True, exist_ok=True)
        entry = {"pieces": _pieces(job), "run": asdict(run)}
        new.write_text(json.dumps(entry), encoding="utf-8")
        new.replace(path)

    def _path(self, job: Job) -> Path:
        return self.folder / (job.name.replace("/", "--") + ".json")


def _pieces(job: Job) -> list[Any]:
    """List what the outputs depend on: the code, and whether a figure is expected."""
    return [[p.kind, p.code, "alt" in p.options] for p in job.pieces]
