"""Read the modules of a package as text: what each defines, where its names come from.

Nothing is imported, so that a chapter is read without torch.
"""

from __future__ import annotations

import ast
import io
import symtable
import textwrap
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from .plain import plain

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Chunk:
    """A statement of a module that defines names: its text with the comments above."""

    module: str
    names: tuple[str, ...]
    node: ast.ClassDef | ast.FunctionDef | ast.Assign | ast.AnnAssign
    text: str


@dataclass(frozen=True)
class Definition:
    """The lines of a definition, dedented, and where they stand in their module."""

    module: str
    first: int
    last: int
    text: str


@dataclass(frozen=True)
class Module:
    """A module as text.

    tree      its statements
    defined   name → the statement that defines it
    imported  name → where it is imported from: a module, and a name in it or ""
    """

    text: str
    tree: ast.Module
    docstring: str
    defined: dict[str, Chunk]
    imported: dict[str, tuple[str, str]]


class Package:
    """The modules of a package, each read once; make another after an edit."""

    def __init__(self, folder: Path = ROOT) -> None:
        self.folder = folder
        self.modules: dict[str, Module] = {}

    @cached_property
    def chapters(self) -> dict[str, list[str]]:
        """The chapters in the order of history, and what the package offers of each."""
        node = self.module("").defined["CHAPTERS"].node
        assert isinstance(node, ast.Assign)
        return dict(ast.literal_eval(node.value))

    def module(self, name: str) -> Module:
        """The module of that name, without the package's: "bahdanau"."""
        if name not in self.modules:
            path, around = self.path(name), name.rpartition(".")[0]
            if path.stem == "__init__":
                around = name
            around = f"{self.folder.name}.{around}".rstrip(".")
            self.modules[name] = _read(name, path.read_text("utf-8-sig"), around)
        return self.modules[name]

    def path(self, name: str) -> Path:
        """The file of a module. Raises `ValueError` where there is none."""
        stem = self.folder.joinpath(*name.split("."))
        for path in (stem.with_suffix(".py"), stem / "__init__.py"):
            if path.is_file():
                return path
        name = f"{self.folder.name}.{name}".rstrip(".")
        raise ValueError(f"there is no module `{name}` in {self.folder}")

    def definition(self, reference: str) -> Definition:
        """What `package.module:Name.method` names.

        Raises `ValueError` where that is nothing, or two things.
        """
        module, _, qualname = reference.partition(":")
        package, _, name = module.partition(".")
        if package != self.folder.name:
            raise ValueError(f"there is no module `{module}` in {self.folder}")
        here = self.module(name)
        body = here.tree.body
        for each in qualname.split("."):
            node = _only(body, each, reference)
            body = getattr(node, "body", [])
        first, last = first_line(node), node.end_lineno or node.lineno
        lines = here.text.split("\n")[first - 1 : last]
        return Definition(module, first, last, textwrap.dedent("\n".join(lines)))

    def find(self, where: str, name: str) -> Chunk | None:
        """The definition of a name that a module uses, if it is in the package."""
        here = self.module(where)
        source, imported = here.imported.get(name, ("", ""))
        top, _, module = source.partition(".")
        inner = (module, imported) == (where, name)  # `from . import a_module`
        if (
            name not in here.defined
            and top == self.folder.name
            and module
            and not inner
        ):
            return self.find(module, imported)
        return here.defined.get(name)

    def checks(self, where: str) -> set[str]:
        """The functions that a module calls only to refuse bad arguments.

        They come from the module `checks`, or are named so: `check_ids`.
        """
        here, shared = self.module(where), f"{self.folder.name}.checks"
        found = {
            name for name, (source, _) in here.imported.items() if source == shared
        }
        names = {*here.defined, *here.imported}
        return found | {name for name in names if name.lstrip("_").startswith("check")}

    def plain(self, chunk: Chunk) -> str:
        """The plain view of a definition."""
        return plain(chunk.text, self.checks(chunk.module)).rstrip()


@cache  # whoever makes the package again reads few other texts
def _read(name: str, text: str, around: str) -> Module:
    """What the text of a module defines and imports; `.` in an import is `around`."""
    tree, lines = ast.parse(text), [*io.StringIO(text)]
    here = Module(text, tree, ast.get_docstring(tree) or "", {}, {})
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        match node:
            case ast.Import(aliases):
                for alias in aliases:
                    short = alias.asname or alias.name.partition(".")[0]
                    here.imported[short] = (alias.name, "")
            case ast.ImportFrom(module, aliases, level):
                source = f"{around}.{module or ''}".rstrip(".") if level else module
                for alias in aliases:
                    there = (source or "", alias.name)
                    here.imported[alias.asname or alias.name] = there
            case ast.ClassDef() | ast.FunctionDef() | ast.Assign() | ast.AnnAssign():
                first, end = first_line(node) - 1, node.end_lineno
                while first and lines[first - 1].startswith("#"):
                    first -= 1
                if isinstance(after, ast.Expr):  # what the name means
                    end = after.end_lineno
                names = tuple(defined(node))
                chunk = Chunk(name, names, node, "".join(lines[first:end]))
                here.defined.update(dict.fromkeys(names, chunk))
    return here


def first_line(node: ast.stmt) -> int:
    """The first line of a statement, with its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _only(body: list[ast.stmt], name: str, reference: str) -> ast.stmt:
    """The one statement of a body that defines a name."""
    found = [each for each in body if name in defined(each)]
    if len(found) != 1:
        there = sorted({n for each in body for n in defined(each)})
        count = "nothing" if not found else f"{len(found)} things"
        raise ValueError(
            f"`{reference}` names {count}: there is no one `{name}` among "
            f"{', '.join(there) or 'no names'}"
        )
    return found[0]


def defined(node: ast.AST) -> list[str]:
    """The names that a statement defines."""
    match node:
        case ast.ClassDef(name) | ast.FunctionDef(name):
            return [name]
        case ast.Assign() | ast.AnnAssign():
            names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
            return [n.id for n in names if isinstance(n.ctx, ast.Store)]
    return []


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
