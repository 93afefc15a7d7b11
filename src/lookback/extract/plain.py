"""Cut a definition down to what a person reads: no checks, types or long docstrings.

LibCST's tree holds all of the text, so that what stays keeps its comments, blank lines
and spelling. For arguments that the package accepts, the plain text computes what the
full one does.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from itertools import dropwhile
from typing import TypeVar

import libcst as cst
from libcst import matchers as m

WIDTH = 88
GENERIC = {"Counter", "defaultdict", "deque", "dict", "frozenset", "list", "set"}
EMPTY: dict[str, cst.BaseExpression] = {"dict": cst.Dict([]), "list": cst.List([])}
PRAGMA = re.compile(r"(type: ignore|noqa|fmt: \w+)(\[[\w, -]*\]|: [A-Z]+\d+,?)?\s*")
ASSIGNED = m.ZeroOrMore(m.SimpleStatementLine([m.Assign()]))
REFUSED = m.SimpleStatementLine([m.Raise(m.Call(m.Name("ValueError")))])
REFUSAL = m.IndentedBlock([]) | m.IndentedBlock([ASSIGNED, REFUSED])
DOCSTRING = m.SimpleStatementLine([m.Expr(m.SimpleString())])
SUPER = m.Attribute(m.Call(m.Name("super")), m.Name("__post_init__"))
FIELD = m.SimpleStatementLine([m.AnnAssign()])
NO_SPACE = cst.SimpleWhitespace("")
GONE = cst.Pass()  # stands for what is cut
DEFAULT = cst.MaybeSentinel.DEFAULT
Block = TypeVar("Block", cst.Module, cst.IndentedBlock)


def plain(text: str, checks: Collection[str] = ()) -> str:
    """Cut checks, asserts and annotations out of source; shorten docstrings.

    checks  the functions whose calls, as statements, only refuse bad arguments
    """
    return _plain(text, frozenset(checks))


@cache  # a definition is on pages, in notebooks and in programs
def _plain(text: str, checks: frozenset[str]) -> str:
    return cst.parse_module(text).visit(Plain(checks)).code


class Blocks(cst.CSTTransformer):
    """Remove empty statements, with the comments above and blank lines left over."""

    depth = 0

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self.depth += 1

    def leave_IndentedBlock(
        self, old: cst.IndentedBlock, new: cst.IndentedBlock
    ) -> cst.BaseSuite:
        self.depth -= 1
        return _without_empty(new)

    def leave_Module(self, old: cst.Module, new: cst.Module) -> cst.Module:
        return _without_empty(new)


def _without_empty(block: Block) -> Block:
    """Leave out statements of which nothing is left; of all, LibCST writes `pass`."""
    kept: list[cst.CSTNode] = []
    above: list[cst.EmptyLine] | None = None  # the lines above what goes
    for node in block.body:
        lines: list[cst.EmptyLine] = [*getattr(node, "leading_lines", ())]
        if _is_empty(node):
            above = lines if above is None else above
            while above and above[-1].comment:
                above.pop()
            continue
        if above or (above is not None and not kept):
            lines = [*above, *dropwhile(lambda line: not line.comment, lines)]
            node = node.with_changes(leading_lines=lines)
        kept.append(node)
        above = None
    return block.with_changes(body=kept)


def _is_empty(node: cst.CSTNode) -> bool:
    """Does a statement do nothing but refuse, now that its parts are cut?"""
    match node:
        case cst.SimpleStatementLine([part]):
            return part is GONE
        case cst.If(test, body, None):
            return m.matches(body, REFUSAL) and not m.findall(test, m.NamedExpr())
        case cst.For(body=body):
            return not body.body
        case cst.FunctionDef(cst.Name("__post_init__"), body=body):
            return all(m.matches(one, DOCSTRING) for one in body.body)
    return False


class Plain(Blocks):
    """Cut, from the inside out."""

    def __init__(self, checks: frozenset[str]) -> None:
        super().__init__()
        self.checks = checks
        self.fields = set[cst.CSTNode]()  # whose annotations stay

    # Checks

    def leave_Assert(self, old: cst.Assert, new: cst.Assert) -> cst.BaseSmallStatement:
        return GONE

    def leave_Else(
        self, old: cst.Else, new: cst.Else
    ) -> cst.Else | cst.RemovalSentinel:
        return cst.RemoveFromParent() if m.matches(new.body, REFUSAL) else new

    def leave_Expr(self, old: cst.Expr, new: cst.Expr) -> cst.BaseSmallStatement:
        match new.value:
            case cst.Call(cst.Name(name)) if name in self.checks:
                return GONE
            case cst.Call(function) if m.matches(function, SUPER):
                return GONE
            case cst.SimpleString(text) if text.endswith('"""'):
                return new.with_changes(value=self.docstring(text))
        return new

    def docstring(self, text: str) -> cst.SimpleString:
        """Keep the first paragraph."""
        first = re.split(r"\n[ \t]*\n", text[:-3].rstrip())[0].rstrip()
        indent = " " * 4 * self.depth
        alone = "\n" in first or len(f'{indent}{first}"""') > WIDTH
        return cst.SimpleString(f'{first}\n{indent}"""' if alone else f'{first}"""')

    # Types

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        """The annotations of a dataclass and of a named tuple are its fields."""
        marks = [*node.decorators, *node.bases]
        names = {n.value for mark in marks for n in m.findall(mark, m.Name())}
        if names & {"NamedTuple", "dataclass"}:
            self.fields |= {n.body[0] for n in node.body.body if m.matches(n, FIELD)}

    def leave_AnnAssign(
        self, old: cst.AnnAssign, new: cst.AnnAssign
    ) -> cst.BaseSmallStatement:
        if old in self.fields:
            return new
        return (
            cst.Assign([cst.AssignTarget(new.target)], new.value) if new.value else GONE
        )

    def leave_ClassDef(self, old: cst.ClassDef, new: cst.ClassDef) -> cst.ClassDef:
        """`class A(B[T], Generic[T])` becomes `class A(B)`."""
        bases = [
            b.value.value if m.matches(b.value, m.Subscript()) else b.value
            for b in new.bases
        ]
        bases = [
            cst.Arg(base) for base in bases if not m.matches(base, m.Name("Generic"))
        ]
        return new.with_changes(bases=bases, lpar=DEFAULT, rpar=DEFAULT)

    def leave_Call(self, old: cst.Call, new: cst.Call) -> cst.BaseExpression:
        """`Counter[T](x)` becomes `Counter(x)`, and `list[T]()` becomes `[]`."""
        match new.func:
            case cst.Subscript(cst.Name(name) as function) if name in GENERIC:
                return (
                    new.with_changes(func=function)
                    if new.args
                    else EMPTY.get(name, cst.Call(function))
                )
        return new

    def leave_Param(self, old: cst.Param, new: cst.Param) -> cst.Param:
        equal = cst.AssignEqual(NO_SPACE, NO_SPACE) if new.default else DEFAULT
        return new.with_changes(annotation=None, equal=equal)

    def leave_FunctionDef(
        self, old: cst.FunctionDef, new: cst.FunctionDef
    ) -> cst.FunctionDef:
        """Write the parameters on one line, or on one of their own, if they fit."""
        new = new.with_changes(returns=None)
        code = cst.Module([]).code_for_node(new.params.visit(OneLine())).strip(" ,")
        for inside in (code, f"\n    {code}\n"):
            head = f"def {new.name.value}({inside}):"
            if max(map(len, head.split("\n"))) + 4 * self.depth <= WIDTH:
                fit = cst.ensure_type(
                    cst.parse_statement(f"{head} pass"), cst.FunctionDef
                )
                space = fit.whitespace_before_params
                return new.with_changes(
                    params=fit.params, whitespace_before_params=space
                )
        return new

    # Comments

    def leave_TrailingWhitespace(
        self, old: cst.TrailingWhitespace, new: cst.TrailingWhitespace
    ) -> cst.TrailingWhitespace:
        """Remove what comments tell linters and type checkers."""
        if new.comment is None or not PRAGMA.search(new.comment.value):
            return new
        rest = PRAGMA.sub("", new.comment.value).strip("# ")
        if rest:
            return new.with_changes(comment=cst.Comment(f"# {rest}"))
        return new.with_changes(whitespace=NO_SPACE, comment=None)


class OneLine(cst.CSTTransformer):
    """Join the lines of an expression."""

    def leave_ParenthesizedWhitespace(
        self, old: cst.ParenthesizedWhitespace, new: cst.ParenthesizedWhitespace
    ) -> cst.SimpleWhitespace:
        return cst.SimpleWhitespace(" ")
