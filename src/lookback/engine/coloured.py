"""Listings in colours: kept in the cache, and made beside the build where they lack.

To take hundreds of files of code apart, word by word, is a third of what a build does
after the chapters have run, and no page waits for another's listing. So a process of
its own makes what is missing while the build renders the chapters, and what it made is
kept until the file or Pygments changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

from .backmatter import listed
from .cache import FORMAT, write_atomically
from .run import process_context

FEW = 20
"""So many listings are made sooner than a process starts."""

Code = tuple[str, str]
"""The text of a file, and its suffix."""


class Coloured:
    """The listings of a build, in a folder of the cache."""

    def __init__(self) -> None:
        self.base = f"{FORMAT} {version('pygments')}"
        self.coming: dict[Path, Future[str]] = {}
        self.used: set[Path] = set()
        self.pool: ProcessPoolExecutor | None = None

    def begin(self, folder: Path, codes: Iterable[Code]) -> None:
        """Have what is missing in the folder made, in this order."""
        self.folder = folder
        self.used.clear()
        missing = {p: code for code in codes if not (p := self._path(code)).exists()}
        if len(missing) > FEW:
            self.pool = ProcessPoolExecutor(1, mp_context=process_context())
            for path, code in missing.items():
                self.coming[path] = self.pool.submit(listed, *code)

    def __getitem__(self, code: Code) -> str:
        path = self._path(code)
        self.used.add(path)
        if path.exists():
            return path.read_text(encoding="utf-8")
        coming = self.coming.pop(path, None)
        html = coming.result() if coming else listed(*code)
        write_atomically(path, html.encode())
        return html

    def end(self, *, whole: bool) -> None:
        """Stop the process. After a whole build, drop what it did not use."""
        if self.pool:
            self.pool.shutdown(cancel_futures=True)
            self.pool = None
        self.coming.clear()
        if whole and self.folder.is_dir():
            for path in {*self.folder.iterdir()} - self.used:
                path.unlink(missing_ok=True)

    def _path(self, code: Code) -> Path:
        text = "\0".join((self.base, *code))
        return self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.html"
