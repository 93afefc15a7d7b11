"""Parse a Markdown page into the pieces that run, show, typeset and cite.

`parse(text, name)` returns the page as pieces of its text, each with its kind. The
text between the pieces is plain Markdown and stays as it is.

Python-Markdown nests by indentation: what belongs to a list item, an admonition
stands four columns deeper. So a fence is looked for at the depth of the containers
that are open on its line, and nowhere else: a fence shown inside another fence, in an
indented code block, in a comment or in a quotation is not one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Literal

from .errors import PageError

Kind = Literal[
    "code", "value", "source", "shown", "math", "cite", "ref", "comment", "front"
]
OPTIONS = ("alt", "answer", "caption", "id", "key", "open", "predict", "quiz")
SWITCHES = ("key", "open")

_PYTHON = re.compile(r"\{?[ ]*\.?(python3?|py)(?![\w-])", re.IGNORECASE)
_SOURCE = re.compile(
    r'\{\.python src="(?P<module>[\w.]+):(?P<names>\w[\w.]*(?:, ?\w[\w.]*)*)"\}'
)
_INLINE = re.compile(
    r"""
    (?P<comment> <!--.*?--> )
  | (?P<escape>  \\[\\`$\[{] )
  | (?P<span>    (?P<tick>`+)(?!`) (?:(?!\n\s*\n).)+? (?<!`)(?P=tick)(?!`) )
  | (?P<display> \$\$(?P<display_tex>.+?)\$\$ )
  | (?P<math>    \$(?!\s)(?P<tex>(?:\\.|[^$\\])+?)(?<!\s)\$(?!\d) )
  | (?P<value>   \{\{ (?P<rest>[^\n]*) )
  | (?P<ref>     (?<!!)\[(?P<words>[^\]\[`$\n]*)\]
                 \((?P<target>[\w./-]*\#[\w-]+)\)(?![{]) )
  | (?P<cite>    \[(?P<keys>@[\w:-]+[^\]\[]*)\](?![(\[]) )
    """,
    re.VERBOSE | re.DOTALL,
)

_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)$")
_BOX = re.compile(r"(?:!!!|\?\?\?\+?)[ \t]+([\w -]*)(?:\"([^\"]*)\")?")
_ITEM = re.compile(r"([-*+]|\d+\.|:)(?:[ \t]+|$)")
_NAMELESS = re.compile(r"#{1,6} (?!.*\{[^}]*#[\w-]+[^}]*\})")
_FRONT = re.compile(r"---\n(.*?)^(?:---|\.\.\.)[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_ID = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True)
class Fence:
    """Hold a fenced block: lines `first` (opening) to `last` (closing), 1-based."""

    first: int
    last: int
    indent: int
    info: str
    body: str


@dataclass
class Box:
    """Hold an admonition or a fold: its head on line `first`, the others to `last`."""

    first: int
    last: int
    kind: str
    title: str


class Lines:
    """Sort the lines of a page by what stands on them.

    fences  in order; an unclosed or misplaced one raises PageError
    prose   numbers of the lines whose sentences, formulas and citations count
    boxes   admonitions and folds, in order
    lines   with tabs as columns, but for those inside a fence or on a line with `{{`
    """

    def __init__(self, text: str, page: str, begin: int = 0) -> None:
        """Read the lines after the first `begin`, which are front matter."""
        self.page, self.written = page, text.split("\n")
        self.lines = [*self.written[:begin], *map(_expanded, self.written[begin:])]
        self.open: list[tuple[int, Box | None]] = []  # column of the content
        self.left = 0  # column of the one that lines indented by less have left
        self.fences: list[Fence] = []
        self.prose: set[int] = set()
        self.boxes: list[Box] = []
        self._read(begin)

    def column(self, line: int) -> int:
        """Return the columns of the boxes around a line."""
        return 4 * sum(box.first < line <= box.last for box in self.boxes)

    def _read(self, number: int) -> None:
        was_prose = False
        while number < len(self.lines):
            rest = self.lines[number].lstrip()
            if not rest:
                number, was_prose = number + 1, False
                continue
            indent = len(self.lines[number]) - len(rest)
            while self.open and indent < self.open[-1][0]:
                self.left, box = self.open.pop()
                if box:
                    box.last = number
            base = self.open[-1][0] if self.open else 0
            self.left = self.left if indent > base else 0
            if indent >= base + 4 and not was_prose:
                number += 1  # an indented code block: shown as it is
                continue
            was_prose = True
            if rest.startswith("<!--"):
                number = self._comment(number)
            elif match := _FENCE.match(rest):
                number = self._fence(number, indent, base, match)
            else:
                self._prose(number, indent, rest)
                number += 1

    def _fault(self, number: int, message: str) -> PageError:
        return PageError(self.page, number + 1, message)

    def _prose(self, number: int, indent: int, rest: str) -> None:
        """Note a line of prose, and the container that it opens."""
        self.prose.add(number + 1)
        if match := _BOX.match(rest):
            kind, title = match[1].strip(), match[2] or ""
            self.boxes.append(Box(number + 1, len(self.lines), kind, title))
            self.open.append((indent + 4, self.boxes[-1]))
        elif match := _ITEM.match(rest):
            if _FENCE.match(rest[match.end() :]):
                raise self._fault(number, "begin the fence on a line of its own")
            self.open.append((indent + 4, None))

    def _comment(self, number: int) -> int:
        """Read a comment, in which nothing is a fence; return the line after it."""
        for last in range(number, len(self.lines)):
            self.prose.add(last + 1)
            if "-->" in self.lines[last]:
                return last + 1
        raise self._fault(number, "a comment `<!--` is never closed")

    def _fence(self, number: int, indent: int, base: int, match: re.Match[str]) -> int:
        """Read a fence; return the number of the line after it."""
        if indent != base:
            raise self._fault(number, self._misplaced(indent, base))
        mark, body = match["mark"], list[str]()
        close = re.compile(rf"[ ]{{{indent}}}{mark}{mark[0]}*\s*$")
        for last in range(number + 1, len(self.lines)):
            line = self.lines[last]
            if close.match(line):
                info, text = match["info"].strip(), "\n".join(body)
                self.fences.append(Fence(number + 1, last + 1, indent, info, text))
                return last + 1
            if line[:indent].strip():
                message = "a line inside a fence stands left of it: indent it by"
                raise self._fault(last, f"{message} {indent}")
            body.append(_cut(self.written[last], indent))
            self.lines[last] = " " * indent + body[-1] if body[-1] else ""
        raise self._fault(number, f"this fence `{mark}` is never closed")

    def _misplaced(self, indent: int, base: int) -> str:
        """Say where a fence belongs that stands between the columns of containers."""
        fault = f"a fence indented by {indent} columns belongs to no list, tab or box "
        inside = f"{self.left} to stay in the one above, by " if self.left else ""
        end = f"{base} to follow it" if self.left else f"{base}"
        return f"{fault}here: indent it by {inside}{end}"


def _expanded(line: str) -> str:
    """Write a line with tabs as columns, as Python-Markdown does.

    On a line with a value only those that indent it: in a program a tab is a tab.
    """
    rest = line.lstrip(" \t") if "{{" in line else ""
    return line[: len(line) - len(rest)].expandtabs(4) + rest


def _cut(line: str, columns: int) -> str:
    """Cut columns of the indentation; of a tab that reaches over, spaces stay."""
    at = 0
    for number, char in enumerate(line):
        if at >= columns:
            return " " * (at - columns) + line[number:]
        at += 4 - at % 4 if char == "\t" else 1
    return " " * (at - columns)


@dataclass(frozen=True)
class Piece:
    """Hold a part of a page that is not plain Markdown, text[start:end].

    kind     code, value, source, shown (a fence of another language), math, cite,
             ref (a link to a place of a page), comment, front (matter)
    line     1-based line where it begins; for code, the line of the opening fence
    code     source, expression, TeX, keys, target or comment's words; of a `src=`
             block the line that imports what it shows
    first    1-based line of the first line of `code`
    column   columns that stand left of every line of `code` in the page
    options  those of a block, see OPTIONS; `display` of a formula; `words` of a link;
             `module` and `names` of a `src=` block
    """

    kind: Kind
    start: int
    end: int
    line: int
    code: str
    first: int = 0
    column: int = 0
    options: dict[str, str] = field(default_factory=dict)

    @property
    def runs(self) -> bool:
        return self.kind in ("code", "source", "value")


@dataclass(frozen=True, eq=False)
class Page:
    """Hold a parsed page: its name as authors know it, text, pieces in order."""

    name: str
    text: str
    pieces: tuple[Piece, ...]
    lines: Lines

    @property
    def running(self) -> tuple[Piece, ...]:
        """Return the pieces that run, in order."""
        return tuple(piece for piece in self.pieces if piece.runs)


def parse(text: str, name: str) -> Page:
    """Parse a page. Raises PageError, with its line, at what does not parse."""
    pieces, begin = [], 0
    if text.startswith("---\n"):
        front = _FRONT.match(text)
        if front is None:
            raise PageError(name, 1, "the front matter has no closing `---`")
        pieces.append(Piece("front", 0, front.end(), 1, front[1].expandtabs(4)))
        begin = text.count("\n", 0, front.end())
    lines = Lines(text, name, begin)
    text, starts = "\n".join(lines.lines), [0]
    for line in lines.lines:
        starts.append(starts[-1] + len(line) + 1)
    pieces += [_block(fence, starts, name) for fence in lines.fences]
    for first, last in runs(lines.prose):
        pieces += _inline(text, starts[first - 1], starts[last] - 1, name)
    return Page(name, text, tuple(sorted(pieces, key=lambda p: p.start)), lines)


def _block(fence: Fence, starts: list[int], name: str) -> Piece:
    def piece(kind: Kind, code: str, **details: Any) -> Piece:
        start, end = starts[fence.first - 1], starts[fence.last] - 1
        return Piece(
            kind, start, end, fence.first, code, column=fence.indent, **details
        )

    if not _PYTHON.match(fence.info):
        return piece("shown", fence.body)
    source = _SOURCE.fullmatch(fence.info)
    if fence.info != "python" and not source:
        fault = f"`{fence.info}` begins no block: write ```python, which runs, or "
        fault += '```{.python src="module:name, Name.method"}, or ```text'
        raise PageError(name, fence.first, fault)
    options, skipped = read_options(fence, name)
    code, first = "\n".join(fence.body.split("\n")[skipped:]), fence.first + 1 + skipped
    if not source:
        return piece("code", code, first=first, options=options)
    if code.strip():
        fault = "a `src=` block shows the source: leave it empty"
        raise PageError(name, fence.first, fault)
    module, names = source["module"], re.split(", ?", source["names"])
    tops = dict.fromkeys(one.partition(".")[0] for one in names)
    code = f"from {module} import {', '.join(tops)}"
    options |= {"module": module, "names": ", ".join(names)}
    return piece("source", code, first=fence.first, options=options)


def runs(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Group line numbers into runs of consecutive lines, as (first, last).

    So a stray mark cannot reach over a blank line into the next paragraph.
    """
    found: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def _inline(text: str, position: int, stop: int, name: str) -> list[Piece]:
    """Find formulas, values, citations and comments in a run of prose."""
    pieces = []
    while match := _INLINE.search(text, position, stop):
        line = text.count("\n", 0, match.start()) + 1
        column = match.start() - (text.rfind("\n", 0, match.start()) + 1)
        position = match.end()
        if piece := _piece(match, line, column, name):
            position = piece.end
            pieces.append(piece)
            heading = _NAMELESS.match(text, match.start() - column)
            if piece.kind == "math" and heading:
                fault = "a heading with a formula needs a name: add { #id }"
                raise PageError(name, line, fault)
    return pieces


def _piece(match: re.Match[str], line: int, column: int, name: str) -> Piece | None:
    start, end = match.span()
    if match["comment"]:
        return Piece("comment", start, end, line, match["comment"][4:-3].strip())
    if match["display"]:
        tex = match["display_tex"].strip()
        return Piece("math", start, end, line, tex, options={"display": "true"})
    if match["math"]:
        return Piece("math", start, end, line, match["tex"])
    if match["cite"]:
        return Piece("cite", start, end, line, match["keys"])
    if match["ref"]:
        words = {"words": match["words"]}
        return Piece("ref", start, end, line, match["target"], options=words)
    if match["value"]:
        return _value(match["rest"], start, line, column, name)
    return None


def _value(rest: str, start: int, line: int, column: int, name: str) -> Piece:
    """Parse the shortest `{{ … }}` that holds a Python expression."""
    fault = "it has no closing `}}` on its line"
    for close in re.finditer(r"\}\}", rest):
        source = rest[: close.start()]
        code = source.strip()
        try:
            ast.parse(code, mode="eval")
        except SyntaxError as error:
            fault = error.msg
            continue
        end, column = start + 2 + close.end(), column + 2 + source.index(code)
        return Piece("value", start, end, line, code, first=line, column=column)
    raise PageError(
        name, line, f"`{{{{{rest[:40]}` is not a value: {fault}. Write {{{{ expr }}}}"
    )


def read_options(fence: Fence, name: str) -> tuple[dict[str, str], int]:
    """Parse the `#| key: value` lines of a block: options, and how many lines.

    Raises PageError, with its line, at an option that no block has.
    """
    options: dict[str, str] = {}
    key = ""
    lines = [*takewhile(lambda line: line.startswith("#|"), fence.body.split("\n"))]
    for number, line in enumerate(lines, start=fence.first + 1):
        line = line.expandtabs(4)
        if key and line.startswith("#|   "):
            options[key] += " " + line[2:].strip()
            continue
        key, colon, value = (part.strip() for part in line[2:].partition(":"))
        if fault := _option_fault(line, key if colon else "", value):
            raise PageError(name, number, fault)
        options[key] = value
    if empty := [key for key, value in options.items() if not value]:
        raise PageError(name, fence.first, f"`#| {empty[0]}:` has no value")
    return options, len(lines)


def _option_fault(line: str, key: str, value: str) -> str:
    """Say what is wrong with an option; "" for nothing."""
    if key not in OPTIONS:
        return f"`{line}` is no option: a block knows {', '.join(OPTIONS)}"
    if key in SWITCHES and value not in ("true", "false"):
        return f"`{key}: {value}`: expected true or false"
    if key == "id" and not _ID.fullmatch(value):
        return f"`id: {value}`: expected lower-case letters, digits and `-`"
    return ""
