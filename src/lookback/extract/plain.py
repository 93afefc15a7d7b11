"""Cut definitions down to what a person reads: no checks, types or long docstrings.

LibCST's tree holds all of the text, so that what stays keeps its comments, blank lines
and spelling. For arguments that the package accepts, the plain text computes what the
full one does.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from itertools import dropwhile

import libcst as cst

WIDTH = 88
GENERIC = {"Counter", "defaultdict", "deque", "dict", "frozenset", "list", "set"}
EMPTY: dict[str, cst.BaseExpression] = {"dict": cst.Dict([]), "list": cst.List([])}
PRAGMA = re.compile(r"(type: ignore|noqa|fmt: \w+)(\[[\w, -]*\]|: [A-Z]+\d+,?)?\s*")
GONE = cst.Pass()  # in place of a part that is cut
NO_SPACE = cst.SimpleWhitespace("")
DEFAULT = cst.MaybeSentinel.DEFAULT


def plain(text: str, checks: Collection[str] = ()) -> str:
    """Cut checks, asserts and annotations out of definitions; shorten docstrings.

    checks  the functions whose calls, as statements, only refuse bad arguments
    """
    return _plain(text, frozenset(checks))


@cache  # a definition is on pages, in notebooks and in programs
def _plain(text: str, checks: frozenset[str]) -> str:
    typed = re.search(r"[a-z]\[.*\]\(", text) is not None  # `Counter[T](x)`
    return cst.parse_module(text).visit(Plain(checks, expressions=typed)).code


class Blocks(cst.CSTTransformer):
    """Remove statements of which nothing is left, and the comments above them."""

    depth = 0

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self.depth += 1

    def leave_IndentedBlock(
        self, old: cst.IndentedBlock, new: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """Blank lines stay where there were some above. An empty block is `pass`."""
        self.depth -= 1
        kept: list[cst.CSTNode] = []
        above: list[cst.EmptyLine] | None = None  # the lines above what goes
        for node in new.body:
            lines: list[cst.EmptyLine] = [*getattr(node, "leading_lines", ())]
            if self.is_empty(node):
                above = lines if above is None else above
                while above and above[-1].comment:
                    above.pop()
                continue
            if above or (above is not None and not kept):
                lines = [*above, *dropwhile(lambda line: not line.comment, lines)]
                node = node.with_changes(leading_lines=lines)
            kept.append(node)
            above = None
        return new.with_changes(body=kept)

    def is_empty(self, node: cst.CSTNode) -> bool:
        match node:
            case cst.SimpleStatementLine([part]):
                return part is GONE
            case cst.If(test, body, None):
                return _refuses(body) and ":=" not in _code(test)
            case cst.For(body=body):
                return not body.body
            case cst.FunctionDef(
                cst.Name("__post_init__"),
                body=cst.IndentedBlock([] | [cst.SimpleStatementLine([cst.Expr()])]),
            ):
                return True
        return False


def _refuses(block: cst.BaseSuite) -> bool:
    """Does a block only raise `ValueError`, or nothing any more?"""
    match block.body:
        case []:
            return True
        case [cst.SimpleStatementLine([cst.Raise(cst.Call(cst.Name(name)))])]:
            return name == "ValueError"
    return False


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


class Plain(Blocks):
    """Cut checks, types and words, the inner ones first.

    expressions  whether they are entered: only where there are generic calls
    """

    def __init__(self, checks: frozenset[str], *, expressions: bool) -> None:
        super().__init__()
        self.checks, self.expressions = checks, expressions
        self.fields = set[cst.CSTNode]()  # annotations that stay

    def on_visit(self, node: cst.CSTNode) -> bool:
        enter = self.expressions or not isinstance(node, cst.BaseExpression)
        return super().on_visit(node) and enter

    def leave_Assert(self, old: cst.Assert, new: cst.Assert) -> cst.Pass:
        return GONE

    def leave_If(self, old: cst.If, new: cst.If) -> cst.If:
        match new.orelse:
            case cst.Else(body) if _refuses(body):
                return new.with_changes(orelse=None)
        return new

    def leave_Expr(self, old: cst.Expr, new: cst.Expr) -> cst.BaseSmallStatement:
        """Cut calls that only refuse; of docstrings, keep the first paragraph."""
        match new.value:
            case cst.Call(cst.Name(name)) if name in self.checks:
                return GONE
            case cst.Call(cst.Attribute(cst.Call(cst.Name("super")), method)):
                return GONE if method.value == "__post_init__" else new
            case cst.SimpleString(text) if text.endswith('"""'):
                first = re.split(r"\n[ \t]*\n", text[:-3].rstrip())[0].rstrip()
                indent = " " * 4 * self.depth
                if "\n" in first or len(f'{indent}{first}"""') > WIDTH:
                    first += f"\n{indent}"
                return new.with_changes(value=cst.SimpleString(f'{first}"""'))
        return new

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        """Keep the annotations that are fields: of dataclasses and named tuples."""
        marks = [_code(mark) for mark in (*node.decorators, *node.bases)]
        if re.search(r"\b(NamedTuple|dataclass)\b", " ".join(marks)):
            lines = [
                n for n in node.body.body if isinstance(n, cst.SimpleStatementLine)
            ]
            self.fields |= {part for line in lines for part in line.body}

    def leave_ClassDef(self, old: cst.ClassDef, new: cst.ClassDef) -> cst.ClassDef:
        """`class A(B[T], Generic[T])` becomes `class A(B)`."""
        values = [base.value for base in new.bases]
        values = [v.value if isinstance(v, cst.Subscript) else v for v in values]
        bases = [cst.Arg(v) for v in values if _code(v) != "Generic"]
        return new.with_changes(bases=bases, lpar=DEFAULT, rpar=DEFAULT)

    def leave_AnnAssign(
        self, old: cst.AnnAssign, new: cst.AnnAssign
    ) -> cst.BaseSmallStatement:
        """`x: T = y` becomes `x = y`, and `x: T` goes."""
        if old in self.fields:
            return new
        target = cst.AssignTarget(new.target)
        return cst.Assign([target], new.value) if new.value else GONE

    def leave_Call(self, old: cst.Call, new: cst.Call) -> cst.BaseExpression:
        """`Counter[T](x)` becomes `Counter(x)`, and `list[T]()` becomes `[]`."""
        match new.func:
            case cst.Subscript(cst.Name(name) as function) if name in GENERIC:
                bare = new.with_changes(func=function)
                return bare if new.args else EMPTY.get(name, bare)
        return new

    def leave_Param(self, old: cst.Param, new: cst.Param) -> cst.Param:
        equal = cst.AssignEqual(NO_SPACE, NO_SPACE) if new.default else DEFAULT
        return new.with_changes(annotation=None, equal=equal)

    def leave_FunctionDef(
        self, old: cst.FunctionDef, new: cst.FunctionDef
    ) -> cst.FunctionDef:
        """Write the parameters on one line, or on one of their own, if they fit."""
        params = cst.ensure_type(new.params.visit(OneLine()), cst.Parameters)
        line = _code(params).strip(" ,")
        for inside in (line, f"\n    {line}\n"):
            head = f"def {new.name.value}({inside}):"
            if max(map(len, head.split("\n"))) + 4 * self.depth <= WIDTH:
                fits = cst.parse_statement(f"{head} pass")
                keep = {
                    n: getattr(new, n) for n in ("body", "decorators", "leading_lines")
                }
                return cst.ensure_type(fits, cst.FunctionDef).with_changes(**keep)
        return new.with_changes(returns=None)

    def leave_TrailingWhitespace(
        self, old: cst.TrailingWhitespace, new: cst.TrailingWhitespace
    ) -> cst.TrailingWhitespace:
        """Cut what comments tell linters and type checkers."""
        if new.comment is None or not PRAGMA.search(new.comment.value):
            return new
        if rest := PRAGMA.sub("", new.comment.value).strip("# "):
            return new.with_changes(comment=cst.Comment(f"# {rest}"))
        return new.with_changes(whitespace=NO_SPACE, comment=None)


class OneLine(cst.CSTTransformer):
    """Join the lines of an expression."""

    def leave_ParenthesizedWhitespace(
        self, old: cst.ParenthesizedWhitespace, new: cst.ParenthesizedWhitespace
    ) -> cst.SimpleWhitespace:
        return cst.SimpleWhitespace(" ")
