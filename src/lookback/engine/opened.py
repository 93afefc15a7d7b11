"""The files of the package that a process reads: what a page depends on.

Python reports each `open` to an audit hook. What compiled code opens by itself is not
seen, so that the package reads its data through Python: `Path.read_bytes`, `open`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
WRITING = os.O_WRONLY | os.O_RDWR

_paths: set[Path] = set()


def watch() -> None:
    """Note from now on what this process opens to read. Nothing can undo it."""
    sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _, flags = arguments
        if isinstance(path, str | bytes) and not flags & WRITING:
            _paths.add(Path(os.fsdecode(path)).absolute())


def opened(package: Path = PACKAGE) -> list[str]:
    """Modules in use and files opened to read, relative to the package's folder.

    A file that was looked for and is not there counts too: it may appear.
    """
    modules = [getattr(module, "__file__", None) for module in [*sys.modules.values()]]
    return sorted(
        path.relative_to(package).as_posix()
        for path in _paths | {Path(file) for file in modules if file}
        if path.is_relative_to(package) and path.suffix != ".pyc"
    )
