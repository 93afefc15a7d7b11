"""Link the first use of each glossary term on a page to its entry."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .blocks import Lines, runs

_ENTRY = re.compile(
    r"^(?P<names>\S[^\n{]*?) *\{[^}\n]*#(?P<id>[\w-]+)[^}\n]*\}\n+:", re.MULTILINE
)
_NO_PROSE = re.compile(r"\s*(#{1,6} |!!!|\?\?\?|<)")
_RULE = re.compile(r"[\s|]*:?-{3,}[-:|\s]*$")  # under the header of a table
_QUIET = r"""
    (?P<tick>`+).+?(?P=tick) | !?\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])
  | <[^>]+> | \{[^}]*\}
"""


def read_glossary(markdown: str) -> dict[str, str]:
    """Read terms and the ids of their entries from a Markdown definition list."""
    return {
        name.strip(): match["id"]
        for match in _ENTRY.finditer(markdown)
        for name in re.sub(r"[*`$]", "", match["names"]).split(" / ")
    }


def link_terms(markdown: str, terms: Mapping[str, str], page: str) -> str:
    """Make a Markdown link of each term's first use in a sentence.

    page  the Markdown link target of the glossary
    Headings, titles of boxes and tables, code and other links are left as they are.
    """
    ids = {form: terms[term] for term in terms for form in _forms(term)}
    if not ids:
        return markdown
    names = "|".join(map(re.escape, sorted(ids, key=len, reverse=True)))
    use = rf"{_QUIET} | (?<![\w-])(?P<term>{names})(?![\w-])"
    pattern = re.compile(use, re.DOTALL | re.VERBOSE)
    seen: set[str] = set()

    def linked(match: re.Match[str]) -> str:
        term = match["term"]
        if not term or ids[term] in seen:
            return match[0]
        seen.add(ids[term])
        return f"[{term}]({page}#{ids[term]}){{ .lb-term }}"

    lines = markdown.split("\n")

    def in_sentence(number: int) -> bool:
        header = number < len(lines) and _RULE.match(lines[number])
        return not header and not _NO_PROSE.match(lines[number - 1])

    for first, last in runs(filter(in_sentence, Lines(markdown, page).prose)):
        text = "\n".join(lines[first - 1 : last])
        lines[first - 1 : last] = pattern.sub(linked, text).split("\n")
    return "\n".join(lines)


def _forms(term: str) -> tuple[str, ...]:
    capital = term[0].upper() + term[1:]
    return term, term + "s", capital, capital + "s"
