"""Read the modules of a package as text: what each defines, where its names come from.

Nothing is imported, so that a chapter is read without torch.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
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


class Package:
    """The modules of a package, each read once; make another after an edit."""

    def __init__(self, folder: Path = ROOT) -> None:
        self.folder = folder
        self._modules: dict[str, Module] = {}
        self._checks: dict[str, frozenset[str]] = {}
        self._checking: dict[Name, bool] = {}

    def module(self, name: str) -> Module:
        """The module of that name, without the package's: "bahdanau"."""
        if name not in self._modules:
            path, around = self.folder / name.replace(".", "/"), name.rpartition(".")[0]
            if path.is_dir():
                path, around = path / "__init__", name
            text = Text(path.with_suffix(".py").read_text(encoding="utf-8-sig"))
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

    def checks(self, where: str) -> frozenset[str]:
        """The functions that a module calls only to refuse bad arguments."""
        if where not in self._checks:
            here = self.module(where)
            names = (*here.defined, *here.inside)
            found = {n for n in names if self._only_checks(where, n)}
            self._checks[where] = frozenset({*found, "__post_init__"})
        return self._checks[where]

    def _only_checks(self, where: str, name: str) -> bool:
        """Does a function do nothing once the checks in it are cut?"""
        found = self.find(where, name)
        if found is not None and found not in self._checking:
            self._checking[found] = False  # while it is found out
            self._checking[found] = self._is_idle(self.chunk(found))
        return found is not None and self._checking[found]

    def _is_idle(self, chunk: Chunk) -> bool:
        if chunk.module == CHECKS:
            return True
        (node, *_) = ast.parse(chunk.text).body
        if not isinstance(node, ast.FunctionDef):
            return False
        called = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        inner = {n for n in called if self._only_checks(chunk.module, n)}
        (function,) = ast.parse(plain(chunk.text, inner)).body
        assert isinstance(function, Function)
        return all(
            is_docstring(n)
            or (isinstance(n, ast.Pass | ast.Assign | ast.Return) and is_quiet(n))
            for n in function.body
        )


def _read(name: str, text: Text, room: str) -> Module:
    """What the text of a module defines and imports; `.` in an import is `room`."""
    here = Module(name, ast.get_docstring(text.tree) or "", {}, {}, {})
    body = text.tree.body
    for node, after in zip(body, [*body[1:], None], strict=True):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    short = alias.asname or alias.name.partition(".")[0]
                    here.outside[short] = (alias.name, "")
            case ast.ImportFrom():
                _imported(node, here, room)
            case ast.ClassDef() | ast.FunctionDef() | ast.Assign() | ast.AnnAssign():
                first, last = text.statement_lines(node)
                if after is not None and is_docstring(after):
                    last = after.end_lineno or last
                source = "".join(text.lines[first:last])
                chunk = Chunk(name, first, tuple(_names(node)), source)
                here.defined.update(dict.fromkeys(chunk.names, chunk))
    return here


def _imported(node: ast.ImportFrom, here: Module, room: str) -> None:
    """Enter the names of `from … import …`."""
    source = node.module or ""
    if node.level:
        source = f"{room}.{source}".rstrip(".")
    package = room.partition(".")[0]
    top, _, rest = source.partition(".")
    for alias in node.names:
        name = alias.asname or alias.name
        if top == package:
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
