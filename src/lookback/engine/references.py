"""Links to what a page numbers: `[](#map)` becomes "figure 2", and "(6)" a link.

Only equations are linked by themselves: "figure 2" may be a paper's, and "(6)" in prose
is the page's own equation wherever the page has one of that number.
"""

from __future__ import annotations

import html
import re

from .blocks import Page, Piece
from .errors import PageError
from .labels import Label, Labels

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)\b[^>]*>")
_NUMBER = re.compile(r"(?<![\w)\]])\((\d{1,3}[a-z]?['′’]?)\)")
_QUIET = ("a", "code", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "summary", "script")
_SENTENCE = re.compile(r"(?:^|\n[ ]*\n|[.!?]\s)[\s*]*$")


def link(label: Label, words: str = "", url: str = "") -> str:
    """A link to a label of this page, or of the page at `url`. Words are HTML."""
    target = html.escape(f"{url}#{label.id}")
    return f'<a class="lb-ref" href="{target}">{words or label.text}</a>'


def named(piece: Piece, page: Page, label: Label | None) -> str:
    """The words of `[words](#id)`: its own, or what the label is called.

    Raises PageError where there are none, or nothing that they could come from.
    """
    if words := piece.options["words"]:
        return words
    if label is None:
        raise PageError(
            page.name,
            piece.line,
            f"nothing numbered has the id `{piece.code}`: equations are #eq-6, others "
            "#figure-2, #table-1, #listing-1, #exercise-3, or as `#| id:` says",
        )
    if not label.text:
        raise PageError(
            page.name, piece.line, f"`{piece.code}` has no number: give the link words"
        )
    if _SENTENCE.search(page.text[: piece.start]):
        return label.text[0].upper() + label.text[1:]
    return label.text


def link_equations(markup: str, labels: Labels) -> str:
    """Make a link of each "(6)" that stands in running text and is an equation here."""
    if not any(label.kind == "equation" for label in labels.by_id.values()):
        return markup

    def linked(match: re.Match[str]) -> str:
        label = labels.tagged(match[1])
        return link(label) if label else match[0]

    quiet, result, position = 0, [], 0
    for match in _TAG.finditer(markup):
        text = markup[position : match.start()]
        result += [text if quiet else _NUMBER.sub(linked, text), match[0]]
        position = match.end()
        if match[2].lower() in _QUIET:
            quiet += -1 if match[1] else 1
    return "".join(result) + _NUMBER.sub(linked, markup[position:])
