"""Find an object's source by its name in the syntax tree.

No marker comments in the source and no copy in the page: a chapter names
`lookback.ngram:NgramModel.fit` and shows what stands there now, in the plain view.
"""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lookback.extract import Package, imports, plain

from .blocks import Piece
from .errors import read_text


@dataclass(frozen=True)
class Excerpt:
    """Hold definitions of a module as a page shows them.

    sources  where each stands
    text     all of them in the plain view
    imports  the lines that a copy of the text needs above it
    """

    sources: list[Source]
    text: str
    imports: str

    @property
    def copy(self) -> str:
        return f"{self.imports}\n\n{self.text}"


def excerpt(piece: Piece, package: Package) -> Excerpt:
    """Cut what a `src=` block names, `Name` or `Name.method`, out of its source.

    raises ValueError where a name names nothing, or two things
    """
    module, names = piece.options["module"], piece.options["names"].split(", ")
    sources = [find_source(f"{module}:{name}", package.folder) for name in names]
    where = module.partition(".")[2]
    checks = package.checks(where)
    text = "\n\n".join(plain(source.text, checks).rstrip() for source in sources)
    tops = {name.partition(".")[0] for name in names}
    return Excerpt(sources, text, imports(where, text, tops, package).rstrip())


@dataclass(frozen=True)
class Source:
    """Hold an object's source: module, first and last line, dedented text."""

    module: str
    first: int
    last: int
    text: str


def find_source(reference: str, package: Path) -> Source:
    """Find the source of `package.module:Name.method`.

    package  the folder of the import package, `…/src/lookback`
    raises ValueError where the reference names nothing, or two things
    """
    module, _, qualname = reference.partition(":")
    path = module_path(module, package)
    text = read_text(path, path.name)
    node: ast.AST = _tree(text)
    for name in qualname.split("."):
        node = _child(node, name, reference)
    assert isinstance(node, ast.stmt) and node.end_lineno is not None
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    lines = text.split("\n")[first - 1 : node.end_lineno]
    return Source(module, first, node.end_lineno, textwrap.dedent("\n".join(lines)))


@cache  # a page shows many definitions of a module
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


def module_path(module: str, package: Path) -> Path:
    """Find the file of a dotted module name, without importing it."""
    head, *rest = module.split(".")
    if head == package.name:
        stem = package.joinpath(*rest)
        for path in (stem.with_suffix(".py"), stem / "__init__.py"):
            if path.is_file():
                return path
    raise ValueError(f"there is no module `{module}` in {package}")


def page_of(module: str) -> str:
    """Name a module's page: `lookback.text.corpora` → source/text/corpora.md."""
    return "source/" + module.partition(".")[2].replace(".", "/") + ".md"


def _child(parent: ast.AST, name: str, reference: str) -> ast.AST:
    body: list[ast.AST] = getattr(parent, "body", [])
    found = [node for node in body if name in _names(node)]
    if len(found) != 1:
        there = sorted({n for node in body for n in _names(node)})
        count = "nothing" if not found else f"{len(found)} things"
        raise ValueError(
            f"`{reference}` names {count}: there is no one `{name}` among "
            f"{', '.join(there) or 'no names'}"
        )
    return found[0]


def _names(node: ast.AST) -> list[str]:
    """List the names that a statement defines."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []
