"""Labs: notebooks in percent format, which are pages of the book.

A lab is read as a page with the same lines, so that every fault is told with the lab's
own line. From there on it is run and rendered as a chapter is, and looks like one.
"""

from __future__ import annotations

import json
import re

from .blocks import Page, parse
from .errors import PageError

BOXES = ("exercise", "mistakes", "differs", "solution")

_MARKER = re.compile(r"# %%(?P<rest>.*)$")
_TAGS = re.compile(r"tags=(\[[^\]]*\])")
_TITLE = re.compile(r"\*\*(.+?)\*\*[ ]*")


def is_lab(uri: str) -> bool:
    """Is it a lab, and not a page of Markdown?"""
    return uri.endswith(".py")


def read(text: str, name: str) -> Page:
    """A lab as a page: cells of code as fences, Markdown without its `# `.

    A Markdown cell tagged exercise, mistakes, differs or solution becomes a box, whose
    title is the bold text it begins with; a solution stands in the box of the cell
    before it, and code cells tagged solution in the solution before them.
    Raises PageError at what jupytext would read otherwise or what cannot be shown.
    """
    page = parse("\n".join(_Reader(text, name).lines()), name)
    for piece in page.pieces:
        if piece.kind == "value":
            raise PageError(
                name, piece.line, "a lab computes in its cells: print the value in one"
            )
        if piece.kind == "code" and not _MARKER.match(_line(text, piece.line)):
            raise PageError(
                name,
                piece.line,
                "a fence in a Markdown cell is not run: make it a cell, or write "
                "```{.python notest} and say why",
            )
    return page


def _line(text: str, number: int) -> str:
    return text.split("\n")[number - 1]


class _Reader:
    """Writes, for each line of a lab, the line of the page that stands for it."""

    def __init__(self, text: str, name: str) -> None:
        self.source = [*text.replace("\r\n", "\n").rstrip("\n").split("\n"), ""]
        self.name = name
        self.out: list[str] = []
        self.inside = False  # does the solution stand inside the box before it?

    def lines(self) -> list[str]:
        starts = [n for n, line in enumerate(self.source) if _MARKER.match(line)]
        first = starts[0] if starts else len(self.source)
        self._markdown(0, first, "")
        box = ""
        for start, end in zip(starts, [*starts[1:], len(self.source)], strict=True):
            marker = _MARKER.match(self.source[start])
            assert marker is not None
            tag = self._tag(marker["rest"], start)
            if "[markdown]" in marker["rest"]:
                self._heading(start, tag, box)
                self._markdown(start + 1, end, self._indent(tag))
            else:
                self._code(start, end, tag, box)
            box = tag
        return self.out

    def _fault(self, line: int, message: str) -> PageError:
        return PageError(self.name, line + 1, message)

    def _tag(self, rest: str, line: int) -> str:
        match = _TAGS.search(rest)
        unknown = _TAGS.sub("", rest).replace("[markdown]", "").strip()
        if unknown:
            raise self._fault(line, f"a cell's mark has no `{unknown}` in the book")
        tags = json.loads(match[1]) if match else []
        if len(tags) > 1 or set(tags) - set(BOXES):
            raise self._fault(line, f"a cell has one tag of {', '.join(BOXES)}")
        return str(tags[0]) if tags else ""

    def _heading(self, start: int, tag: str, box: str) -> None:
        """In place of the mark: nothing, or the head of a box."""
        if not tag or (tag == box == "solution"):
            self.out.append("")
            return
        if tag == "solution":
            self.inside = bool(box)
            self.out.append(
                self._indent("box" if box else "") + '??? solution "Solution"'
            )
            return
        title = _TITLE.match(self.source[start + 1].removeprefix("# "))
        if title is None:
            raise self._fault(start + 1, "begin the cell of a box with its **title**")
        self.source[start + 1] = "# " + self.source[start + 1][2 + title.end() :]
        self.out.append(f'!!! {tag} "{title[1].rstrip(".")}"')

    def _indent(self, tag: str) -> str:
        """Where a cell stands: a solution is in the box of the cell before it."""
        if not tag:
            return ""
        return " " * (8 if tag == "solution" and self.inside else 4)

    def _markdown(self, start: int, end: int, indent: str) -> None:
        for number in range(start, end):
            line = self.source[number]
            if line.strip() and line != "#" and not line.startswith("# "):
                where = "before the first `# %%`" if not indent and not start else ""
                raise self._fault(
                    number, f"begin a line of prose with `# ` {where}".rstrip()
                )
            self.out.append((indent + line[2:]).rstrip())

    def _code(self, start: int, end: int, tag: str, box: str) -> None:
        if tag and (tag, box) != ("solution", "solution"):
            raise self._fault(
                start, "a code cell's tag is solution, after a Markdown cell's"
            )
        body = self.source[start + 1 : end]
        while body and not body[-1].strip():
            body.pop()
        if start + 1 + len(body) == end:
            raise self._fault(end, "leave a blank line before this cell")
        ticks = max(map(len, re.findall("`+", "\n".join(body))), default=0)
        mark = "`" * max(3, ticks + 1)
        fenced = [f"{mark}python", *body, mark]
        indent = self._indent(tag)
        self.out += [(indent + line).rstrip() for line in fenced]
        self.out += [""] * (end - start - len(fenced))
