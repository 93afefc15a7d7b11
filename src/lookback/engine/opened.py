"""Record what a page depends on: files of the package, and installed distributions.

Python reports each `open` to an audit hook. What compiled code opens by itself is not
seen, so that the package reads its data through Python: `Path.read_bytes`, `open`.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
WRITING = os.O_WRONLY | os.O_RDWR

_paths: set[Path] = set()


def watch() -> None:
    """Record every file that this process opens to read, from now to its end."""
    sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _, flags = arguments
        if isinstance(path, str | bytes) and not flags & WRITING:
            _paths.add(Path(os.fsdecode(path)).absolute())


def opened(package: Path = PACKAGE) -> list[str]:
    """List imported modules and opened files, relative to the package's folder.

    A file that was looked for and is not there counts too: it may appear.
    """
    modules = [getattr(module, "__file__", None) for module in [*sys.modules.values()]]
    return sorted(
        path.relative_to(package).as_posix()
        for path in _paths | {Path(file) for file in modules if file}
        if path.is_relative_to(package) and path.suffix != ".pyc"
    )


def imported() -> list[str]:
    """List the top-level modules of this process that are not Python's own."""
    names = {name.partition(".")[0] for name in [*sys.modules]}
    return sorted(names - sys.stdlib_module_names)


@cache
def _owners() -> Mapping[str, list[str]]:
    return packages_distributions()


def distributions(modules: Iterable[str]) -> list[str]:
    """List the installed distributions that hold these top-level modules."""
    return sorted({owner for name in modules for owner in _owners().get(name, ())})


@cache
def version_of(distribution: str) -> str:
    """Return a distribution's version, or "absent"; "python" is Python's own."""
    if distribution == "python":
        return platform.python_version()
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "absent"
