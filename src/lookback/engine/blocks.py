"""Parse a Markdown page into the pieces that run, show, typeset and cite.

`parse(text, name)` returns the page as pieces of its text, each with its kind. The
text between the pieces is plain Markdown and stays as it is.

Python-Markdown nests by indentation: what belongs to a list item, an admonition or a
tab stands four columns deeper. So a fence is looked for at the depth of the containers
that are open on its line, and nowhere else: a fence shown inside another fence, in an
indented code block, in a comment or in a quotation is not one.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Literal

from .errors import PageError

Kind = Literal[
    "code", "value", "source", "shown", "math", "cite", "ref", "comment", "front"
]
PYTHON = ("python", "py", "python3")
OPTIONS = ("alt", "caption", "id", "key", "open", "predict")
SWITCHES = ("key", "open")

_ATTRIBUTE = re.compile(r"""([\w.#-]+)=("[^"]*"|'[^']*'|\S+)|(\S+)""")
_INLINE = re.compile(
    r"""
    (?P<comment> <!--.*?--> )
  | (?P<escape>  \\[\\`$\[{] )
  | (?P<span>    (?P<tick>`+)(?!`) (?:(?!\n\s*\n).)+? (?<!`)(?P=tick)(?!`) )
  | (?P<display> \$\$(?P<display_tex>.+?)\$\$ )
  | (?P<math>    \$(?!\s)(?P<tex>(?:\\.|[^$\\])+?)(?<!\s)\$(?!\d) )
  | (?P<value>   \{\{ )
  | (?P<ref>     (?<!!)\[(?P<words>[^\]\[`$\n]*)\]
                 \((?P<target>[\w./-]*\#[\w-]+)\)(?![{]) )
  | (?P<cite>    \[(?P<keys>@[\w:-]+[^\]\[]*)\](?![(\[]) )
    """,
    re.VERBOSE | re.DOTALL,
)

_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)$")
_BOX = re.compile(r"(!!!|\?\?\?\+?|===[!+]*)[ \t]")
_ITEM = re.compile(r"([-*+]|\d+\.|:|\[\^[^\]]+\]:)(?:[ \t]+|$)")
_QUOTED_FENCE = re.compile(r">[ ]?(`{3,}|~{3,})")
_NAMELESS = re.compile(r"#{1,6} (?!.*\{[^}]*#[\w-]+[^}]*\})")
_OPTION = re.compile(r"#\|")
_ID = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True)
class Fence:
    """Hold a fenced block: lines `first` (opening) to `last` (closing), 1-based."""

    first: int
    last: int
    indent: int
    info: str
    body: str


@dataclass(frozen=True)
class Lines:
    """Sort the lines of a page by what stands on them.

    fences  in order
    prose   numbers of the lines whose sentences, formulas and citations count
    boxes   line number → columns of the admonitions and tabs around it
    """

    fences: tuple[Fence, ...]
    prose: frozenset[int]
    boxes: dict[int, int]


@dataclass(frozen=True)
class Piece:
    """Hold a part of a page that is not plain Markdown, text[start:end].

    kind     code, value, source, shown (a fence that is not run), math, cite, ref (a
             link to a place of a page), comment
    line     1-based line where it begins; for code, the line of the opening fence
    code     source, expression, `module:name`, TeX, keys, target or comment's words
    first    1-based line of the first line of `code`
    column   columns that stand left of every line of `code` in the page
    options  those of a block, see OPTIONS; `display` of a formula; `words` of a link
    header   title and highlighted lines of a code block, as its fence writes them
    """

    kind: Kind
    start: int
    end: int
    line: int
    code: str
    first: int = 0
    column: int = 0
    options: dict[str, str] = field(default_factory=dict)
    header: str = ""

    @property
    def runs(self) -> bool:
        return self.kind in ("code", "value")


@dataclass(frozen=True)
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
    text = text.replace("\r\n", "\n")
    lines = read_lines(text, name)
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    pieces = [_fence(fence, starts, name) for fence in lines.fences]
    pieces += _inline(text, starts, lines, name)
    if text.startswith("---\n"):
        end = re.search(r"^(---|\.\.\.)[ \t]*$\n?", text[4:], re.MULTILINE)
        assert end is not None  # read_lines has refused a page without
        pieces.append(Piece("front", 0, 4 + end.end(), 1, text[4 : 4 + end.start()]))
    return Page(name, text, tuple(sorted(pieces, key=lambda p: p.start)), lines)


def _fence(fence: Fence, starts: list[int], name: str) -> Piece:
    start, end = starts[fence.first - 1], starts[fence.last] - 1
    language, words, values = _info(fence.info)

    def piece(kind: Kind, code: str, **details: Any) -> Piece:
        return Piece(
            kind, start, end, fence.first, code, column=fence.indent, **details
        )

    if language not in PYTHON:
        return piece("shown", fence.body)
    if fault := _header_fault(fence, words, values):
        raise PageError(name, fence.first, fault)
    if "src" in values:
        return piece("source", values["src"])
    if "notest" in words:
        return piece("shown", fence.body, options={"python": "true"})
    options, skipped = read_options(fence, name)
    return piece(
        "code",
        "\n".join(fence.body.split("\n")[skipped:]),
        first=fence.first + 1 + skipped,
        options=options,
        header=" ".join(f'{key}="{value}"' for key, value in values.items()),
    )


