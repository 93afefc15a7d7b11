"""What the package defines is not typed again on a page.

A page shows it from its source. Solutions of exercises, and the loop of greedy search,
may be typed.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from textwrap import dedent, indent

import pytest

from lookback import CHAPTERS
from lookback.extract import plain
from lookback.extract.package import ROOT, Package

PACKAGE, DOCS = Package(), ROOT.parents[1] / "docs"
LEAST = 5  # lines of a body: shorter ones are alike by chance
BLOCK = re.compile(
    r"^(?P<indent> *)```(?:python|\{\.python(?![^}\n]*src=)[^}\n]*\})\n"
    r"(?P<code>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
SOLUTION = 8  # the indent of a block in a solution
MAY_BE_TYPED = {"greedy"}

Definition = ast.FunctionDef | ast.ClassDef


def typed(page: str) -> Iterator[Definition]:
    """The functions, classes and methods that the blocks of a page define."""
    for block in BLOCK.finditer(page):
        if len(block["indent"]) >= SOLUTION:
            continue
        yield from definitions(ast.parse(plain(dedent(block["code"]))))


def definitions(tree: ast.AST) -> Iterator[Definition]:
    return (n for n in ast.walk(tree) if isinstance(n, Definition))


def normalised(node: Definition) -> str:
    """A body in which neither names of variables nor what it says matters."""
    body = [n for n in node.body if not is_text(n)]
    local = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    local |= {
        n.id
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    seen: dict[str, str] = {}
    text = ast.unparse(ast.Module(body, []))
    return re.sub(
        rf"(?<![\w.])({'|'.join(map(re.escape, sorted(local))) or '$.'})(?!\w)",
        lambda name: seen.setdefault(name[0], f"v{len(seen)}"),
        text,
    )


def is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@cache
def package() -> dict[str, str]:
    """The normalised bodies of the package, and where each stands."""
    bodies = {}
    for name in CHAPTERS:
        text = (ROOT / f"{name}.py").read_text(encoding="utf-8")
        for node in definitions(ast.parse(plain(text, PACKAGE.checks(name)))):
            bodies[normalised(node)] = f"{name}.{node.name}"
    return bodies


@cache
def names(chapter: str) -> set[str]:
    """The public functions and classes of a chapter's module."""
    tree = ast.parse((ROOT / f"{chapter}.py").read_text(encoding="utf-8"))
    found = {n.name for n in tree.body if isinstance(n, Definition)}
    return {name for name in found if not name.startswith("_")}


def doubles(chapter: str, page: str) -> list[str]:
    """What a page types that the package defines."""
    found = []
    for node in typed(page):
        body = normalised(node)
        if node.name in MAY_BE_TYPED:
            continue
        if node.name in names(chapter):
            found.append(f"{node.name} has the name of a definition of {chapter}")
        elif body.count("\n") + 1 >= LEAST and body in package():
            found.append(f"{node.name} is {package()[body]}")
    return found


PLANTED = """\
def another(self, far, near, m=None, now=None):
    now = far.begin(len(near), now)
    kept: list[S] = []
    for i, x in enumerate(near.unbind(dim=1)):  # T times
        later = far.step(x, now)
        now = later if m is None else far.where(m[:, i, None], later, now)
        kept.append(now)
    return kept"""


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (PLANTED, ["another is recurrent.unroll"]),
        ("class RNNCell: ...", ["RNNCell has the name of a definition of recurrent"]),
        ("def greedy(x): ...", []),
        ("def short(x):\n    return x + 1", []),
    ],
)
def test_a_planted_double_is_found(code: str, found: list[str]) -> None:
    for fence in ("python", "{.python #a}"):
        page = f"Words.\n\n```{fence}\n{code}\n```\n\nWords."
        assert doubles("recurrent", page) == found
    assert doubles("recurrent", indent(page, " " * SOLUTION)) == []


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_page_types_nothing_that_the_package_defines(chapter: str) -> None:
    assert doubles(chapter, (DOCS / f"{chapter}.md").read_text("utf-8")) == []
