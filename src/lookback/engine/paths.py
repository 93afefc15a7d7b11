"""Find what to read before a chapter, how long a page takes, and the book's paths."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .blocks import Page
from .book import Book
from .errors import PageError, read_text

WORDS_A_MINUTE = 200
_WORDS = {"math": "x", "value": "x", "cite": "x x"}
"""What stands for a piece in a sentence, as many words."""
_FOLD = re.compile(r"^( *)\?\?\? .*\n(?:\1 {4}.*\n|\s*\n)*", re.MULTILINE)
_UNREAD = re.compile(r"\{[^{}\n]*\}|\]\([^)\n]*\)|<[^>\n]*>")


@dataclass(frozen=True)
class ReadingPath:
    """Hold a path through the book, as `extra: paths:` of mkdocs.yml names it.

    about  what a reader can do afterwards
    time   how long it takes; "" where the words of its pages tell
    pages  its pages, in the order of the nav
    """

    title: str
    about: str
    time: str
    pages: tuple[str, ...]


def needs(book: Book, order: Sequence[str]) -> dict[str, list[str]]:
    """Read which pages come before each chapter, from `needs` of its front matter.

    order  the pages of the nav
    Raises PageError for a page that is not there, or not before.
    """
    found = {}
    for uri in filter(book.about_papers, order):
        names = book.front[uri].get("needs") or []
        found[uri] = [f"{name}.md" for name in names]
        for need in found[uri]:
            if need not in order[: order.index(uri)]:
                why = "comes later in the nav" if need in order else "is no page of it"
                raise _fault(book.pages[uri].name, book.pages[uri].text, "needs:",
                             f"needs: `{need.removesuffix('.md')}` {why}")  # fmt: skip
    return found


def reading_paths(
    book: Book, order: Sequence[str], paths: Mapping[str, Any]
) -> list[ReadingPath]:
    """Read the paths of mkdocs.yml; one without pages leads through all chapters.

    Raises PageError for pages that are not there, or in another order than the nav's.
    """
    found = []
    for name, path in paths.items():
        pages = [f"{page}.md" for page in path.get("pages", ())]
        pages = pages or [*filter(book.about_papers, order)]
        if pages != [uri for uri in order if uri in pages]:
            file = book.root / "mkdocs.yml"
            raise _fault(file.name, read_text(file, file.name), f"{name}:",
                         f"the pages of path `{name}` are not some of the nav, "
                         "in its order")  # fmt: skip
        title, about, time = (str(path.get(k, "")) for k in ("title", "about", "time"))
        found.append(ReadingPath(title, about, time, tuple(pages)))
    return found


def _fault(page: str, text: str, start: str, message: str) -> PageError:
    lines = [line.strip().startswith(start) for line in text.split("\n")]
    return PageError(page, lines.index(True) + 1 if any(lines) else 1, message)


def minutes(page: Page) -> int:
    """Count the minutes that the open words of a page take to read, at least 1.

    What is folded, code and figures are not counted; a formula in a sentence is a word.
    """
    text, end, parts = page.text, 0, list[str]()
    for piece in page.pieces:
        parts += [text[end : piece.start], _WORDS.get(piece.kind, "")]
        parts += [piece.options.get(n, "") for n in ("caption", "predict", "quiz")]
        end = piece.end
    prose = _FOLD.sub("", "".join([*parts, text[end:]]))
    words = sum(any(map(str.isalnum, word)) for word in _UNREAD.sub(" ", prose).split())
    return max(1, round(words / WORDS_A_MINUTE))


def duration(minutes: int) -> str:
    """Write minutes in words; hours are rounded to halves from 90 minutes on."""
    if minutes < 90:
        return f"{minutes} minutes"
    halves = round(minutes / 30)
    return f"{halves // 2}{'½' * (halves % 2)} hours"
