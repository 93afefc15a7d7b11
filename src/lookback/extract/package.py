"""Read the modules of the package as text: what each defines and where names come from.

Nothing is imported, so that a chapter is read without torch.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .plain import Function, Text, is_docstring, is_quiet, plain

ROOT = Path(__file__).parents[1]
CHECKS = "checks"
Name = tuple[str, str]  # a module, and a name in it; "" for the module itself


@dataclass(frozen=True)
class Chunk:
    """A statement of a module that defines names: its text with the comments above."""

    module: str
    line: int
    names: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Module:
    """A module as text.

    defined  name → the statement that defines it
    inside   name → where it is imported from, in this package
    outside  name → where it is imported from, elsewhere
    """

    name: str
    docstring: str
    defined: dict[str, Chunk]
    inside: dict[str, Name]
    outside: dict[str, Name]


@cache
def module(name: str) -> Module:
    """Read `lookback.NAME`."""
    text = Text((ROOT / f"{name.replace('.', '/')}.py").read_text(encoding="utf-8"))
    docstring = ast.get_docstring(text.tree) or ""
    here = Module(name, docstring, {}, {}, {})
    body = text.tree.body
    for node, after in zip(body, [*body[1:], None], strict=True):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    short = alias.asname or alias.name.partition(".")[0]
                    here.outside[short] = (alias.name, "")
            case ast.ImportFrom():
                _imported(node, here)
            case ast.ClassDef() | ast.FunctionDef() | ast.Assign() | ast.AnnAssign():
                first, last = text.statement_lines(node)
                if after is not None and is_docstring(after):
                    last = after.end_lineno or last
                source = "".join(text.lines[first:last])
                chunk = Chunk(name, first, tuple(_names(node)), source)
                here.defined.update(dict.fromkeys(chunk.names, chunk))
    return here


def _imported(node: ast.ImportFrom, here: Module) -> None:
    """Enter the names of `from … import …`."""
    source = node.module or ""
    if node.level:
        folder = here.name.rpartition(".")[0]
        source = ".".join(filter(None, [ROOT.name, folder, source]))
    package, _, rest = source.partition(".")
    for alias in node.names:
        name = alias.asname or alias.name
        if package == ROOT.name:
            here.inside[name] = (rest, alias.name)
        else:
            here.outside[name] = (source, alias.name)


def _names(node: ast.stmt) -> list[str]:
    """The names that a statement defines."""
    match node:
        case ast.ClassDef(name) | ast.FunctionDef(name):
            return [name]
        case ast.Assign(targets=targets):
            parts = [part for target in targets for part in ast.walk(target)]
            return [part.id for part in parts if isinstance(part, ast.Name)]
        case ast.AnnAssign(target=ast.Name(name)):
            return [name]
    return []


def find(where: str, name: str) -> Chunk | None:
    """The definition of a name that a module uses, if it is in the package."""
    here = module(where)
    if name in here.defined:
        return here.defined[name]
    if name in here.inside:
        return find(*here.inside[name])
    return None


@cache
def checks(where: str) -> frozenset[str]:
    """The functions that a module calls only to refuse bad arguments."""
    here = module(where)
    names = {n for n in (*here.defined, *here.inside) if _only_checks(where, n)}
    return frozenset({*names, "__post_init__"})


@cache
def _only_checks(where: str, name: str) -> bool:
    """Does a function do nothing once the checks in it are cut?"""
    chunk = find(where, name)
    if chunk is None or chunk.module == CHECKS:
        return chunk is not None
    (node, *_) = ast.parse(chunk.text).body
    if not isinstance(node, ast.FunctionDef):
        return False
    called = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - {name}
    cut = plain(chunk.text, {n for n in called if _only_checks(chunk.module, n)})
    (function,) = ast.parse(cut).body
    assert isinstance(function, Function)
    return all(
        is_docstring(n)
        or (isinstance(n, ast.Pass | ast.Assign | ast.Return) and is_quiet(n))
        for n in function.body
    )
