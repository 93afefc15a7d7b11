"""Cut a definition down to what a person reads: no checks, types or long docstrings.

The text is cut, never written anew, so that comments, blank lines and the spelling of
numbers stay as the author wrote them. For arguments that the package accepts, the plain
text computes what the full one does.
"""

from __future__ import annotations

import ast
import io
import re
import symtable
import tokenize
from collections.abc import Collection, Iterator
from functools import cache

WIDTH = 88
PRAGMA = re.compile(r"(type: ignore|noqa|fmt: \w+)(\[[\w, -]*\]|: [A-Z]+\d+,?)?\s*")
GENERIC = {"Counter", "defaultdict", "deque", "dict", "frozenset", "list", "set"}
PURE = {"all", "any", "isinstance", "len", "map", "max", "min", "sum"}
EMPTY = {"dict": "{}", "list": "[]"}
Function = ast.FunctionDef | ast.AsyncFunctionDef
Edit = tuple[int, int, str]  # from, to, what stands there afterwards


def plain(text: str, checks: Collection[str] = ()) -> str:
    """Cut checks, asserts and annotations out of source; shorten docstrings.

    checks  the functions whose calls, as statements, only refuse bad arguments;
            "__post_init__" if those of the base classes do nothing else
    """
    return _plain(text, frozenset(checks))


@cache  # a definition is on pages, in notebooks and in programs
def _plain(text: str, checks: frozenset[str]) -> str:
    return _Cutter(text, checks).result()


class Text:
    """Source with its syntax tree, and edits by the nodes' places."""

    def __init__(self, text: str) -> None:
        self.text, self.tree = text, ast.parse(text)
        self.lines = [*io.StringIO(text)]  # `splitlines` breaks at more than Python
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.edits: list[Edit] = []
        self.removed: list[tuple[int, int, int]] = []  # first and last line, indent

    def offset(self, line: int, column: int) -> int:
        """The index in the text of a place as `ast` gives it, in bytes of UTF-8."""
        before = self.lines[line - 1].encode()[:column]
        return self.starts[line - 1] + len(before.decode())

    def span(self, node: ast.expr | ast.stmt | ast.arg) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return (
            self.offset(node.lineno, node.col_offset),
            self.offset(node.end_lineno, node.end_col_offset),
        )

    def source(self, node: ast.expr) -> str:
        begin, end = self.span(node)
        return self.text[begin:end]

    def statement_lines(self, node: ast.stmt) -> tuple[int, int]:
        """The lines of a statement, 0-based: decorators and comments above included."""
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(d.lineno for d in decorators)]) - 1
        indent = " " * node.col_offset
        while first and self.lines[first - 1].startswith(f"{indent}#"):
            first -= 1
        assert node.end_lineno is not None
        return first, node.end_lineno

    def remove(self, node: ast.stmt) -> None:
        """Remove the lines of a statement, and the blank lines that it leaves over."""
        self.removed.append((*self.statement_lines(node), node.col_offset))

    def remove_lines(self) -> None:
        """Turn what was removed into edits; statements in a row are one."""
        runs: list[tuple[int, int, int]] = []
        for first, last, indent in sorted(self.removed):
            if runs and self.blank_lines(first, last)[0] <= runs[-1][1]:
                run = runs.pop()
                first, last = run[0], max(run[1], last)
                indent = min(run[2], indent)
            runs.append((first, last, indent))
        for first, last, indent in runs:
            above, below = self.blank_lines(first, last)
            before = self.lines[above - 1].split("#")[0].rstrip() if above else ""
            after = self.lines[below] if below < len(self.lines) else ""
            if not re.match(rf" {{{indent}}}\S", after):  # the end of a block
                first = above
            elif above < first or before.endswith(":"):
                last = below
            self.edits.append((self.starts[first], self.starts[last], ""))

    def blank_lines(self, first: int, last: int) -> tuple[int, int]:
        """The lines first … last with the blank ones before and after them."""
        while first and not self.lines[first - 1].strip():
            first -= 1
        while last < len(self.lines) and not self.lines[last].strip():
            last += 1
        return first, last

    def edited(self) -> str:
        """The text with the edits; of those that overlap, the outer one."""
        self.remove_lines()
        out, position = [], 0
        for begin, end, new in sorted(self.edits, key=lambda e: (e[0], -e[1])):
            if begin >= position:
                out += [self.text[position:begin], new]
                position = end
        return "".join([*out, self.text[position:]])


