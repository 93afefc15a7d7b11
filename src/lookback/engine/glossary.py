"""The glossary page feeds a tooltip to the first use of each term on other pages."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

_ENTRY = re.compile(
    r"^(?P<term>\S[^\n]*)\n(?:\n)?:[ \t]+(?P<text>.+(?:\n[ ]{2,}.+)*)", re.M
)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)\b[^>]*>")
_QUIET = ("h1", "h2", "h3", "h4", "h5", "h6", "a", "summary", "th", "figcaption")


def read_glossary(markdown: str) -> dict[str, str]:
    """Term → first sentence of its definition, from a Markdown definition list."""
    terms: dict[str, str] = {}
    for match in _ENTRY.finditer(markdown):
        text = _plain(" ".join(match["text"].split()))
        sentence = re.match(r".+?[.!?](?=\s+[A-Z(]|$)", text)
        for term in _plain(re.sub(r"\{[^}]*\}", "", match["term"])).split(" / "):
            terms[term.strip()] = sentence[0] if sentence else text
    return terms


def _plain(markdown: str) -> str:
    """Markdown's words without its marks: tooltips are text."""
    text = re.sub(r" ?\(\[@[^)]*\)| ?\[@[^\]]*\]", "", markdown)  # nowhere to follow it
    text = re.sub(r"\[([^\]]+)\](\([^)]*\)|\{[^}]*\})", r"\1", text)
    text = re.sub(r"\$([^$]+)\$", r"\1", text)
    return re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", text)


def abbreviations(terms: Mapping[str, str], text: str) -> str:
    """Definitions, for the Markdown extension `abbr`, of the terms a text uses."""
    lines = []
    for term, definition in terms.items():
        for form in _forms(term):
            whole = rf"(?<![\w-]){re.escape(form)}(?![\w-])"
            if form in text and re.search(whole, text):
                lines.append(f"*[{form}]: {definition}")
    return "\n\n" + "\n".join(lines) + "\n" if lines else ""


def _forms(term: str) -> list[str]:
    capital = term[0].upper() + term[1:]
    return list(dict.fromkeys([term, term + "s", capital, capital + "s"]))


def first_uses_only(page: str) -> str:
    """Keep the tooltip of a term's first use in running text; free all others."""
    seen: set[str] = set()
    quiet, result, position = 0, [], 0
    drop_next_end = False
    for match in _TAG.finditer(page):
        closing, tag = bool(match[1]), match[2].lower()
        if tag in _QUIET:
            quiet += -1 if closing else 1
        if tag != "abbr":
            continue
        if closing:
            drop = drop_next_end
        else:
            title = html.unescape(match[0])
            drop = drop_next_end = quiet > 0 or title in seen
            if not drop:
                seen.add(title)
        if drop:
            result.append(page[position : match.start()])
            position = match.end()
    return "".join(result) + page[position:]
