"""Exercises have ids, and stand in the contents of their page under one entry."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mkdocs.structure.toc import AnchorLink

_BOX = re.compile(
    r'<(?P<tag>div|details) class="(?:admonition )?exercise"(?P<rest>[^>]*)>\s*'
    r'<(?:p class="admonition-title"|summary)>'
    r"(?P<title>Exercise (?P<number>\d+)\b.*?)</(?:p|summary)>",
    re.DOTALL,
)
_HEADING = re.compile(r'<h[2-6] id="([^"]+)"')


def with_ids(page: str) -> str:
    """The page's HTML, its boxes "Exercise 3: …" with the id `exercise-3`."""

    def named(match: re.Match[str]) -> str:
        head = f'<{match["tag"]} id="exercise-{match["number"]}"'
        return head + match[0][1 + len(match["tag"]) :]

    return _BOX.sub(named, page)


def enter(page: str, contents: Sequence[AnchorLink]) -> None:
    """Add the exercises to the contents of a page, after the heading before them.

    Where they have a heading of their own, it gets them as its children.
    """
    boxes = list(_BOX.finditer(page))
    if not boxes or not contents:
        return
    before = _HEADING.findall(page[: boxes[0].start()])
    (top, *_) = contents
    ids = [entry.id for entry in top.children]
    at = max((n for n, name in enumerate(ids) if name in before), default=-1)
    entries = [_entry(box, 3) for box in boxes]
    if at >= 0 and top.children[at].title.startswith("Exercise"):
        top.children[at].children += entries
        return
    group = AnchorLink("Exercises", entries[0].id, 2)
    group.children = entries
    top.children.insert(at + 1, group)


def _entry(box: re.Match[str], level: int) -> AnchorLink:
    title = re.sub(r"<(?!/?(?:m|code))[^>]+>", "", box["title"])
    number, name = box["number"], title.partition(":")[2].strip()
    words = f"{number}. {name}" if name else f"Exercise {number}"
    return AnchorLink(words, f"exercise-{number}", level)
