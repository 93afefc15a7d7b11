"""The plain view of source: what is cut, what stays.

That it computes the same is held by the one-file versions, which are made of it.
"""

import ast
import unicodedata
from collections.abc import Iterator

import pytest

from lookback import CHAPTERS
from lookback.extract import plain
from lookback.extract.package import ROOT, Package

PACKAGE = Package()
CUT = '''
 @dataclass(frozen=True)
 class Sizes(B):
     n: int
     names: list[str] = field(default_factory=list)
     kinds: ClassVar[int] = 3

-    def __post_init__(self) -> None:
-        super().__post_init__()
-        shapes(n=self.n)
-

-class Cell(Base[Tensor], Generic[S]):
+class Cell(Base):
     """softmax(Q Kᵀ / √d_k) V.   Vaswani et al. 2017,
     equation 1.
-
-    Q (T, d_k)
     """

-    x = 1  # noqa: E741  the paper's
+    x = 1  # the paper's
-    y = 2  # type: ignore[attr-defined]
-    blocks: ClassVar[int]
-    n: int = 4
-    z = [
-        1, 2,
-    ]  # fmt: skip
-
-    def __init__(self, n: "int" = 0x10) -> None:
-        """One.
-
-        Two.
-        """
-        self.n: int = n
-        words: int
-        found = list[int](), dict[str, int](), Counter[str]("abc")
+    y = 2
+    n = 4
+    z = [
+        1, 2,
+    ]
+
+    def __init__(self, n=0x10):
+        """One."""
+        self.n = n
+        found = [], {}, Counter("abc")


 def checks(x):
     y = x + 1

-    # Too large numbers are refused,
-    # because nobody needs them.
-    shapes(x=x)
-
     return y  # (8)


 def refusals(x, y):
-    assert isinstance(x, int)
-    if len(x) != len(y):
-        raise ValueError(f"{x}, {y}")
-    for one in x:
-        if one not in y:
-            raise ValueError(one)
     if x < 0:
         x = -x  # (1)
     elif x == 2:
         x = 3
-    else:  # of a few
-        shapes(x=x)
-        raise ValueError(x)

     return x


 def other_errors_and_branches_that_do_something(x):
     if x < 0:
         raise KeyError(x)
     if x > 9:
         raise ValueError(x)
     else:
         x += 1
     if (y := x + 1) > 3:
         raise ValueError(y)
     return x


 def loops(x, y):
-    assert x
-
     for one in x:
         y.append(one)
     return y


 def nothing_would_stay(x):
-    shapes(x=x)
+    pass


-def one_line(
-    self, x: Tensor, /, y: int = 3, *more: int, k: str = "a:b", **rest: int
-) -> tuple[Tensor, dict[str, int]]: return x
+def one_line(self, x, /, y=3, *more, k="a:b", **rest): return x


 def a_line_for_its_parameters(
-    one: int,  # why: this
-    another_long_name: int = 1,
-    *,
-    a_third_long_name: int = 2,
-    last_of_all: int = (3),
-) -> int:
+    one, another_long_name=1, *, a_third_long_name=2, last_of_all=(3)
+):
     return 1


 def a_line_for_each_parameter(
-    a_parameter_of_a_long_name: int,
-    another_parameter_of_a_long_name: int = 1,
+    a_parameter_of_a_long_name,
+    another_parameter_of_a_long_name=1,
     *,
-    a_third_parameter_of_a_long_name: int = 2,
-) -> int:
+    a_third_parameter_of_a_long_name=2,
+):
     return 1
'''
"""What is cut (-) and what becomes of it (+), as a difference of two texts."""


def test_what_is_cut_by_hand() -> None:
    lines = CUT.strip("\n").split("\n")
    before, after = (
        "\n".join(line[1:] for line in lines if line[:1] in ("", " ", sign)) + "\n"
        for sign in "-+"
    )
    assert plain(before, {"shapes", "__post_init__"}) == after


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
