"""Source as a chapter shows it: checks and long docstrings folded to one line each.

Everything stays in the page and is copied with it. A checkbox of the browser's own
unfolds a part, so that it works without a script and by keyboard.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

LONG = 3
"""Lines that a docstring may have before it is folded to its first."""


@dataclass(frozen=True)
class Part:
    """Lines `first` to `last`, 1-based, that are folded under a name.

    keep  does the first of them stay in sight?
    """

    first: int
    last: int
    name: str
    keep: bool


def parts(source: str, checks: frozenset[str] = frozenset()) -> list[Part]:
    """What is folded in a source: long docstrings; two lines or more of checks.

    checks  names of the functions that only refuse what does not fit
    """
    tree = ast.parse(source)
    nodes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = [
        part
        for node in ast.walk(tree)
        if isinstance(node, nodes)
        for part in (*_docstring(node.body), *_checks(node.body, checks))
    ]
    return sorted(found, key=lambda part: part.first)


def _docstring(body: list[ast.stmt]) -> Iterator[Part]:
    match body[:1]:
        case [ast.Expr(ast.Constant(str()), lineno=first, end_lineno=int(last))]:
            if last - first + 1 > LONG:
                yield Part(first, last, "docstring", keep=True)


def _checks(body: list[ast.stmt], names: frozenset[str]) -> Iterator[Part]:
    """Runs of statements that only check, each run one part."""
    run: list[ast.stmt] = []
    for node in [*body, None]:
        if node is not None and _is_check(node, names):
            run.append(node)
            continue
        if run and (last := run[-1].end_lineno or 0) > run[0].lineno:
            yield Part(run[0].lineno, last, "checks", keep=False)
        run = []


def _is_check(node: ast.stmt, names: frozenset[str]) -> bool:
    match node:
        case ast.Expr(ast.Call(ast.Name(name))):
            return name in names
        case ast.If(body=[ast.Raise()], orelse=[]):
            return True
    return False


@lru_cache(maxsize=8)
def check_names(text: str) -> frozenset[str]:
    """The public functions of the module of checks, from its source."""
    body = ast.parse(text).body
    names = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    return frozenset(name for name in names if not name.startswith("_"))


def listing(source: str, checks: frozenset[str] = frozenset(), anchor: str = "") -> str:
    """The highlighted source as HTML, its parts folded; `anchor` is its id."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    source = source.rstrip("\n")
    marked = highlight(source, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))
    lines = marked.rstrip("\n").split("\n")
    shown, position = [], 0
    for part in parts(source, checks):
        shown += lines[position : part.first - 1]
        plain = source.split("\n")[part.first - 1]
        indent = plain[: len(plain) - len(plain.lstrip())]
        shown.append(_folded(lines[part.first - 1 : part.last], part, indent))
        position = part.last
    code = "\n".join([*shown, *lines[position:]])
    name = f' id="{anchor}"' if anchor else ""
    return (
        f'<div class="highlight"{name}><pre><span></span><code>{code}\n'
        "</code></pre></div>"
    )


def _folded(lines: list[str], part: Part, indent: str) -> str:
    box = (
        f'<label class="lb-more"><input type="checkbox" aria-label="Show {part.name}">'
        f'<span data-name="{"…" if part.keep else part.name}"></span></label>'
    )
    if part.keep:
        inside = "\n".join(["", *lines[1:]])
        return f'{lines[0]}{box}<span class="lb-rest">{inside}</span>'
    inside = "\n".join(lines)
    return (
        f'<span class="lb-margin">{indent}</span>{box}'
        f'<span class="lb-rest"><span class="lb-break">\n</span>{inside}</span>'
    )