class _Cutter(Text):
    def __init__(self, text: str, checks: frozenset[str]) -> None:
        super().__init__(text)
        self.checks = checks
        self.cut: set[ast.stmt] = set()

    def result(self) -> str:
        self.find_checks()
        self.visit(self.tree)
        self.pragmas()
        return self.edited()

    # What only checks

    def find_checks(self) -> None:
        """Find the statements that only refuse, and names that only those read."""
        statements = [n for n in ast.walk(self.tree) if isinstance(n, ast.stmt)]
        functions = [n for n in statements if isinstance(n, Function)]
        found = -1
        while found < len(self.cut):
            found = len(self.cut)
            for node in reversed(statements):  # what is inside comes first
                if self.only_checks(node):
                    self.cut.add(node)
                elif isinstance(node, ast.If) and self.refuse(node.orelse):
                    self.cut |= {*node.orelse}
            for function in functions:
                self.cut |= self.unread(function)

    def only_checks(self, node: ast.stmt) -> bool:
        match node:
            case ast.Assert():
                return True
            case ast.Expr(ast.Call(ast.Name(name))):
                return name in self.checks
            case ast.Expr(ast.Call(ast.Attribute(ast.Call(ast.Name("super")), name))):
                return name in self.checks
            case ast.If(test, body, []):
                named = any(isinstance(n, ast.NamedExpr) for n in ast.walk(test))
                return not named and self.refuse(body)
            case ast.For(body=body, orelse=[]) | ast.With(body=body):
                return all(s in self.cut for s in body)
            case ast.FunctionDef("__post_init__", body=body):
                return all(s in self.cut or is_docstring(s) for s in body)
            case ast.FunctionDef(decorator_list=[ast.Name("overload")]):
                return True
        return False

    def refuse(self, block: list[ast.stmt]) -> bool:
        return all(s in self.cut or _refuses(s) for s in block)

    def unread(self, function: Function) -> set[ast.stmt]:
        """Assignments of local names that nothing reads once the checks are gone."""
        stay = list(self.staying(function))
        read = {n.id for n in stay if isinstance(n, ast.Name) and is_read(n)}
        return {
            n
            for n in stay
            if isinstance(n, ast.Assign | ast.AnnAssign)
            and (names := _plain_targets(n))
            and not names & read
            and n.value is not None
            and is_quiet(n.value)
        }

    def staying(self, node: ast.AST) -> Iterator[ast.AST]:
        for child in ast.iter_child_nodes(node):
            if child not in self.cut:
                yield child
                yield from self.staying(child)

    # What is edited

    def visit(self, node: ast.AST) -> None:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                self.block(node, block)
        if isinstance(node, ast.If) and node.orelse:
            self.otherwise(node)
        for child in ast.iter_child_nodes(node):
            if child not in self.cut:
                self.expression(child)
                self.visit(child)

    def block(self, parent: ast.AST, block: list[ast.stmt]) -> None:
        if isinstance(parent, Function) and all(n in self.cut for n in block):
            begin, end = self.span(block[0])[0], self.span(block[-1])[1]
            self.edits.append((begin, end, "pass"))
            return
        for node, after in zip(block, [*block[1:], None], strict=True):
            if node in self.cut:
                self.remove(node)
            elif is_docstring(node):
                self.docstring(node)
            elif isinstance(node, ast.AnnAssign):
                self.annotated(node, parent)
            elif isinstance(node, Function):
                self.signature(node)
            if after is not None and isinstance(after, ast.Assert):
                rest = block[block.index(after) :]
                after = next((n for n in rest if n not in self.cut), None)
                self.returned(node, after)
            elif isinstance(node, ast.AnnAssign):
                self.returned(node, after)

    def otherwise(self, node: ast.If) -> None:
        """Remove an `else` that only refuses, from its line on."""
        if self.cut.issuperset(node.orelse):
            first, last = node.body[-1].end_lineno, node.orelse[-1].end_lineno
            assert first is not None and last is not None
            self.removed.append((first, last, node.col_offset))

    def returned(self, node: ast.stmt, after: ast.stmt | None) -> None:
        """`y: T = f(x)` and `return y` become `return f(x)`."""
        match node, after:
            case (
                ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name)),
                ast.Return(ast.Name(returned)),
            ) if name == returned:
                assert node.value is not None and after is not None
                begin, end = self.span(node)[0], self.span(node.value)[0]
                value = self.text.rindex("=", begin, end) + 1
                if "#" not in self.lines[after.lineno - 1]:
                    self.edits.append((begin, value, "return"))
                    self.remove(after)

    def annotated(self, node: ast.AnnAssign, parent: ast.AST) -> None:
        """`x: T = y` becomes `x = y`; `x: T` goes, unless it is a field."""
        if isinstance(parent, ast.ClassDef) and has_fields(parent):
            return
        if node.value is None:
            self.remove(node)
        else:
            begin, end = self.span(node.target)[1], self.span(node.annotation)[1]
            self.edits.append((begin, end, ""))

    def expression(self, node: ast.AST) -> None:
        match node:
            case ast.Call(ast.Subscript(ast.Name(name)) as called) if name in GENERIC:
                begin, end = self.span(called.value)[1], self.span(called)[1]
                if name in EMPTY and not node.args and not node.keywords:
                    begin, end = self.span(node)
                    self.edits.append((begin, end, EMPTY[name]))
                else:
                    self.edits.append((begin, end, ""))
            case ast.ClassDef(bases=bases):
                self.bases(node, bases)

    def bases(self, node: ast.ClassDef, bases: list[ast.expr]) -> None:
        """`class A(B[T], Generic[T])` becomes `class A(B)`."""
        kept = [
            self.source(base.value if isinstance(base, ast.Subscript) else base)
            for base in bases
        ]
        if not any(isinstance(base, ast.Subscript) for base in bases):
            return
        kept = [name for name in kept if name != "Generic"]
        begin = self.text.rindex("(", 0, self.span(bases[0])[0])
        end = self.text.index(")", self.span(bases[-1])[1]) + 1
        self.edits.append((begin, end, f"({', '.join(kept)})" if kept else ""))

    def docstring(self, node: ast.stmt) -> None:
        """Keep the first paragraph."""
        begin, end = self.span(node)
        found = re.fullmatch(r'([rR]?)(""")(.*)"""', self.text[begin:end], re.DOTALL)
        if found is None:
            return
        prefix, quotes, words = found.groups()
        first = re.split(r"\n[ \t]*\n", words.rstrip())[0].rstrip()
        indent = " " * node.col_offset
        last = first.rsplit("\n", 1)[-1]
        width = len(last) + (0 if "\n" in first else len(indent + prefix) + 3)
        close = f"\n{indent}" if "\n" in first or width + 3 > WIDTH else ""
        self.edits.append((begin, end, f"{prefix}{quotes}{first}{close}{quotes}"))

    def signature(self, node: Function) -> None:
        """Write the parameters without types, on one line if they fit."""
        parameters = list(self.parameters(node.args))
        begin = self.offset(node.lineno, node.col_offset)
        ends = [begin, *(self.span(a)[1] for a in _parts(node))]
        colon = re.compile(r"(?:[^#:]|#[^\n]*\n)*?:").match(self.text, max(ends))
        assert colon is not None
        indent = " " * node.col_offset
        keyword = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
        head, inside = f"{keyword} {node.name}", ", ".join(parameters)
        if len(f"{indent}{head}({inside}):") > WIDTH:
            if len(f"{indent}    {inside}") <= WIDTH:
                inside = f"\n{indent}    {inside}\n{indent}"
            else:
                inside = "".join(f"\n{indent}    {p}," for p in parameters)
                inside += f"\n{indent}"
        self.edits.append((begin, colon.end(), f"{head}({inside}):"))

    def parameters(self, args: ast.arguments) -> Iterator[str]:
        """Each parameter as it is written, with its default."""
        first = [*args.posonlyargs, *args.args]
        missing = len(first) - len(args.defaults)
        defaults = [*[None] * missing, *args.defaults]
        for n, (arg, default) in enumerate(zip(first, defaults, strict=True), 1):
            yield self.parameter(arg, default)
            if n == len(args.posonlyargs):
                yield "/"
        if args.vararg:
            yield f"*{args.vararg.arg}"
        elif args.kwonlyargs:
            yield "*"
        for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            yield self.parameter(arg, value)
        if args.kwarg:
            yield f"**{args.kwarg.arg}"

    def parameter(self, arg: ast.arg, default: ast.expr | None) -> str:
        return arg.arg if default is None else f"{arg.arg}={self.source(default)}"

    def pragmas(self) -> None:
        """Remove what comments tell linters and type checkers."""
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type != tokenize.COMMENT or not PRAGMA.search(token.string):
                continue
            line, column = token.start
            begin = self.starts[line - 1] + column
            end = begin + len(token.string)
            rest = PRAGMA.sub("", token.string).strip("# ")
            if not rest:
                begin = len(self.text[:begin].rstrip(" "))
            self.edits.append((begin, end, f"# {rest}" if rest else ""))


