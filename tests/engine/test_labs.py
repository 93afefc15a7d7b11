"""Labs: notebooks that mkdocs-jupyter runs, in the book's pages."""

import json
from collections.abc import Callable
from pathlib import Path

import jupytext
import pytest
from bs4 import BeautifulSoup

from lookback.engine import labs
from lookback.engine.book import Book
from lookback.engine.errors import PageError
from lookback.engine.opened import PACKAGE
from lookback.engine.run import run_pages
from lookback.engine.worker import Job

LABS = sorted((Path(__file__).parents[2] / "docs" / "labs").glob("*.py"))
Build = Callable[..., Path]

LAB = """\
# %% [markdown]
# # A lab
#
# Words and $x^2$ ([@shannon1948, page 3]), see [the page](../t.md).

# %%
#| alt: A line that
#|   falls
#| caption: Falling by $x$
#| predict: Will it *fall*?
from matplotlib import pyplot

from lookback import ngram

pyplot.plot([1, 2]);  # with ``` inside

# %% [markdown] tags=["exercise"]
# **Exercise 1: more.** Do it
#
# twice.

# %% [markdown] tags=["solution"]
# So:

# %% tags=["solution"]
from lookback.figures import Table

print(4, end="", flush=True)
print(2)
Table(["word"], [["a < b"]])
"""


# ------------------------------------------------------------------------ reading


def test_every_line_of_the_page_is_the_line_of_the_lab() -> None:
    page = labs.read(LAB, "docs/labs/a.py")
    lines = page.text.split("\n")
    assert lines[:2] == ["", "# A lab"]
    assert lines[5] == "````python" and lines[15] == "````"
    assert lines[16:20] == [
        '!!! exercise "Exercise 1: more"',
        "    Do it",
        "",
        "    twice.",
    ]
    assert lines[21:23] == ['    ??? solution "Solution"', "        So:"]
    assert lines[24] == "        ```python" and lines[-1] == "        ```"
    first, second = page.running
    assert first.line == 6 and first.options["alt"] == "A line that falls"
    assert second.line == 25 and second.code.endswith('Table(["word"], [["a < b"]])')


@pytest.mark.parametrize("text", [LAB, *(lab.read_text("utf-8") for lab in LABS)])
def test_cells_are_those_that_jupytext_reads(text: str) -> None:
    cells = jupytext.reads(text, "py:percent").cells
    theirs = [
        "\n".join(line for line in cell.source.split("\n") if not line.startswith("#|"))
        for cell in cells
        if cell.cell_type == "code"
    ]
    assert [piece.code for piece in labs.read(text, "a").running] == theirs


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("x = 1\n", 1, "begin a line of prose"),
        ("# %% [markdown]\n# a\nb\n", 3, "begin a line of prose"),
        ("# %%\nx = 1\n# %%\ny = 1\n", 3, "leave a blank line before this cell"),
        ("# %% [raw]\n# a\n", 1, "a cell begins with"),
        ('# %% tags=["hide"]\nx\n', 1, "a cell begins with"),
        ('# %% tags=["solution"]\nx\n', 1, "begins with a Markdown cell"),
        ('# %% [markdown] tags=["exercise"]\n# no title\n', 1, r"its \*\*title\*\*"),
        ('# %% [markdown] tags=["solution"]\n# So.\n', 1, "follows an exercise"),
        ("# %% [markdown]\n# See {{ x }}.\n", 2, "print the value"),
        ("# %% [markdown]\n# a\n#\n# ```python\n# x\n# ```\n", 4, "make this fence a"),
        ("# %%\n#| colour: red\nx\n", 2, "is no option"),
        ("# %%\n#| open: false\nx\n", 1, "stand open"),
    ],
)
def test_refuses_what_a_lab_cannot_mean(text: str, line: int, message: str) -> None:
    with pytest.raises(PageError, match=message) as caught:
        labs.read(text, "docs/labs/a.py")
    assert (caught.value.page, caught.value.line) == ("docs/labs/a.py", line)


