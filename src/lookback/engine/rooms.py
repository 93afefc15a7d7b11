"""Where the code of a chapter stands: the name is the path, in every room."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

ROOMS = {
    "Module": ("src/lookback/{}.py",),
    "Drawings": ("src/lookback/diagrams/{}.py",),
    "JavaScript": ("docs/live/{}.js",),
    "Recipe": ("src/lookback/recipes/{}.py",),
    "Study": ("src/lookback/studies/{}.py", "src/lookback/studies/{}_*.py"),
    "Tests": (
        "tests/test_{}.py",
        "tests/diagrams/test_{}.py",
        "tests/recipes/test_{}.py",
        "tests/studies/test_{}.py",
        "tests/studies/test_{}_*.py",
    ),
    "Benchmark": ("bench/{}.py",),
}


def rooms(root: Path, chapter: str) -> dict[str, list[Path]]:
    """Room → the files of a chapter, relative to the root; only rooms that hold some.

    A second study of `luong` is `luong_what.py`.
    """
    found = {}
    for room, patterns in ROOMS.items():
        paths = [p for one in patterns for p in sorted(root.glob(one.format(chapter)))]
        if paths:
            found[room] = [path.relative_to(root) for path in paths]
    return found


def foot(found: dict[str, list[Path]], link: Callable[[Path], str]) -> str:
    """The foot of a chapter: links to its files, room by room; "" without any."""
    if not found:
        return ""
    rows = []
    for room, paths in found.items():
        links = ", ".join(
            f'<a href="{html.escape(link(path))}"><code>{path.as_posix()}</code></a>'
            for path in paths
        )
        rows.append(f"<div><dt>{room}</dt><dd>{links}</dd></div>")
    return (
        '<aside class="lb-stamp lb-rooms" aria-label="Where the code stands">'
        f"<dl>{''.join(rows)}</dl></aside>"
    )
