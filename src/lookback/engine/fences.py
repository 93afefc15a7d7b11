"""Finds the fences of a Markdown page, and which of its lines are prose.

Python-Markdown nests by indentation: what belongs to a list item, an admonition or a
tab stands four columns deeper. So a fence is looked for at the depth of the containers
that are open on its line, and nowhere else: a fence shown inside another fence, in an
indented code block, in a comment or in a quotation is not one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import PageError

_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)$")
_BOX = re.compile(r"(!!!|\?\?\?\+?|===[!+]*)[ \t]")
_ITEM = re.compile(r"([-*+]|\d+\.|:|\[\^[^\]]+\]:)(?:[ \t]+|$)")
_QUOTED_FENCE = re.compile(r">[ ]?(`{3,}|~{3,})")


@dataclass(frozen=True)
class Fence:
    """A fenced block: lines `first` (its opening) to `last` (its closing), 1-based."""

    first: int
    last: int
    indent: int
    mark: str
    info: str
    body: str


@dataclass(frozen=True)
class Lines:
    """A page taken apart.

    fences  in order
    prose   numbers of the lines whose sentences, formulas and citations count
    boxes   line number → columns of the admonitions and tabs around it
    """

    fences: tuple[Fence, ...]
    prose: frozenset[int]
    boxes: dict[int, int]


def read_lines(text: str, page: str) -> Lines:
    """Take a page apart; an unclosed or misplaced fence raises PageError."""
    return _Reader(text.split("\n"), page).read()


class _Reader:
    def __init__(self, lines: list[str], page: str) -> None:
        self.lines, self.page = lines, page
        self.open: list[tuple[int, bool]] = []  # column of the content, is it a box
        self.fences: list[Fence] = []
        self.prose: set[int] = set()
        self.boxes: dict[int, int] = {}

    def read(self) -> Lines:
        number, was_prose = self._front_matter(), False
        while number < len(self.lines):
            line = self.lines[number].expandtabs(4)
            if not line.strip():
                number, was_prose = number + 1, False
                continue
            indent = len(line) - len(line.lstrip())
            while self.open and indent < self.open[-1][0]:
                self.open.pop()
            base = self.open[-1][0] if self.open else 0
            self.boxes[number + 1] = sum(4 for _, box in self.open if box)
            if indent >= base + 4 and not was_prose:
                number += 1  # an indented code block: shown as it is
                continue
            was_prose = True
            number = self._line(number, line, indent, base)
        return Lines(tuple(self.fences), frozenset(self.prose), self.boxes)

    def _front_matter(self) -> int:
        if self.lines[0].rstrip() != "---":
            return 0
        for number, line in enumerate(self.lines[1:], start=1):
            if line.rstrip() in ("---", "..."):
                return number + 1
        raise PageError(self.page, 1, "the front matter has no closing `---`")

    def _line(self, number: int, line: str, indent: int, base: int) -> int:
        """Read one line, or the fence or comment that begins there: the next number."""
        rest = line.lstrip()
        if rest.startswith("<!--"):
            return self._skip_comment(number)
        if _QUOTED_FENCE.match(rest):
            return self._skip_quotation(number)
        if match := _FENCE.match(rest):
            return self._fence(number, indent, base, match)
        self.prose.add(number + 1)
        if _BOX.match(rest):
            self.open.append((indent + 4, True))
        elif match := _ITEM.match(rest):
            if _FENCE.match(rest[match.end() :]):
                raise PageError(
                    self.page, number + 1, "begin the fence on a line of its own"
                )
            self.open.append((indent + 4, False))
        return number + 1

    def _skip_comment(self, number: int) -> int:
        for last in range(number, len(self.lines)):
            self.prose.add(last + 1)
            if "-->" in self.lines[last]:
                return last + 1
        raise PageError(self.page, number + 1, "a comment `<!--` is never closed")

    def _skip_quotation(self, number: int) -> int:
        number += 1
        while number < len(self.lines) and self.lines[number].lstrip().startswith(">"):
            number += 1
            if _QUOTED_FENCE.match(self.lines[number - 1].lstrip()):
                break
        return number

    def _fence(self, number: int, indent: int, base: int, match: re.Match[str]) -> int:
        if indent != base:
            raise PageError(
                self.page,
                number + 1,
                f"a fence indented by {indent} columns belongs to no list, tab or box "
                f"here: indent it by {base}",
            )
        mark = match["mark"]
        last = self._closing(number, indent, mark)
        body = [self._dedent(n, indent) for n in range(number + 1, last)]
        info = match["info"].strip()
        fence = Fence(number + 1, last + 1, indent, mark, info, "\n".join(body))
        self.fences.append(fence)
        return last + 1

    def _closing(self, number: int, indent: int, mark: str) -> int:
        close = re.compile(
            rf"[ ]{{{indent}}}{re.escape(mark)}{re.escape(mark[0])}*\s*$"
        )
        for last in range(number + 1, len(self.lines)):
            if close.match(self.lines[last].expandtabs(4)):
                return last
        raise PageError(self.page, number + 1, f"this fence `{mark}` is never closed")

    def _dedent(self, number: int, indent: int) -> str:
        line = self.lines[number].expandtabs(4)
        if line[:indent].strip():
            raise PageError(
                self.page,
                number + 1,
                f"a line inside a fence stands left of it: indent it by {indent}",
            )
        return line[indent:]
