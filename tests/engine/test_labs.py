"""Labs: notebooks in percent format, read with their own lines, run like chapters."""

from pathlib import Path
from types import SimpleNamespace

import jupytext
import pytest

import lookback
from lookback.engine import labs
from lookback.engine.book import Book
from lookback.engine.errors import PageError
from lookback.engine.run import run_pages
from lookback.engine.worker import Job

PACKAGE = Path(lookback.__file__).parent
LABS = sorted((Path(__file__).parents[2] / "docs" / "labs").glob("*.py"))

LAB = """\
# %% [markdown]
# # A lab
#
# Words and $x^2$.

# %%
#| alt: A line that
#|   falls
#| caption: Falling
x = 2  # with ``` inside

# %% [markdown] tags=["exercise"]
# **Exercise 1: more.** Do it
#
# twice.

# %% [markdown] tags=["solution"]
# So:

# %% tags=["solution"]
x * 2


def f():
    pass
"""


# ------------------------------------------------------------------------ reading


def test_every_line_of_the_page_is_the_line_of_the_lab() -> None:
    page = labs.read(LAB, "docs/labs/a.py")
    lines = page.text.split("\n")
    assert lines[:4] == ["", "# A lab", "", "Words and $x^2$."]
    assert lines[5] == "````python" and lines[10] == "````"
    assert lines[11:15] == [
        '!!! exercise "Exercise 1: more"',
        "    Do it",
        "",
        "    twice.",
    ]
    assert lines[16:18] == ['    ??? solution "Solution"', "        So:"]
    assert lines[19:21] == ["        ```python", "        x * 2"]
    assert lines[-1] == "        ```"
    first, second = page.running
    assert (first.line, first.code) == (6, "x = 2  # with ``` inside")
    assert first.options == {"alt": "A line that falls", "caption": "Falling"}
    assert (second.line, second.code) == (20, "x * 2\n\n\ndef f():\n    pass")


@pytest.mark.parametrize("text", [LAB, *(lab.read_text("utf-8") for lab in LABS)])
def test_cells_are_those_that_jupytext_reads(text: str) -> None:
    cells = [
        c for c in jupytext.reads(text, "py:percent").cells if c.cell_type == "code"
    ]
    ours = [piece.code for piece in labs.read(text, "a").running]
    theirs = [
        "\n".join(line for line in cell.source.split("\n") if not line.startswith("#|"))
        for cell in cells
    ]
    assert ours == theirs


def test_a_header_is_front_matter() -> None:
    page = labs.read("# ---\n# title: T\n# ---\n\n# %%\nx = 1\n", "a")
    assert [piece.code for piece in page.pieces if piece.kind == "front"] == [
        "title: T\n"
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("x = 1\n", 1, "begin a line of prose"),
        ("# %% [markdown]\n# a\nb\n", 3, "begin a line of prose"),
        ("# %%\nx = 1\n# %%\ny = 1\n", 3, "leave a blank line before this cell"),
        ("# %% [raw]\n# a\n", 1, r"has no `\[raw\]`"),
        ('# %% tags=["hide"]\nx\n', 1, "one tag of exercise"),
        ('# %% tags=["exercise"]\nx\n', 1, "a code cell's tag is solution"),
        ('# %% tags=["solution"]\nx\n', 1, "after a Markdown cell's"),
        ('# %% [markdown] tags=["exercise"]\n# no title\n', 2, r"its \*\*title\*\*"),
        ("# %% [markdown]\n# See {{ x }}.\n", 2, "computes in its cells"),
        ("# %% [markdown]\n# a\n#\n# ```python\n# x\n# ```\n", 4, "is not run"),
        ("# %%\n#| colour: red\nx\n", 2, "is no option"),
    ],
)
def test_what_cannot_be_meant_is_told_with_its_line(
    text: str, line: int, message: str
) -> None:
    with pytest.raises(PageError, match=message) as caught:
        labs.read(text, "docs/labs/a.py")
    assert (caught.value.page, caught.value.line) == ("docs/labs/a.py", line)


# ------------------------------------------------------------------------ running


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        ("def f():\n    return 1 / 0\n\nf()", 11, "ZeroDivisionError"),
        ("x = = 1", 8, "SyntaxError: invalid syntax"),
        ("import os\nos._exit(3)", 7, "block 2: the process that ran this page"),
        ("from matplotlib import pyplot\npyplot.plot([1, 2]);", 7, "has no words"),
    ],
)
def test_a_fault_is_told_with_the_line_of_the_lab(
    code: str, line: int, message: str
) -> None:
    page = labs.read(
        f"# %% [markdown]\n# # A trial\n\n# %%\ny = 1\n\n# %%\n{code}\n",
        "docs/labs/a.py",
    )
    (run,) = run_pages([Job(page.name, "docs/labs/a.py", page.running)])
    assert run.error is not None and run.failed == 1
    assert (run.error.page, run.error.line) == ("docs/labs/a.py", line)
    assert message in run.error.message


def test_a_lab_is_a_page_of_the_book(tmp_path: Path) -> None:
    (tmp_path / "docs" / "labs").mkdir(parents=True)
    (tmp_path / "docs" / "references.bib").touch()
    (tmp_path / "docs" / "labs" / "a.py").write_text("# # A lab\n\n# %%\n6 * 7\n")
    book = Book(tmp_path, tmp_path / "docs", PACKAGE)
    book.read(["labs/a.py"])
    book.run(processes=1)
    assert book.pages["labs/a.py"].text.startswith("# A lab\n")
    assert book.runs["labs/a.py"].outputs == [[{"text": "42\n"}]]


def test_pytest_does_not_import_labs(pytestconfig: pytest.Config) -> None:
    ignored = pytestconfig.hook.pytest_ignore_collect(
        collection_path=LABS[0], path=SimpleNamespace(), config=pytestconfig
    )
    assert ignored is True
