"""What a page asks the engine to run, show, typeset and cite.

`parse(text, page)` returns the page as pieces of its text, each with what it means. The
text between the pieces is plain Markdown and stays as it is.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import Literal

from .errors import PageError
from .fences import Fence, Lines, read_lines
from .options import read_options

Kind = Literal[
    "code", "value", "source", "shown", "math", "cite", "ref", "comment", "front"
]
PYTHON = ("python", "py", "python3")

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


@dataclass(frozen=True)
class Piece:
    """A part of a page that means something, text[start:end].

    kind     code, value, source, shown (a fence that is not run), math, cite, ref (a
             link to a place of a page), comment
    line     1-based line where it begins; for code, the line of the opening fence
    code     source, expression, `module:name`, TeX, keys, target or comment's words
    first    1-based line of the first line of `code`
    column   columns that stand left of every line of `code` in the page
    options  those of a block, see `options`; `display` of a formula; `words` of a link
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
    name: str
    text: str
    pieces: tuple[Piece, ...]
    lines: Lines

    @property
    def running(self) -> tuple[Piece, ...]:
        """The pieces that run, in order."""
        return tuple(piece for piece in self.pieces if piece.runs)


def parse(text: str, name: str) -> Page:
    """Read a page; raise PageError, with its line, at what cannot be meant."""
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
    if language not in PYTHON:
        return Piece("shown", start, end, fence.first, fence.body)
    _refuse_unknown(fence, words, values, name)
    if "src" in values:
        if fence.body.strip():
            raise PageError(
                name, fence.first, "a `src=` block shows the source: leave it empty"
            )
        return Piece(
            "source", start, end, fence.first, values["src"], column=fence.indent
        )
    if "notest" in words:
        if "#" not in fence.body:
            raise PageError(
                name,
                fence.first,
                "a `notest` block needs a comment that says why it is not run",
            )
        return Piece(
            "shown",
            start,
            end,
            fence.first,
            fence.body,
            column=fence.indent,
            options={"python": "true"},
        )
    return _code(fence, values, start, end, name)


def _code(
    fence: Fence, values: dict[str, str], start: int, end: int, name: str
) -> Piece:
    options, skipped = read_options(fence, name)
    code = "\n".join(fence.body.split("\n")[skipped:])
    header = " ".join(f'{key}="{value}"' for key, value in values.items())
    return Piece(
        "code",
        start,
        end,
        fence.first,
        code,
        first=fence.first + 1 + skipped,
        column=fence.indent,
        options=options,
        header=header,
    )


def _info(info: str) -> tuple[str, set[str], dict[str, str]]:
    """The words after a fence's mark: language, bare words, key=value pairs."""
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


def _refuse_unknown(
    fence: Fence, words: set[str], values: dict[str, str], name: str
) -> None:
    if bare := [word[1:] for word in words if word.startswith("=")]:
        raise PageError(
            name,
            fence.first,
            f"`{bare[0]}` after `python` breaks the fence: "
            f"write ```{{.python {bare[0]}}}",
        )
    known = {"src", "title", "hl_lines", "linenums"}
    unknown = sorted((words - {"notest"}) | (values.keys() - known))
    if unknown:
        raise PageError(
            name,
            fence.first,
            f"a fence knows no `{unknown[0]}`: use notest, {', '.join(sorted(known))}",
        )


def _inline(text: str, starts: list[int], lines: Lines, name: str) -> list[Piece]:
    """Formulas, values, citations and comments in runs of prose lines."""
    pieces: list[Piece] = []
    for first, last in _runs(sorted(lines.prose)):
        position, stop = starts[first - 1], starts[last] - 1
        while match := _INLINE.search(text, position, stop):
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - starts[line - 1]
            piece = _piece(match, text, line, column, name)
            position = match.end() if piece is None else piece.end
            if piece is not None:
                pieces.append(piece)
                _refuse_nameless_heading(text, starts, piece, name)
    return pieces


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Stretches of prose; blank lines do not end one, fences and code do not begin one.

    A stretch is kept to consecutive lines, so that a stray mark cannot reach over a
    blank line into the next paragraph.
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
    """The shortest `{{ … }}` on this line whose inside is a Python expression."""
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


def _refuse_nameless_heading(
    text: str, starts: list[int], piece: Piece, name: str
) -> None:
    if piece.kind != "math":
        return
    heading = text[starts[piece.line - 1] : starts[piece.line] - 1]
    if re.match(r"#{1,6} ", heading) and not re.search(
        r"\{[^}]*#[\w-]+[^}]*\}", heading
    ):
        raise PageError(
            name, piece.line, "a heading with a formula needs a name: add { #id }"
        )
