"""Cut a definition down to what a person reads: no checks, types or long docstrings.

Each kind of cut is a transformer of LibCST's tree, which holds all of the text: what
stays keeps its comments, blank lines and spelling. For arguments that the package
accepts, the plain text computes what the full one does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence
from functools import cache
from itertools import dropwhile
from typing import TypeVar

import libcst as cst
from libcst import matchers as m

WIDTH = 88
GENERIC = {"Counter", "defaultdict", "deque", "dict", "frozenset", "list", "set"}
EMPTY: dict[str, cst.BaseExpression] = {"dict": cst.Dict([]), "list": cst.List([])}
PURE = re.compile(r"all|any|isinstance|len|map|max|min|sum|'.*'\.join")
PRAGMA = re.compile(r"(type: ignore|noqa|fmt: \w+)(\[[\w, -]*\]|: [A-Z]+\d+,?)?\s*")
REFUSAL = m.SimpleStatementLine([m.Raise(m.Call(m.Name("ValueError")))])
DOCSTRING = m.SimpleStatementLine([m.Expr(m.SimpleString())])
SUPER = m.Attribute(m.Call(m.Name("super")), m.Name("__post_init__"))
TIGHT = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
Block = TypeVar("Block", cst.Module, cst.IndentedBlock)


def plain(text: str, checks: Collection[str] = ()) -> str:
    """Cut checks, asserts and annotations out of source; shorten docstrings.

    checks  the functions whose calls, as statements, only refuse bad arguments
    """
    return _plain(text, frozenset(checks))


@cache  # a definition is on pages, in notebooks and in programs
def _plain(text: str, checks: frozenset[str]) -> str:
    return cst.parse_module(text).visit(Plain(checks, bool(re.search(r'[a-z]\[.*\]\(', text)))).code


class Remover(cst.CSTTransformer):
    """Remove statements, with the comments above them and blank lines left over."""

    depth = 0  # of the block
    deep = True  # whether expressions are entered

    def on_visit(self, node: cst.CSTNode) -> bool:
        enter = self.deep or not isinstance(node, cst.BaseExpression)
        return super().on_visit(node) and enter

    def goes(self, node: cst.BaseStatement) -> bool:
        """Is a statement, in which all has been cut already, to be removed?"""
        return False

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self.depth += 1

    def leave_IndentedBlock(
        self, old: cst.IndentedBlock, new: cst.IndentedBlock
    ) -> cst.BaseSuite:
        self.depth -= 1
        return self.without(new)

    def leave_Module(self, old: cst.Module, new: cst.Module) -> cst.Module:
        return self.without(new)

    def without(self, block: Block) -> Block:
        """Leave out what goes; LibCST writes `pass` into an empty block."""
        kept: list[cst.BaseStatement] = []
        above: list[cst.EmptyLine] | None = None  # the lines above what went
        for node in block.body:
            assert isinstance(node, cst.BaseStatement)
            lines: Sequence[cst.EmptyLine] = getattr(node, "leading_lines", ())
            if self.goes(node):
                above = [*lines] if above is None else above
                while above and above[-1].comment:
                    above.pop()
                continue
            if above or (above is not None and not kept):
                below = dropwhile(lambda line: not line.comment, lines)
                node = node.with_changes(leading_lines=[*above, *below])
            kept.append(node)
            above = None
        return block.with_changes(body=kept)


class Checks(Remover):
    """Remove asserts, calls that check, and branches that only raise `ValueError`.

    idle  other statements that go, as `ast.unparse` writes them
    """

    def __init__(self, checks: frozenset[str], idle: Collection[str] = ()) -> None:
        super().__init__()
        self.checks, self.idle = checks, idle

    def goes(self, node: cst.BaseStatement) -> bool:
        match node:
            case cst.SimpleStatementLine([cst.Assert()]):
                return True
            case cst.SimpleStatementLine([cst.Expr(cst.Call(cst.Name(name)))]):
                return name in self.checks
            case cst.SimpleStatementLine([cst.Expr(cst.Call(function))]):
                return m.matches(function, SUPER)
            case cst.SimpleStatementLine() if self.idle:
                return ast.unparse(ast.parse(cst.Module([node]).code)) in self.idle
            case cst.If(test, body, None):
                return _refuses(body) and not m.findall(test, m.NamedExpr())
            case cst.For(body=body) | cst.With(body=body):
                return not body.body
            case cst.FunctionDef(cst.Name("__post_init__"), body=body):
                return all(m.matches(one, DOCSTRING) for one in body.body)
        return super().goes(node)

    def leave_If(self, old: cst.If, new: cst.If) -> cst.If:
        """Remove an `else` or `elif` that only refuses."""
        match new.orelse:
            case cst.Else(body) if _refuses(body):
                return new.with_changes(orelse=None)
            case cst.If() as branch if self.goes(branch):
                return new.with_changes(orelse=None)
        return new


def _refuses(block: cst.BaseSuite) -> bool:
    return all(m.matches(one, REFUSAL) for one in block.body)


def without_unread(function: cst.FunctionDef) -> cst.FunctionDef:
    """Remove the assignments of names that a function never reads."""
    nodes = [*ast.walk(ast.parse(cst.Module([function]).code))]
    names = [n for n in nodes if isinstance(n, ast.Name)]
    read = {n.id for n in names if not isinstance(n.ctx, ast.Store)}
    idle = {ast.unparse(node) for node in nodes if is_idle(node, read)}
    if not idle:
        return function
    less = function.visit(Checks(frozenset(), idle))
    assert isinstance(less, cst.FunctionDef)
    return without_unread(less)  # what only those read


def is_idle(node: ast.AST, read: set[str]) -> bool:
    """Does an assignment only compute names that are not read?"""
    if not isinstance(node, ast.Assign) or not is_quiet(node.value):
        return False
    flat = [n for target in node.targets for n in getattr(target, "elts", [target])]
    return all(isinstance(n, ast.Name) and n.id not in read for n in flat)


def is_quiet(value: ast.expr) -> bool:
    """Does evaluating an expression change nothing?"""
    loud = ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom
    calls = [n for n in ast.walk(value) if isinstance(n, ast.Call)]
    return not any(isinstance(n, loud) for n in ast.walk(value)) and all(
        PURE.fullmatch(ast.unparse(call.func)) for call in calls
    )


class Types(Remover):
    """Remove annotations, but for those that are the fields of a class."""

    def __init__(self) -> None:
        super().__init__()
        self.fields = [False]  # of the classes and functions around

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        marks = [*node.decorators, *node.bases]
        names = {n.value for mark in marks for n in m.findall(mark, m.Name())}
        self.fields.append(bool(names & {"NamedTuple", "dataclass"}))

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self.fields.append(False)

    def goes(self, node: cst.BaseStatement) -> bool:
        """`x: T`, unless it is a field."""
        match node:
            case cst.SimpleStatementLine([cst.AnnAssign(value=None)]):
                return not self.fields[-1]
        return super().goes(node)

    def leave_AnnAssign(
        self, old: cst.AnnAssign, new: cst.AnnAssign
    ) -> cst.BaseSmallStatement:
        """`x: T = y` becomes `x = y`."""
        if self.fields[-1] or new.value is None:
            return new
        return cst.Assign([cst.AssignTarget(new.target)], new.value)

    def leave_Call(self, old: cst.Call, new: cst.Call) -> cst.BaseExpression:
        """`Counter[T](x)` becomes `Counter(x)`, and `list[T]()` becomes `[]`."""
        match new.func:
            case cst.Subscript(cst.Name(name) as function) if name in GENERIC:
                if name in EMPTY and not new.args:
                    return EMPTY[name]
                return new.with_changes(func=function)
        return new

    def leave_ClassDef(self, old: cst.ClassDef, new: cst.ClassDef) -> cst.ClassDef:
        """`class A(B[T], Generic[T])` becomes `class A(B)`."""
        self.fields.pop()
        bases = [
            base.with_changes(value=base.value.value, comma=cst.MaybeSentinel.DEFAULT)
            if isinstance(base.value, cst.Subscript)
            else base
            for base in new.bases
        ]
        bases = [b for b in bases if not m.matches(b, m.Arg(m.Name("Generic")))]
        if bases:
            bases[-1] = bases[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            return new.with_changes(bases=bases)
        default = cst.MaybeSentinel.DEFAULT
        return new.with_changes(bases=[], lpar=default, rpar=default)

    def leave_Param(self, old: cst.Param, new: cst.Param) -> cst.Param:
        if new.annotation is None:
            return new
        equal = TIGHT if new.default else cst.MaybeSentinel.DEFAULT
        return new.with_changes(annotation=None, equal=equal)

    def leave_FunctionDef(
        self, old: cst.FunctionDef, new: cst.FunctionDef
    ) -> cst.BaseStatement:
        """Write the parameters on one line, or on one of their own, if they fit."""
        self.fields.pop()
        new = new.with_changes(returns=None)
        code = cst.Module([]).code_for_node(new.params.visit(OneLine())).strip(" ,")
        for inside in (code, f"\n    {code}\n"):
            head = f"def {new.name.value}({inside}):"
            if max(map(len, head.split("\n"))) + 4 * self.depth <= WIDTH:
                made = cst.parse_statement(f"{head} pass")
                assert isinstance(made, cst.FunctionDef)
                space = made.whitespace_before_params
                return new.with_changes(
                    params=made.params, whitespace_before_params=space
                )
        return new


class OneLine(cst.CSTTransformer):
    """Join the lines of an expression."""

    def leave_ParenthesizedWhitespace(
        self, old: cst.ParenthesizedWhitespace, new: cst.ParenthesizedWhitespace
    ) -> cst.SimpleWhitespace:
        return cst.SimpleWhitespace(" ")


class Docstrings(Remover):
    """Keep the first paragraph of each docstring."""

    def leave_Expr(self, old: cst.Expr, new: cst.Expr) -> cst.Expr:
        match new.value:
            case cst.SimpleString(text) if text.endswith('"""'):
                first = re.split(r"\n[ \t]*\n", text[:-3].rstrip())[0].rstrip()
                indent = " " * 4 * self.depth
                alone = "\n" in first or len(f'{indent}{first}"""') > WIDTH
                close = f'\n{indent}"""' if alone else '"""'
                return new.with_changes(value=cst.SimpleString(first + close))
        return new


class Pragmas(Remover):
    """Remove what comments tell linters and type checkers."""

    def leave_TrailingWhitespace(
        self, old: cst.TrailingWhitespace, new: cst.TrailingWhitespace
    ) -> cst.TrailingWhitespace:
        if new.comment is None or not PRAGMA.search(new.comment.value):
            return new
        rest = PRAGMA.sub("", new.comment.value).strip("# ")
        if rest:
            return new.with_changes(comment=cst.Comment(f"# {rest}"))
        return new.with_changes(whitespace=cst.SimpleWhitespace(""), comment=None)


class Plain(Checks, Types, Docstrings, Pragmas):
    """Make all cuts in one pass."""

    def __init__(self, checks: frozenset[str], deep: bool) -> None:
        Types.__init__(self)
        Checks.__init__(self, checks)
        self.deep = deep

    def leave_FunctionDef(
        self, old: cst.FunctionDef, new: cst.FunctionDef
    ) -> cst.BaseStatement:
        bare = super().leave_FunctionDef(old, new)
        assert isinstance(bare, cst.FunctionDef)
        return without_unread(bare)
