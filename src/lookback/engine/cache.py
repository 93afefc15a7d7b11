"""What a page showed last time, stored until anything that could change it changes.

The key is made of the page's running pieces and the versions of Python and the
libraries. An entry also names the files of the package that the page read, modules,
weights and results, and is valid only while they are what they were: to edit one of
them runs the chapters that read it, and no other. Prose is in none of this: editing a
sentence runs nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .run import Run
from .worker import Job

LIBRARIES = ("torch", "numpy", "matplotlib")
FORMAT = 4
"""Raised whenever what an entry holds, or how outputs are made, changes."""


@cache
def versions() -> dict[str, str]:
    """Python and the libraries that the numbers depend on."""
    found = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            found[library] = "absent"
    return found


class Cache:
    """Entries in a folder, one per page; the newest key of a page replaces the last."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.folder, self.package = folder, package
        self.base = json.dumps([FORMAT, versions()])

    def key(self, job: Job) -> str:
        pieces = [[p.kind, p.code, sorted(p.options.items())] for p in job.pieces]
        text = json.dumps([self.base, job.name, pieces])
        return hashlib.sha256(text.encode()).hexdigest()

    def _digests(self, files: Iterable[str]) -> dict[str, str]:
        """What the package's files hold now; "" for one that is not there."""
        paths = {name: self.package / name for name in files}
        return {
            name: hashlib.sha256(path.read_bytes()).hexdigest()
            if path.is_file()
            else ""
            for name, path in paths.items()
        }

    def _edited_since(self, run: Run) -> bool:
        """Has a file changed since the run began? Then it may have read the old one."""
        paths = (self.package / name for name in run.files)
        times = (path.stat().st_mtime for path in paths if path.is_file())
        return 0 < run.began < max(times, default=0)

    def _path(self, job: Job) -> Path:
        return self.folder / (job.name.replace("/", "--") + ".json")

    def read(self, job: Job) -> Run | None:
        """The stored run of this very job; None where none is valid."""
        try:
            entry = json.loads(self._path(job).read_text(encoding="utf-8"))
            run = entry["run"]
            whole = entry["checksum"] == _checksum(run)
            if not whole or entry["key"] != self.key(job):
                return None
            if self._digests(run["files"]) != run["files"]:
                return None
            return Run(job.name, **(run | {"files": list(run["files"])}))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, job: Job, run: Run) -> None:
        """Keep a run, all of it or nothing; none whose files were edited meanwhile."""
        if self._edited_since(run):
            return
        stored = {
            "outputs": run.outputs,
            "seconds": run.seconds,
            "models": run.models,
            "files": self._digests(run.files),
        }
        entry = {"key": self.key(job), "checksum": _checksum(stored), "run": stored}
        write_atomically(self._path(job), json.dumps(entry).encode())


def _checksum(run: Any) -> str:
    return hashlib.sha256(json.dumps(run, sort_keys=True).encode()).hexdigest()


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that nobody ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
