"""The glossary page: the first use of a term on another page links to its entry."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass

_ENTRY = re.compile(
    r"^(?P<term>\S[^\n]*)\n(?:\n)?:[ \t]+(?P<text>.+(?:\n[ ]{2,}.+)*)", re.M
)
_ANCHOR = re.compile(r"\{[^}]*#([\w-]+)[^}]*\}")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)\b[^>]*>")
_TITLE = re.compile(r'title="([^"]*)"')
_QUIET = ("h1", "h2", "h3", "h4", "h5", "h6", "a", "summary", "th", "figcaption")


@dataclass(frozen=True)
class Term:
    """The first sentence of an entry, and its id; "" where it has none."""

    definition: str
    anchor: str = ""


def read_glossary(markdown: str) -> dict[str, Term]:
    """Term → its entry, from a Markdown definition list."""
    terms: dict[str, Term] = {}
    for match in _ENTRY.finditer(markdown):
        text = _plain(" ".join(match["text"].split()))
        sentence = re.match(r".+?[.!?](?=\s+[A-Z(]|$)", text)
        anchor = _ANCHOR.search(match["term"])
        entry = Term(sentence[0] if sentence else text, anchor[1] if anchor else "")
        for term in _plain(re.sub(r"\{[^}]*\}", "", match["term"])).split(" / "):
            terms[term.strip()] = entry
    return terms


def _plain(markdown: str) -> str:
    """Markdown's words without its marks: the title of an `abbr` is text."""
    text = re.sub(r" ?\(\[@[^)]*\)| ?\[@[^\]]*\]", "", markdown)  # nowhere to follow it
    text = re.sub(r"\[([^\]]+)\](\([^)]*\)|\{[^}]*\})", r"\1", text)
    text = re.sub(r"\$([^$]+)\$", r"\1", text)
    return re.sub(r"[*`]|(?<!\w)_|_(?!\w)", "", text)


def abbreviations(terms: Mapping[str, Term], text: str) -> str:
    """Definitions, for the Markdown extension `abbr`, of the terms a text uses."""
    lines = []
    for term, entry in terms.items():
        for form in _forms(term):
            whole = rf"(?<![\w-]){re.escape(form)}(?![\w-])"
            if form in text and re.search(whole, text):
                lines.append(f"*[{form}]: {entry.definition}")
    return "\n\n" + "\n".join(lines) + "\n" if lines else ""


def _forms(term: str) -> list[str]:
    capital = term[0].upper() + term[1:]
    return list(dict.fromkeys([term, term + "s", capital, capital + "s"]))


def linked(page: str, terms: Mapping[str, Term], url: str) -> str:
    """Make a link of each term's first use in running text; free all other uses.

    page  HTML in which `abbr` has marked all uses
    url   the glossary's, from this page
    """
    anchors = {entry.definition: entry.anchor for entry in terms.values()}
    seen: set[str] = set()
    quiet, result, position = 0, [], 0
    end = ""
    for match in _TAG.finditer(page):
        closing, tag = bool(match[1]), match[2].lower()
        if tag in _QUIET:
            quiet += -1 if closing else 1
        if tag != "abbr":
            continue
        result.append(page[position : match.start()])
        position = match.end()
        if closing:
            result.append(end)
            continue
        title = _TITLE.search(match[0])
        definition = title[1] if title else ""
        end = "" if quiet or definition in seen else "</a>"
        if end:
            seen.add(definition)
            anchor = anchors.get(html.unescape(definition), "")
            target = html.escape(f"{url}#{anchor}" if anchor else url)
            result.append(f'<a class="lb-term" href="{target}">')
    return "".join(result) + page[position:]
