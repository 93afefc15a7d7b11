"""Ids and numbers of what a page can point at: equations, figures, tables, exercises.

Numbers follow the order of the page; an equation's is its `\\tag`. An id that an author
gave, `#| id: map`, stays when a figure is put before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal

from .blocks import Page, Piece
from .errors import PageError

Kind = Literal["equation", "figure", "table", "listing", "exercise"]

_TAG = re.compile(r"\\tag\*?\{([^}]*)\}")
_EXERCISE = re.compile(r"\s*(?:!!!|\?\?\?\+?)\s+exercise\s+\"Exercise\s+(\d+)")


@dataclass(frozen=True)
class Label:
    """A thing with an id; number is "" for an equation without a tag."""

    kind: Kind
    id: str
    number: str

    @property
    def text(self) -> str:
        """How a sentence names it: `(6)`, `figure 2`."""
        if self.kind == "equation":
            return f"({self.number})" if self.number else ""
        return f"{self.kind} {self.number}"


@dataclass
class Labels:
    """The labels of a page, by the place where their piece begins and by id.

    keys  places of the pieces that are set larger: the key equation, the key figure
    """

    at: dict[int, Label] = field(default_factory=dict)
    by_id: dict[str, Label] = field(default_factory=dict)
    keys: set[int] = field(default_factory=set)

    def tagged(self, number: str) -> Label | None:
        """The equation with this tag; None where the page has none."""
        found = self.by_id.get(_equation_id(number))
        return found if found and found.kind == "equation" else None


def labels(page: Page) -> Labels:
    """Number a page. Raises PageError for an id that two things have."""
    found = Labels()
    counts: dict[str, int] = {}

    def count(kind: str) -> str:
        counts[kind] = counts.get(kind, 0) + 1
        return str(counts[kind])

    def add(label: Label, line: int, start: int | None = None) -> None:
        if label.id in found.by_id:
            raise PageError(
                page.name, line, f"two things have the id `{label.id}`: rename one"
            )
        found.by_id[label.id] = label
        if start is not None:
            found.at[start] = label

    for piece in page.pieces:
        kind = _kind(piece)
        if kind == "equation":
            add(_equation(piece, count), piece.line, piece.start)
        elif kind:
            number = count(kind)
            name = piece.options.get("id", f"{kind}-{number}")
            add(Label(kind, name, number), piece.line, piece.start)
        if piece.options.get("key") == "true":
            found.keys.add(piece.start)
    _mark_keys(page, found)
    text = page.text.split("\n")
    for line in sorted(page.lines.prose):
        if match := _EXERCISE.match(text[line - 1]):
            add(Label("exercise", f"exercise-{match[1]}", match[1]), line)
    return found


def _kind(piece: Piece) -> Kind | None:
    if piece.kind == "math" and "display" in piece.options:
        return "equation"
    if piece.kind == "source":
        return "listing"
    if piece.kind == "code" and "alt" in piece.options:
        return "figure"
    if piece.kind == "code" and "caption" in piece.options:
        return "table"
    if piece.kind == "comment" and piece.code.startswith("caption:"):
        return "table"
    return None


def _equation(piece: Piece, count: Callable[[str], str]) -> Label:
    tags = _TAG.findall(piece.code)
    if not tags:
        return Label("equation", f"eq-n{count('n')}", "")
    again = count(f"tag {tags[0]}")
    twice = "" if again == "1" else f"-{again}"
    return Label("equation", _equation_id(tags[0]) + twice, tags[0])


def _equation_id(tag: str) -> str:
    plain = re.sub(r"['′’]|\\prime", "-prime", tag)
    return "eq-" + re.sub(r"[^\w-]+", "-", plain).strip("-")


def _mark_keys(page: Page, found: Labels) -> None:
    """`<!-- key -->` marks the displayed formula after it."""
    for piece, after in zip_longest(page.pieces, page.pieces[1:]):
        if piece.kind == "comment" and piece.code == "key":
            if after is None or _kind(after) != "equation":
                raise PageError(
                    page.name,
                    piece.line,
                    "`<!-- key -->` belongs before a displayed formula; a figure has "
                    "`#| key: true`",
                )
            found.keys.add(after.start)
