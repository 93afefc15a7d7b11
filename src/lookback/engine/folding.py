"""Which code of a page stands open, and what the summary of folded code says.

A reader of a chapter came for what it teaches: definitions, training loops, a first
use. Code that imports, draws, builds tables or asserts is folded under a summary, for
whoever wants to see how a figure was made.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from .blocks import Piece

DRAWING = {
    "Table",
    "alignment",
    "arcs",
    "bars",
    "by_length",
    "curves",
    "heatmap",
    "frames",
}
DRAWING |= {"imshow", "plot", "scatter", "subplots", "tree"}
"""Functions that draw or build tables: a definition that calls one is driver code."""

SHORT = 4
"""A use of the library in so few lines, with text as its output, is an example."""

DEFINITION = 3
"""A definition of fewer lines is a helper, and teaches nothing by itself."""

Output = dict[str, str]


def is_open(piece: Piece, outputs: Sequence[Output] = ()) -> bool:
    """Does the code of a block stand open?

    piece    a block that runs; `#| open:` decides, where it has one
    outputs  what the block showed
    A block inside a box or a list stands open: its box shows code for its own sake.
    """
    if chosen := piece.options.get("open"):
        return chosen == "true"
    if piece.column:
        return True
    body = _body(piece.code)
    return _defines(body) or _trains(body) or _is_short_example(body, outputs)


def summary(code: str, *, shows: bool) -> str:
    """What stands in place of folded code: how to name it depends on what it did.

    shows  has the block an output, which stays in sight?
    """
    if shows:
        return "How this was made"
    if laws := sum(isinstance(n, ast.Assert) for n in ast.walk(ast.parse(code))):
        return f"checked: {laws} law{'s' if laws > 1 else ''} ✓"
    names = list(dict.fromkeys(_bound(_body(code))))
    if not names:
        return "Preparation"
    return f"Preparation: {', '.join(names[:3])}{', …' if len(names) > 3 else ''}"


def _body(code: str) -> list[ast.stmt]:
    """The statements of a block, without its imports."""
    imports = (ast.Import, ast.ImportFrom)
    return [node for node in ast.parse(code).body if not isinstance(node, imports)]


def _height(nodes: Iterable[ast.stmt]) -> int:
    return sum((node.end_lineno or 0) - node.lineno + 1 for node in nodes)


def _defines(body: list[ast.stmt]) -> bool:
    """Are definitions that draw nothing at least half of the block?"""
    taught = [
        node
        for node in body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
        and _height([node]) >= DEFINITION
        and DRAWING.isdisjoint(_called(node))
    ]
    return bool(taught) and 2 * _height(taught) >= _height(body)


def _trains(body: list[ast.stmt]) -> bool:
    """Is there a loop in which gradients are taken?"""
    loops = (
        node
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.For | ast.While)
    )
    return any("backward" in _called(loop) for loop in loops)


def _is_short_example(body: list[ast.stmt], outputs: Sequence[Output]) -> bool:
    texts = bool(outputs) and all("text" in output for output in outputs)
    asserts = any(isinstance(node, ast.Assert) for node in body)
    return texts and not asserts and _height(body) <= SHORT


def _called(node: ast.AST) -> Iterator[str]:
    """The last names of all functions that are called inside a node."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            if isinstance(call.func, ast.Name):
                yield call.func.id
            elif isinstance(call.func, ast.Attribute):
                yield call.func.attr


def _bound(body: list[ast.stmt]) -> Iterator[str]:
    """The names that statements at the margin of a block define, in order."""
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                names = (n for n in ast.walk(target) if isinstance(n, ast.Name))
                yield from (n.id for n in names if isinstance(n.ctx, ast.Store))
