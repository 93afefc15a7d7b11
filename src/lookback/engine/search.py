"""Exclude code from the search; add keywords and the glossary's terms to its index.

Material's search skips elements with `data-search-exclude` and pairs elements by tag
name: the attribute stands on none that may hold another of its own tag. What it skips
it parses all the same: code and drawings, most of a page, are cut before. Formulas in
sentences become words: `d_k`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, fromstring

EXCLUDE = 'data-search-exclude="true"'
_CODE = re.compile(r"<(pre|svg)\b.*?</\1>|<math display.*?</math>", re.DOTALL)
_FORMULA = re.compile(r"<math.*?</math>", re.DOTALL)
_ENTITY = re.compile(r"&(?!(?:amp|gt|lt);)\w+;")  # that XML lacks
_SIGNS = {
    "msub": "{}_{}", "msup": "{}^{}", "msubsup": "{}_{}^{}", "munderover": "{}_{}^{} ",
    "mfrac": "{}/{}", "msqrt": "√{}",
}  # fmt: skip
_EXCLUDED = re.compile(
    r"<(?:details|p|span|a)(?= class=\"(?:lb-fold|lb-source|lb-eqno))"
    r"|<dl(?=>\s*<dt id=)"  # terms get entries of their own
)
_HEADING = re.compile(r"<(?:h[1-6]|dt)\b[^>]*\sdata-keywords=\"([^\"]*)\"[^>]*>")
_ID = re.compile(r"\sid=\"([^\"]*)\"")
_TERM = re.compile(r"<dt id=\"([^\"]+)\".*?>(.*?)</dt>\s*<dd>(.*?)</dd>", re.DOTALL)

Entry = dict[str, Any]


def without_code(page: str) -> str:
    """Cut code and drawings, write formulas as words; mark what else is excluded."""
    return _EXCLUDED.sub(rf"\g<0> {EXCLUDE}", _in_words(_CODE.sub("", page)))


def _in_words(page: str) -> str:
    """Write the formulas in a page's sentences as words."""

    def words(math: re.Match[str]) -> str:
        xml = _ENTITY.sub(lambda name: html.unescape(name[0]), math[0])
        return html.escape(_formula(fromstring(xml)))

    return _FORMULA.sub(words, page)


def _formula(element: Element) -> str:
    """Write an element of MathML as words: `d_k`, `√d_k`, `a/b`."""
    parts = [element.text or "", *map(_formula, element)]
    if sign := _SIGNS.get(element.tag):
        return sign.format(*parts[1:])
    text = "".join(parts).strip()
    return f" {text} " if element.tag == "mo" and text in "=+−<>≤≥≈∈∣→⋅" else text


def without_marks(page: str) -> str:
    """Remove the marks that tables of the engine carry."""
    return page.replace(f" {EXCLUDE}", "")


def complete(
    entries: list[Entry], pages: Mapping[str, tuple[str, Mapping[str, Any]]]
) -> None:
    """Add to the entries of Material's index the terms and keywords of pages.

    pages  URL → its HTML, and its front matter, where `keywords` are the whole page's
    Raises ValueError for keywords of a heading that has no entry.
    """
    for url, (page, meta) in pages.items():
        boost = {k: v for k, v in meta.get("search", {}).items() if k == "boost"}
        for anchor, term, text in _TERM.findall(page):
            words = {"title": _text(term), "text": _text(text)}
            entries.append({"location": f"{url}#{anchor}", **words, **boost})
    for entry in entries:
        for name in ("title", "text"):  # to lunr an asterisk is a wildcard
            entry[name] = entry[name].replace("*", " ")
    by_location = {entry["location"]: entry for entry in entries}
    for url, (page, meta) in pages.items():
        if meta.get("keywords"):
            by_location[url]["keywords"] = _split(str(meta["keywords"]))
        for heading in _HEADING.finditer(page):
            anchor = _ID.search(heading[0])
            section = by_location.get(f"{url}#{anchor[1]}") if anchor else None
            if section is None:
                raise ValueError(
                    f"{url or 'index'}: a heading has data-keywords and no entry in "
                    "the index. Give them to a section with an id, and those of the "
                    "whole page to `keywords:` in its front matter"
                )
            section["keywords"] = _split(html.unescape(heading[1]))


def _split(keywords: str) -> list[str]:
    return [word.strip() for word in keywords.split(",") if word.strip()]


def _text(markup: str) -> str:
    """Strip the tags; Material's entries are escaped HTML, too."""
    return " ".join(re.sub(r"<[^>]+>", "", _in_words(markup)).split())
