"""Record what a page depends on: files of the package, and installed distributions.

Python reports each `open` to an audit hook. What compiled code opens by itself is not
seen, so that the package reads its data through Python: `Path.read_bytes`, `open`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1]
WRITING = os.O_WRONLY | os.O_RDWR
CHAPTERS = re.compile(
    rb"^# chapters: start$.*?^# chapters: end$", re.DOTALL | re.MULTILINE
)

_paths: set[Path] = set()


def watch() -> None:
    """Record every file that this process opens to read, from now to its end."""
    sys.addaudithook(_note)


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _, flags = arguments
        if isinstance(path, str | bytes) and not flags & WRITING:
            _paths.add(Path(os.fsdecode(path)).absolute())


def opened(package: Path = PACKAGE, *, since: float) -> dict[str, str]:
    """Hash imported modules and opened files, named relative to the package's folder.

    A file that was looked for and is not there counts too: it may appear. One that
    changed after `since`, in seconds since 1970, may have been read before: it gets
    a hash that it never has.
    """
    modules = [getattr(module, "__file__", None) for module in [*sys.modules.values()]]
    found = digests(
        package,
        sorted(
            path.relative_to(package).as_posix()
            for path in _paths | {Path(file) for file in modules if file}
            if path.is_relative_to(package) and path.suffix != ".pyc"
        ),
    )
    edited = {n for n in found if found[n] and (package / n).stat().st_mtime > since}
    return found | dict.fromkeys(edited, "edited")


def digests(package: Path, names: Iterable[str]) -> dict[str, str]:
    """Hash files of the package as they are now; "" for one that is not there.

    The list of chapters, which `lookback register` writes into the package, is left
    out: a new chapter, or another title, changes no page that names neither.
    """
    found = dict.fromkeys(names, "")
    for name in found:
        if (path := package / name).is_file():
            content = CHAPTERS.sub(b"", path.read_bytes())
            found[name] = hashlib.sha256(content).hexdigest()
    return found


def times(folder: Path) -> dict[Path, int]:
    """Look up when each file was edited last, but those that Python compiles."""
    found = dict[Path, int]()
    for path in folder.rglob("*"):
        if path.suffix != ".pyc" and path.is_file():
            with suppress(FileNotFoundError):  # an editor's, and gone again
                found[path] = path.stat().st_mtime_ns
    return found


def imported() -> list[str]:
    """List the top-level modules of this process that are not Python's own."""
    names = {name.partition(".")[0] for name in [*sys.modules]}
    return sorted(names - sys.stdlib_module_names)


@cache
def _owners() -> Mapping[str, list[str]]:
    return packages_distributions()


def distributions(modules: Iterable[str]) -> dict[str, str]:
    """Look up the versions of Python and of what installed these top-level modules."""
    owners = {owner for name in modules for owner in _owners().get(name, ())}
    return versions(["python", *sorted(owners)])


def versions(names: Iterable[str]) -> dict[str, str]:
    """Look up versions of distributions, and of Python as "python"."""
    return {name: _version(name) for name in names}


@cache
def _version(distribution: str) -> str:
    if distribution == "python":
        return platform.python_version()
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "absent"
