"""The plain view of source: what is cut, what stays, and that it computes the same."""

import ast
import doctest
import unicodedata
from collections.abc import Iterator
from importlib import import_module
from textwrap import dedent
from types import ModuleType

import pytest

from lookback import CHAPTERS
from lookback.extract import plain
from lookback.extract.package import ROOT, Package

PACKAGE = Package()
CUT = {
    "a check": (
        """
        def f(x):
            shapes(x=(x, "B T"))
            return x
        """,
        """
        def f(x):
            return x
        """,
    ),
    "a check with a comment of its own, between blank lines": (
        """
        def f(x):
            y = x + 1

            # Too large numbers are refused,
            # because nobody needs them.
            shapes(x=x)

            return y  # (8)
        """,
        """
        def f(x):
            y = x + 1

            return y  # (8)
        """,
    ),
    "a refusal, and a loop of refusals": (
        """
        def f(x, y):
            if len(x) != len(y):
                raise ValueError(f"{x}, {y}")
            for one in x:
                if one not in y:
                    raise ValueError(one)
            return x
        """,
        """
        def f(x, y):
            return x
        """,
    ),
    "not another error, and not a branch that does something": (
        """
        def f(x):
            if x < 0:
                raise KeyError(x)
            if x > 9:
                raise ValueError(x)
            else:
                x += 1
            if (y := x + 1) > 3:
                raise ValueError(y)
            return x
        """,
        None,
    ),
    "an assertion, and an else that only refuses": (
        """
        def f(x):
            assert isinstance(x, int)
            if x < 0:
                x = -x  # (1)
            elif x == 2:
                x = 3
            else:  # of a few
                shapes(x=x)
                raise ValueError(x)

            return x
        """,
        """
        def f(x):
            if x < 0:
                x = -x  # (1)
            elif x == 2:
                x = 3

            return x
        """,
    ),
    "types, of which fields alone stay": (
        """
        @dataclass(frozen=True)
        class Sizes:
            n: int
            names: list[str] = field(default_factory=list)
            kinds: ClassVar[int] = 3

        class Cell(Base[Tensor], Generic[S]):
            blocks: ClassVar[int]
            n: int = 4

            def __init__(self, n: "int" = 0x10) -> None:
                self.n: int = n
                words: int
                found = list[int](), dict[str, int](), Counter[str]("abc")
        """,
        """
        @dataclass(frozen=True)
        class Sizes:
            n: int
            names: list[str] = field(default_factory=list)
            kinds: ClassVar[int] = 3

        class Cell(Base):
            n = 4

            def __init__(self, n=0x10):
                self.n = n
                found = [], {}, Counter("abc")
        """,
    ),
    "a signature of several lines becomes one": (
        """
        def f(
            self, x: Tensor, /, y: int = 3, *more: int, k: str = "a:b", **rest: int
        ) -> tuple[Tensor, dict[str, int]]: return x
        """,
        """
        def f(self, x, /, y=3, *more, k="a:b", **rest): return x
        """,
    ),
    "a signature that is still too long has a line for its parameters": (
        """
        def a_function_of_a_long_name(
            one: int,  # why: this
            another_long_name: int = 1,
            *,
            a_third_long_name: int = 2,
            last_of_all: int = (3),
        ) -> int:
            return 1
        """,
        """
        def a_function_of_a_long_name(
            one, another_long_name=1, *, a_third_long_name=2, last_of_all=(3)
        ):
            return 1
        """,
    ),
    "a signature that is too long for that keeps its lines": (
        """
        def f(
            a_parameter_of_a_long_name: int,
            another_parameter_of_a_long_name: int = 1,
            *,
            a_third_parameter_of_a_long_name: int = 2,
        ) -> int:
            return 1
        """,
        """
        def f(
            a_parameter_of_a_long_name,
            another_parameter_of_a_long_name=1,
            *,
            a_third_parameter_of_a_long_name=2,
        ):
            return 1
        """,
    ),
    "of a docstring all but the first paragraph": (
        '''
        class A:
            """softmax(Q Kᵀ / √d_k) V.   Vaswani et al. 2017,
            equation 1.

            Q (T, d_k)
            """

            x = 1  # noqa: E741  the paper's
            y = 2  # type: ignore[attr-defined]
            z = [
                1, 2,
            ]  # fmt: skip

            def f(self):
                """One.

                Two.
                """
        ''',
        '''
        class A:
            """softmax(Q Kᵀ / √d_k) V.   Vaswani et al. 2017,
            equation 1.
            """

            x = 1  # the paper's
            y = 2
            z = [
                1, 2,
            ]

            def f(self):
                """One."""
        ''',
    ),
    "a __post_init__ that only checks": (
        """
        @dataclass
        class A(B):
            n: int

            def __post_init__(self) -> None:
                super().__post_init__()
                shapes(n=self.n)


        def f(x): ...
        """,
        """
        @dataclass
        class A(B):
            n: int


        def f(x): ...
        """,
    ),
    "a body of which nothing would stay": (
        """
        def check(x):
            shapes(x=x)
        """,
        """
        def check(x):
            pass
        """,
    ),
}


@pytest.mark.parametrize("case", CUT)
def test_what_is_cut_by_hand(case: str) -> None:
    before, after = (dedent(text or "") for text in CUT[case])
    assert plain(before, {"shapes", "__post_init__"}) == (after or before)


def source(name: str) -> str:
    return (ROOT / f"{name}.py").read_text(encoding="utf-8")


def definitions(node: ast.AST, prefix: str = "") -> Iterator[str]:
    """The names of functions and classes, with those of their methods."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            yield prefix + child.name
            yield from definitions(child, f"{prefix}{child.name}.")


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_keeps_its_definitions_and_loses_checks_and_types(name: str) -> None:
    text = plain(source(name), PACKAGE.checks(name))
    tree, before = ast.parse(text), ast.parse(source(name))
    lost = {*definitions(before)} - {*definitions(tree)}
    assert {n.rpartition(".")[2] for n in lost} <= {"__post_init__"}
    assert plain(text, PACKAGE.checks(name)) == text
    nodes = list(ast.walk(tree))
    assert not [n for n in nodes if isinstance(n, ast.Assert)]
    assert not [n for n in nodes if isinstance(n, ast.arg) and n.annotation]
    called = {ast.unparse(n.value.func) for n in nodes
              if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)}  # fmt: skip
    assert not called & PACKAGE.checks(name)
    assert max(map(width, text.splitlines())) <= 88


def width(line: str) -> int:
    return sum(not unicodedata.combining(character) for character in line)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_s_examples_hold_in_its_plain_text(name: str) -> None:
    original, module = import_module(f"lookback.{name}"), ModuleType(f"plain_{name}")
    exec(plain(source(name), PACKAGE.checks(name)), vars(module))
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder().find(original, extraglobs=vars(module)):
        said: list[str] = []
        assert runner.run(example, out=said.append).failed == 0, "".join(said)
