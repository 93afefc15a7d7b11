"""Read the modules of a package as text: what each defines, where its names come from.

Nothing is imported, so that a chapter is read without torch.
"""

from __future__ import annotations

import ast
import symtable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from .plain import plain

ROOT = Path(__file__).parents[1]
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


class Package:
    """The modules of a package, each read once; make another after an edit."""

    def __init__(self, folder: Path = ROOT) -> None:
        self.folder = folder
        self._modules: dict[str, Module] = {}

    @cached_property
    def chapters(self) -> dict[str, list[str]]:
        """The chapters in the order of history, and what the package offers of each."""
        (node, *_) = ast.parse(self.module("").defined["CHAPTERS"].text).body
        assert isinstance(node, ast.Assign)
        chapters: dict[str, list[str]] = ast.literal_eval(node.value)
        return chapters

    def module(self, name: str) -> Module:
        """The module of that name, without the package's: "bahdanau"."""
        if name not in self._modules:
            path, around = self.folder / name.replace(".", "/"), name.rpartition(".")[0]
            if path.is_dir():
                path, around = path / "__init__", name
            text = path.with_suffix(".py").read_text(encoding="utf-8")
            room = f"{self.folder.name}.{around}".rstrip(".")
            self._modules[name] = _read(name, text, room)
        return self._modules[name]

    def find(self, where: str, name: str) -> Name | None:
        """Where a name that a module uses is defined, if that is in the package."""
        here = self.module(where)
        if name in here.defined:
            return where, name
        there = here.inside.get(name)
        if there is None or there == (where, name):  # `from . import a_module`
            return None
        return self.find(*there)

    def chunk(self, name: Name) -> Chunk:
        """The definition of a name, as `find` gives it."""
        return self.module(name[0]).defined[name[1]]

    def checks(self, where: str) -> set[str]:
        """The functions that a module calls only to refuse bad arguments.

        They come from the module `checks`, or are named so: `check_ids`.
        """
        here = self.module(where)
        shared = {name for name, there in here.inside.items() if there[0] == "checks"}
        named = {*here.defined, *here.inside}
        return shared | {name for name in named if name.lstrip("_").startswith("check")}

    def plain(self, chunk: Chunk) -> str:
        """The plain view of a definition."""
        return plain(chunk.text, self.checks(chunk.module)).rstrip()


def _read(name: str, text: str, room: str) -> Module:
    """What the text of a module defines and imports; `.` in an import is `room`."""
    tree, lines = ast.parse(text), text.splitlines(keepends=True)
    here = Module(name, ast.get_docstring(tree) or "", {}, {}, {})
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        match node:
            case ast.Import(names):
                for alias in names:
                    short = alias.asname or alias.name.partition(".")[0]
                    here.outside[short] = (alias.name, "")
            case ast.ImportFrom(module, names, level):
                source = f"{room}.{module or ''}".rstrip(".") if level else module or ""
                top, _, rest = source.partition(".")
                own = top == room.partition(".")[0]
                for alias in names:
                    found = here.inside if own else here.outside
                    there = rest if own else source
                    found[alias.asname or alias.name] = (there, alias.name)
            case ast.ClassDef() | ast.FunctionDef() | ast.Assign() | ast.AnnAssign():
                first, last = statement_lines(node, lines)
                if isinstance(after, ast.Expr):  # what the name means
                    last = after.end_lineno or last
                chunk = Chunk(name, first, _names(node), "".join(lines[first:last]))
                here.defined.update(dict.fromkeys(chunk.names, chunk))
    return here


def statement_lines(node: ast.stmt, lines: list[str]) -> tuple[int, int]:
    """The lines of a statement, from 0, with its decorators and the comments above."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)]) - 1
    while first and lines[first - 1].startswith("#"):
        first -= 1
    return first, node.end_lineno or node.lineno


def _names(node: ast.stmt) -> tuple[str, ...]:
    """The names that a statement defines."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return (node.name,)
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    return tuple(n.id for n in names if isinstance(n.ctx, ast.Store))


@cache
def global_names(text: str) -> frozenset[str]:
    """The names that a text looks up outside its functions and classes."""
    found, tables = set[str](), [symtable.symtable(text, "<text>", "exec")]
    for table in tables:
        tables += table.get_children()
        top = table.get_type() == "module"
        symbols = [s for s in table.get_symbols() if s.is_referenced()]
        found |= {s.get_name() for s in symbols if top or s.is_global()}
    return frozenset(found)