# ---------------------------------------------------------------- running, rendering


@pytest.fixture
def build(book: Build, tmp_path: Path) -> Callable[[str], BeautifulSoup]:
    """Build a book with this lab; its page."""
    (tmp_path / "docs" / "labs").mkdir()

    def make(lab: str) -> BeautifulSoup:
        (tmp_path / "docs" / "labs" / "l.py").write_text(lab, encoding="utf-8")
        page = book("# T\n") / "labs" / "l" / "index.html"
        return BeautifulSoup(page.read_bytes(), "html.parser")

    return make


def test_a_lab_is_a_page_of_the_book(
    build: Callable[[str], BeautifulSoup], tmp_path: Path
) -> None:
    page = build(LAB).select_one("article")
    assert page is not None

    # Its prose is that of any page.
    assert page.select("h1#a-lab") and page.select("p > math")
    (cite,) = page.select("a.lb-cite")
    assert cite["href"] == "../../bibliography/#shannon1948"
    assert page.select('a[href="../../t/"]')

    # Its cells are code, which stands open, and what the notebook showed.
    assert not page.select("details.lb-fold")
    first, second = page.select(".highlight")
    assert first.text.startswith("from matplotlib") and "#|" not in first.text
    assert "Will it fall?" in page.select_one(".lb-question").text
    figure = page.select_one(".lb-predict figure#figure-1")
    assert figure.select_one("svg")["aria-label"] == "A line that falls"
    assert figure.figcaption.text.startswith("Figure 1. Falling by")
    assert "var(--lb-" in str(figure) and "#1766ad" not in str(figure).lower()
    solution = page.select_one(".exercise#exercise-1 details.solution")
    assert solution.select_one(".highlight") is second
    assert solution.select_one("pre.lb-text").text == "42"
    assert solution.select_one("table th[scope=row]").text == "a < b"

    # The notebook beside it reads well.
    path = tmp_path / "site" / "labs" / "l" / "l.ipynb"
    cells = ["".join(c["source"]) for c in json.loads(path.read_text())["cells"]]
    assert "#|" not in "".join(cells) and "Shannon 1948, page 3" in cells[1]


def test_prose_of_a_lab_runs_nothing_and_a_run_says_what_it_read(
    build: Callable[[str], BeautifulSoup],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def runs() -> int:
        return caplog.text.count("docs/labs/l.py ran for")

    first = build(LAB)
    assert runs() == 1
    assert str(build(LAB.replace("Words", "Other words"))) != str(first)
    assert runs() == 1  # its prose runs nothing

    book = Book(tmp_path, tmp_path / "docs", PACKAGE, tmp_path / ".lookback")
    book.read(["labs/l.py"])
    book.run()
    run = book.runs["labs/l.py"]
    assert {"ngram.py", "engine/labs.py"} <= {*run.files}
    assert "glove.py" not in run.files and "matplotlib" in run.distributions


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        ("def f():\n    return 1 / 0\n\nf()", 11, "ZeroDivisionError: division by"),
        ("x = = 1", 8, "SyntaxError: invalid syntax"),
        ("import os\nos._exit(3)", 7, "Kernel died"),
        ("import sys\nprint('uh', file=sys.stderr)", 7, "this cell warns: uh"),
        ("from matplotlib import pyplot\npyplot.plot([1]);", 7, "#| alt: what"),
    ],
)
def test_a_fault_of_a_cell_is_one_message_with_its_line(
    code: str, line: int, message: str
) -> None:
    lab = f"# %% [markdown]\n# # A trial\n\n# %%\n1\n\n# %%\n{code}\n"
    page = labs.read(lab, "docs/labs/l.py")
    (run,) = run_pages([Job(page.name, page.running)])
    told = str(run.error)
    assert told.startswith(f"docs/labs/l.py:{line}: ") and message in told
    assert "Cell In" not in told and told.count("\n") < 12
