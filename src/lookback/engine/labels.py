"""Number what a page can point at, equations, figures, tables, exercises; link them.

Numbers follow the order of the page; an equation's is its `\\tag`. An id that an author
gave, `#| id: map`, stays when a figure is put before it. `[](#map)` in a sentence
becomes "figure 2", a link; nothing is linked that no author links.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Literal

from .blocks import Page, Piece
from .errors import PageError

Kind = Literal["equation", "figure", "table", "listing", "exercise"]

_TAG = re.compile(r"\\tag\*?\{([^}]*)\}")
_SENTENCE = re.compile(r"(?:^|\n[ ]*\n|[.!?]\s)[\s*]*$")
_EXERCISE = re.compile(r"\s*(?:!!!|\?\?\?\+?)\s+exercise\s+\"Exercise\s+(\d+)")


@dataclass(frozen=True)
class Label:
    """Name a thing with an id; number is "" for an equation without a tag."""

    kind: Kind
    id: str
    number: str

    @property
    def text(self) -> str:
        """Name the label in a sentence: `(6)`, `figure 2`."""
        if self.kind == "equation":
            return f"({self.number})" if self.number else ""
        return f"{self.kind} {self.number}"


@dataclass
class Labels:
    """Hold the labels of a page, by the place where their piece begins and by id.

    keys  places of the pieces that are set larger: the key equation, the key figure
    """

    at: dict[int, Label] = field(default_factory=dict)
    by_id: dict[str, Label] = field(default_factory=dict)
    keys: set[int] = field(default_factory=set)


def labels(page: Page) -> Labels:
    """Number the things of a page. Raises PageError for an id that two of them have."""
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
    """Mark the displayed formula after each `<!-- key -->`."""
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


def link(label: Label, words: str = "", url: str = "") -> str:
    """Link to a label of this page, or of the page at `url`. Words are HTML."""
    target = html.escape(f"{url}#{label.id}")
    return f'<a class="lb-ref" href="{target}">{words or label.text}</a>'


def reference_words(piece: Piece, page: Page, label: Label | None) -> str:
    """Return the words of `[words](#id)`: its own, or the name of the label.

    Raises PageError where there are none, or nothing that they could come from.
    """
    if words := piece.options["words"]:
        return words
    if label is None or not label.text:
        raise PageError(page.name, piece.line, unnamed(piece.code, label))
    if _SENTENCE.search(page.text[: piece.start]):
        return label.text[0].upper() + label.text[1:]
    return label.text


def unnamed(target: str, label: Label | None) -> str:
    """Say why a link without words to `target` has none."""
    if label:
        return f"`{target}` has no number: give the link words"
    return (
        f"nothing numbered has the id `{target}`: equations are #eq-6, others "
        "#figure-2, #table-1, #listing-1, #exercise-3, or as `#| id:` says"
    )
