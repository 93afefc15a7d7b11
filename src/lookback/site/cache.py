"""What a page showed last time, kept until anything that could change it changes.

The key is made of the page's running pieces, the package's sources and checkpoints, and
the versions of Python and the libraries. Prose is not in it: editing a sentence runs
nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .run import Run
from .worker import Job

LIBRARIES = ("torch", "numpy", "matplotlib")
FORMAT = 1
"""Raised whenever what an entry holds, or how outputs are made, changes."""


def versions() -> dict[str, str]:
    """Python and the libraries that the numbers depend on."""
    found = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            found[library] = "absent"
    return found


def package_digest(package: Path) -> str:
    """A hash of every source, style and checkpoint in the package's folder."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        if path.is_file() and path.suffix in (".py", ".mplstyle", ".safetensors"):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


class Cache:
    """Entries in a folder, one per page; the newest key of a page replaces the last."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.folder = folder
        self.base = json.dumps([FORMAT, package_digest(package), versions()])

    def key(self, job: Job) -> str:
        pieces = [[p.kind, p.code, sorted(p.options.items())] for p in job.pieces]
        text = json.dumps([self.base, job.name, pieces])
        return hashlib.sha256(text.encode()).hexdigest()

    def _path(self, job: Job) -> Path:
        return self.folder / (job.name.replace("/", "--") + ".json")

    def read(self, job: Job) -> Run | None:
        """The run kept for this very job; None where there is none to be believed."""
        try:
            entry = json.loads(self._path(job).read_text(encoding="utf-8"))
            if entry["key"] != self.key(job) or entry["seal"] != _seal(entry["run"]):
                return None
            run = entry["run"]
            return Run(job.name, run["outputs"], run["seconds"], run["models"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, job: Job, run: Run) -> None:
        """Keep a run, all of it or nothing."""
        kept = {"outputs": run.outputs, "seconds": run.seconds, "models": run.models}
        entry = {"key": self.key(job), "seal": _seal(kept), "run": kept}
        write_atomically(self._path(job), json.dumps(entry).encode())


def _seal(run: Any) -> str:
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
