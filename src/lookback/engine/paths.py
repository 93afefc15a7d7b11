"""Find what to read before a chapter, how long a page takes, and the book's paths."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .blocks import Page
from .book import Book
from .errors import PageError, read_text

WORDS_A_MINUTE = 200
LINES_A_MINUTE = 3
MINUTES_A_LISTING = 2  # for each definition of the package that is shown
_WORDS = {"math": "x", "value": "x", "cite": "x x"}
"""What stands for a piece in a sentence, as many words."""
_FOLD = re.compile(r"^( *)\?\?\? .*\n(?:\1 {4}.*\n|\s*\n)*", re.MULTILINE)
_UNREAD = re.compile(r"\{[^{}\n]*\}|\]\([^)\n]*\)|<[^>\n]*>")


@dataclass(frozen=True)
class ReadingPath:
    """Hold a path through the book, as `extra: paths:` of mkdocs.yml names it.

    about  what a reader can do afterwards
    time   how long it takes; "" where its pages tell
    pages  its pages, in the order of the nav
    enough  page that it leaves out → what of it the path's chapters take for known
    """

    title: str
    about: str
    time: str
    pages: tuple[str, ...]
    enough: Mapping[str, str] = field(default_factory=dict)


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

    Raises PageError for pages that are not there, or in another order than the nav's,
    and for a chapter to read before that the path neither holds nor sums up.
    """
    before, found = needs(book, order), []

    def fault(name: str, what: str) -> PageError:
        file = book.root / "mkdocs.yml"
        text = read_text(file, file.name)
        return _fault(file.name, text, f"{name}:", f"the pages of path `{name}` {what}")

    for name, path in paths.items():
        pages = [f"{page}.md" for page in path.get("pages", ())]
        pages = pages or [*filter(book.about_papers, order)]
        if pages != [uri for uri in order if uri in pages]:
            raise fault(name, "are not some of the nav, in its order")
        enough = {f"{page}.md": str(t) for page, t in path.get("enough", {}).items()}
        missing = {n for uri in pages for n in before.get(uri, ())} - {*pages, *enough}
        if missing:
            left_out = ", ".join(need.removesuffix(".md") for need in sorted(missing))
            raise fault(name, f"need {left_out}: add it, or say under `enough:` what "
                              "of it is needed")  # fmt: skip
        title, about, time = (str(path.get(k, "")) for k in ("title", "about", "time"))
        found.append(ReadingPath(title, about, time, tuple(pages), enough))
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


def work(page: Page) -> int:
    """Count the minutes that a page takes with its open code and its questions.

    Three lines of a block that its author opened take a minute, a definition that a
    listing shows two, a question one. Boxes and folds are not counted. By fives.
    """
    spent = float(minutes(page))
    for piece in page.pieces:
        if piece.column:
            continue
        spent += sum(option in piece.options for option in ("predict", "quiz"))
        if piece.kind == "source":
            spent += MINUTES_A_LISTING * len(piece.options["names"].split(","))
        elif piece.options.get("open") == "true":
            lines = [line for line in piece.code.split("\n") if line.strip()]
            spent += len(lines) / LINES_A_MINUTE
    return 5 * math.ceil(spent / 5)


def duration(minutes: int) -> str:
    """Write minutes in words; hours are rounded to halves from 90 minutes on."""
    if minutes < 90:
        return f"{minutes} minutes"
    halves = round(minutes / 30)
    return f"{halves // 2}{'½' * (halves % 2)} hours"