def is_docstring(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(ast.Constant(str())):
            return True
    return False


def is_read(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Store)


def is_quiet(node: ast.AST) -> bool:
    """Does evaluating an expression change nothing?"""
    loud = ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom
    return not any(
        isinstance(n, loud) or (isinstance(n, ast.Call) and not _is_pure(n.func))
        for n in ast.walk(node)
    )


def _is_pure(function: ast.expr) -> bool:
    match function:
        case ast.Name(name):
            return name in PURE
        case ast.Attribute(ast.Constant(str()), "join"):
            return True
    return False


def has_fields(node: ast.ClassDef) -> bool:
    """Are the annotations of a class its fields, as in a dataclass?"""
    return bool(_marks(node) & {"NamedTuple", "dataclass"})


def is_protocol(node: ast.ClassDef) -> bool:
    return "Protocol" in _marks(node)


def _marks(node: ast.ClassDef) -> set[str]:
    """The names of the base classes and of the decorators."""
    marks = [*node.decorator_list, *node.bases]
    return {n.id for mark in marks for n in ast.walk(mark) if isinstance(n, ast.Name)}


def _refuses(node: ast.stmt) -> bool:
    match node:
        case ast.Raise(ast.Call(ast.Name("ValueError"))):
            return True
    return False


def _plain_targets(node: ast.Assign | ast.AnnAssign) -> set[str]:
    """The names that are assigned; none where an attribute or an item is, too."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    flat = [
        part
        for target in targets
        for part in (target.elts if isinstance(target, ast.Tuple) else [target])
    ]
    names = [part.id for part in flat if isinstance(part, ast.Name)]
    return set(names) if len(names) == len(flat) else set()


def _parts(node: Function) -> Iterator[ast.expr | ast.arg]:
    """All that stands in the head of a function."""
    a = node.args
    yield from (*a.posonlyargs, *a.args, *a.kwonlyargs)
    yield from (part for part in (a.vararg, a.kwarg, node.returns) if part)
    yield from (*a.defaults, *(d for d in a.kw_defaults if d))


@cache
def global_names(text: str) -> frozenset[str]:
    """The names that a text looks up outside its functions and classes."""
    found, tables = set[str](), [symtable.symtable(text, "<text>", "exec")]
    while tables:
        table = tables.pop()
        top = table.get_type() == "module"
        found |= {
            s.get_name()
            for s in table.get_symbols()
            if s.is_referenced() and (top or s.is_global())
        }
        tables += table.get_children()
    return frozenset(found)
