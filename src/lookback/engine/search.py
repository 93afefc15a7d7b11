"""What the search may find: words that were written for readers, by section.

Code, results, formulas and drawings stay out of the index: a reader who looks for
"label smoothing" wants the section that explains it, and no call that draws its curve.
Each term of a definition list with an id is a section of its own, so that the search
leads to the glossary's entry and not to the top of the glossary.
"""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
DROPPED_TAGS = {"svg", "math", "script", "style", "pre", "aside", "nav", "button"}
LARGE = re.compile(r"<(svg|math|pre)\b(?:(?!<\1\b).)*?</\1>", re.DOTALL)
"""The innermost of those that hold most of a page's tags, and nothing that is kept."""
DROPPED_CLASSES = {
    "highlight",
    "lb-output",
    "lb-source",
    "lb-head",
    "lb-eqno",
    "lb-timeline",
    "lb-fold",
    "footnote-backref",
    "footnote-ref",
}
KEPT = {"figcaption", "caption"}
"""Inside what is dropped, these are written for readers all the same."""
TERM = "h6"  # what the index takes a term with an id for
HEADINGS = {f"h{level}" for level in range(1, 7)}
KEYWORDS = "data-keywords"
"""A heading's attribute: terms that its section explains without naming them in it."""


class _Words(HTMLParser):
    """Copies what readers read; keeps track of how deep it is inside the rest."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.out: list[str] = []
        self.open: list[tuple[str, str, bool]] = []  # tag, its copy; may it be found?
        self.keywords: dict[str, str] = {}

    @property
    def kept(self) -> bool:
        return self.open[-1][2] if self.open else True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if found.get(KEYWORDS) and (tag in HEADINGS or tag == "dt"):
            self.keywords[found.get("id", "?")] = found[KEYWORDS]
        kept = self._keeps(tag, found)
        copy = TERM if tag == "dt" and "id" in found else tag
        if tag not in VOID:
            self.open.append((tag, copy, kept))
        if kept:
            text = self.get_starttag_text() or ""
            self.out.append(f"<{copy}{text[1 + len(tag) :]}")

    def _keeps(self, tag: str, found: dict[str, str]) -> bool:
        if tag in KEPT:
            return True
        dropped = DROPPED_CLASSES & set(found.get("class", "").split())
        hidden = "hidden" in found or found.get("aria-hidden") == "true"
        return self.kept and not (tag in DROPPED_TAGS or dropped or hidden)

    def handle_endtag(self, tag: str) -> None:
        if tag not in (name for name, _, _ in self.open):
            return
        while self.open:
            name, copy, kept = self.open.pop()
            if kept:
                self.out.append(f"</{copy}>")
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        """An asterisk is a wildcard to lunr, which fails when the index holds one."""
        if self.kept:
            self.out.append(data.replace("*", " "))

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")


def searchable(page: str) -> tuple[str, dict[str, str]]:
    """The page's HTML without what the search should not find; keywords by id."""
    words = _Words()
    words.feed(LARGE.sub("", page))
    words.close()
    return "".join(words.out), words.keywords


def add_keywords(
    entries: list[dict[str, object]], keywords: dict[str, dict[str, str]]
) -> None:
    """Write each section's keywords into its entry of the index.

    keywords  page's URL → id of a heading, "" for the page as a whole → its keywords,
              separated by commas
    Raises ValueError for keywords of a heading that has no entry.
    """
    by_place = {str(entry["location"]): entry for entry in entries}
    for url, found in keywords.items():
        for anchor, words in found.items():
            entry = by_place.get(f"{url}#{anchor}" if anchor else url)
            if entry is None:
                lacks = "id" if anchor == "?" else f"section in the index: #{anchor}"
                raise ValueError(
                    f"{url or 'index'}: a heading has {KEYWORDS} and no {lacks}. Give "
                    "them to a section with an id, and those of the whole page to "
                    "`keywords:` in its front matter"
                )
            terms = (html.unescape(word).strip() for word in words.split(","))
            entry["keywords"] = [term for term in terms if term]