def _info(info: str) -> tuple[str, set[str], dict[str, str]]:
    """Parse a fence's info string: language, bare words, key=value pairs."""
    braces = info.startswith("{") and info.endswith("}")
    words: list[str] = []
    values: dict[str, str] = {}
    for key, value, word in _ATTRIBUTE.findall(info[1:-1] if braces else info):
        if key:
            values[key] = value.strip("\"'")
        else:
            words.append(word)
    if not braces:
        return (words[0].lower() if words else ""), {f"={w}" for w in words[1:]}, values
    classes = [word[1:] for word in words if word.startswith(".")]
    bare = {word for word in words if not word.startswith((".", "#"))}
    return (classes[0].lower() if classes else ""), bare, values


def _header_fault(fence: Fence, words: set[str], values: dict[str, str]) -> str:
    """Say what is wrong with the words after `python`; "" for nothing."""
    if bare := [word[1:] for word in words if word.startswith("=")]:
        return (
            f"`{bare[0]}` after `python` breaks the fence: "
            f"write ```{{.python {bare[0]}}}"
        )
    known = {"src", "title", "hl_lines", "linenums"}
    if unknown := sorted((words - {"notest"}) | (values.keys() - known)):
        allowed = ", ".join(sorted(known))
        return f"a fence knows no `{unknown[0]}`: use notest, {allowed}"
    if "src" in values and fence.body.strip():
        return "a `src=` block shows the source: leave it empty"
    if "notest" in words and "#" not in fence.body:
        return "a `notest` block needs a comment that says why it is not run"
    return ""


def _inline(text: str, starts: list[int], lines: Lines, name: str) -> list[Piece]:
    """Find formulas, values, citations and comments in runs of prose lines."""
    pieces: list[Piece] = []
    for first, last in _runs(sorted(lines.prose)):
        position, stop = starts[first - 1], starts[last] - 1
        while match := _INLINE.search(text, position, stop):
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - starts[line - 1]
            piece = _piece(match, text, line, column, name)
            position = match.end() if piece is None else piece.end
            if piece is None:
                continue
            pieces.append(piece)
            heading = text[starts[line - 1] : starts[line] - 1]
            if piece.kind == "math" and _NAMELESS.match(heading):
                fault = "a heading with a formula needs a name: add { #id }"
                raise PageError(name, line, fault)
    return pieces


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Group line numbers into runs of consecutive lines.

    So a stray mark cannot reach over a blank line into the next paragraph.
    """
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _piece(
    match: re.Match[str], text: str, line: int, column: int, name: str
) -> Piece | None:
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
        return _value(text, start, line, column, name)
    return None


def _value(text: str, start: int, line: int, column: int, name: str) -> Piece:
    """Parse the shortest `{{ … }}` on this line that holds a Python expression."""
    stop = text.find("\n", start)
    rest = text[start + 2 : stop if stop >= 0 else len(text)]
    fault = "it has no closing `}}` on its line"
    for close in re.finditer(r"\}\}", rest):
        source = rest[: close.start()]
        try:
            ast.parse(source.strip(), mode="eval")
        except SyntaxError as error:
            fault = error.msg
            continue
        lead = 2 + len(source) - len(source.lstrip())
        return Piece(
            "value",
            start,
            start + 2 + close.end(),
            line,
            source.strip(),
            first=line,
            column=column + lead,
        )
    raise PageError(
        name, line, f"`{{{{{rest[:40]}` is not a value: {fault}. Write {{{{ expr }}}}"
    )


def read_options(fence: Fence, name: str) -> tuple[dict[str, str], int]:
    """Parse the `#| key: value` lines of a block: options, and how many lines.

    Raises PageError, with its line, at an option that no block has.
    """
    options: dict[str, str] = {}
    key, lines = "", list(takewhile(_OPTION.match, fence.body.split("\n")))
    for number, line in enumerate(lines, start=fence.first + 1):
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


def read_lines(text: str, page: str) -> Lines:
    """Find fences, prose and boxes; an unclosed or misplaced fence raises PageError."""
    return _Reader(text.split("\n"), page).read()


class _Reader:
    """Walk over the lines of a page, with the containers open on each."""

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
        """Read a line, or the fence or comment that begins there; return the next."""
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
        last = self._closing(number, indent, match["mark"])
        body = "\n".join(self._dedent(n, indent) for n in range(number + 1, last))
        info = match["info"].strip()
        self.fences.append(Fence(number + 1, last + 1, indent, info, body))
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
