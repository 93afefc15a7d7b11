"""Number what a page can point at, equations, figures, tables, exercises; link them.

Numbers follow the order of the page; an equation's is its `\\tag`. An id that an author
gave, `#| id: map`, stays when a figure is put before it. `[](#map)` in a sentence
becomes "figure 2", a link; nothing is linked that no author links.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from .blocks import Page, Piece
from .errors import PageError

Kind = Literal["equation", "figure", "table", "listing", "exercise"]

_TAG = re.compile(r"\\tag\*?\{([^}]*)\}")
_SENTENCE = re.compile(r"(?:^|\n[ ]*\n|[.!?]\s)[\s*]*$")
_EXERCISE = re.compile(r"Exercise\s+(\d+)")


@dataclass(frozen=True)
class Label:
    """Name a thing with an id; number is "" for an equation without a tag.

    key  it is set larger: the key equation, the key figure
    """

    kind: Kind
    id: str
    number: str
    key: bool = False

    @property
    def text(self) -> str:
        """Name the label in a sentence: `(6)`, `figure 2`."""
        if self.kind == "equation":
            return f"({self.number})" if self.number else ""
        return f"{self.kind} {self.number}"

    @property
    def title(self) -> str:
        """Name the label before a caption: `Figure 2.`"""
        return f"{self.kind.capitalize()} {self.number}."


@dataclass
class Labels:
    """Hold the labels of a page, by the place where their piece begins and by id."""

    at: dict[int, Label] = field(default_factory=dict)
    by_id: dict[str, Label] = field(default_factory=dict)


def labels(page: Page) -> Labels:
    """Number the things of a page. Raises PageError for an id that two of them have."""
    found, counts = Labels(), Counter[str]()

    def add(label: Label, line: int) -> None:
        if label.id in found.by_id:
            fault = f"two things have the id `{label.id}`: rename one"
            raise PageError(page.name, line, fault)
        found.by_id[label.id] = label

    for before, piece in pairwise([None, *page.pieces, None]):
        kind = _kind(piece)
        key = before is not None and (before.kind, before.code) == ("comment", "key")
        if before and key and kind != "equation":
            fault = "`<!-- key -->` belongs before a displayed formula"
            raise PageError(
                page.name, before.line, f"{fault}; a figure has `#| key: true`"
            )
        if piece is None or kind is None:
            continue
        if kind == "equation":
            tag = "".join(_TAG.findall(piece.code)[:1])
            label = Label(kind, _equation_id(tag, counts), tag, key)
        else:
            counts[kind] += 1
            name = piece.options.get("id", f"{kind}-{counts[kind]}")
            key = piece.options.get("key") == "true"
            label = Label(kind, name, str(counts[kind]), key)
        add(label, piece.line)
        found.at[piece.start] = label
    for box in page.lines.boxes:
        if box.kind == "exercise" and (match := _EXERCISE.match(box.title)):
            add(Label("exercise", f"exercise-{match[1]}", match[1]), box.first)
    return found


def _kind(piece: Piece | None) -> Kind | None:
    if piece is None:
        return None
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


def _equation_id(tag: str, counts: Counter[str]) -> str:
    """Name an equation: `eq-6`, again `eq-6-2`; `eq-n1` where it has no tag."""
    plain = re.sub(r"['′’]|\\prime", "-prime", tag)
    name = "eq-" + re.sub(r"[^\w-]+", "-", plain).strip("-") if tag else "eq-n"
    counts[name] += 1
    if not tag:
        return f"{name}{counts[name]}"
    return name if counts[name] == 1 else f"{name}-{counts[name]}"


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
