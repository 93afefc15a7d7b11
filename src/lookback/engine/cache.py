"""Store what a page showed until anything that could change it changes.

The key is made of the page's running pieces and the version of Python. An entry also
holds the files of the package that the page read, modules, weights and results, and
the distributions that it imported, and is valid only while files and versions are what
they were: an edit runs the chapters that read the file, and no other. Prose is in none
of this: editing a sentence runs nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .opened import version_of
from .run import Run
from .worker import Job

FORMAT = 8
"""Raised whenever what an entry holds, or how outputs are made, changes."""


class Cache:
    """Entries in a folder, one per page; the newest key of a page replaces the last."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.folder, self.package = folder, package

    def key(self, job: Job) -> str:
        """Hash a page's name, its running pieces, FORMAT and Python's version."""
        pieces = [[p.kind, p.code, "alt" in p.options] for p in job.pieces]
        text = json.dumps([FORMAT, version_of("python"), job.name, pieces])
        return hashlib.sha256(text.encode()).hexdigest()

    def read(self, job: Job) -> Run | None:
        """Load the stored run of this very job; None where none is valid."""
        try:
            entry = json.loads(self._path(job).read_text(encoding="utf-8"))
            run = entry["run"]
            valid = (
                entry["checksum"] == _checksum(run)
                and entry["key"] == self.key(job)
                and self._digests(run["files"]) == run["files"]
                and _versions(run["distributions"]) == run["distributions"]
            )
            lists = {name: list(run[name]) for name in ("files", "distributions")}
            return Run(job.name, **(run | lists)) if valid else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, job: Job, run: Run) -> None:
        """Store a run, whole or not at all; none whose files were edited meanwhile."""
        if self._edited_since(run):
            return
        stored = {
            "outputs": run.outputs,
            "seconds": run.seconds,
            "models": run.models,
            "files": self._digests(run.files),
            "distributions": _versions(run.distributions),
        }
        entry = {"key": self.key(job), "checksum": _checksum(stored), "run": stored}
        write_atomically(self._path(job), json.dumps(entry).encode())

    def _digests(self, files: Iterable[str]) -> dict[str, str]:
        """Hash the package's files as they are now; "" for one that is not there."""
        paths = {name: self.package / name for name in files}
        return {
            name: hashlib.sha256(path.read_bytes()).hexdigest()
            if path.is_file()
            else ""
            for name, path in paths.items()
        }

    def _edited_since(self, run: Run) -> bool:
        """Tell whether a file changed after the run began, which may have read it."""
        paths = (self.package / name for name in run.files)
        times = (path.stat().st_mtime for path in paths if path.is_file())
        return 0 < run.began < max(times, default=0)

    def _path(self, job: Job) -> Path:
        return self.folder / (job.name.replace("/", "--") + ".json")


def _versions(distributions: Iterable[str]) -> dict[str, str]:
    return {name: version_of(name) for name in distributions}


def _checksum(run: Any) -> str:
    return hashlib.sha256(json.dumps(run, sort_keys=True).encode()).hexdigest()


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that no process ever reads half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
