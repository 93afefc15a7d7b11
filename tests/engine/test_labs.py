"""Labs: read with their own lines, run by mkdocs-jupyter, rendered by the engine."""

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import jupytext
import pytest

import lookback
from lookback.engine import labs
from lookback.engine.errors import PageError
from lookback.engine.labkernel import LabKernel
from lookback.engine.labrun import failure, note_start, notebook_in, run_of

ROOT = Path(__file__).parents[2]
PACKAGE = Path(lookback.__file__).parent
ZIPF = ROOT / "docs" / "labs" / "zipf.py"

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


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[LabKernel]:
    kernel = LabKernel(PACKAGE, time_limit=300)
    kernel.enter()
    yield kernel
    kernel.leave()


def run(path: Path) -> str:
    """What the build has mkdocs-jupyter do with a lab."""
    nb2html = import_module("mkdocs_jupyter.convert").nb2html
    return nb2html(str(path), execute=True, allow_errors=False)


def lab(folder: Path, *cells: str) -> Path:
    """A lab file of code cells, with a heading on its first two lines."""
    path = folder / "trial.py"
    parts = ["# %% [markdown]\n# # Trial\n", *(f"# %%\n{cell}\n" for cell in cells)]
    path.write_text("\n".join(parts), encoding="utf-8")
    return path


def page_of(path: Path) -> labs.Page:
    return labs.read(path.read_text(encoding="utf-8"), f"docs/labs/{path.name}")


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


@pytest.mark.parametrize("text", [LAB, ZIPF.read_text(encoding="utf-8")])
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


# ------------------------------------------------------------------ what cells showed

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'


def shown(*outputs: dict, source: str = "x = 1"):
    page = labs.read(f"# %% [markdown]\n# a\n\n# %%\n{source}\n", "docs/labs/a.py")
    cell = {"cell_type": "code", "outputs": list(outputs), "metadata": {}}
    return run_of({"cells": [{"cell_type": "markdown"}, cell]}, page)


def stream(text: str, name: str = "stdout") -> dict:
    return {"output_type": "stream", "name": name, "text": text}


def value(**data: str) -> dict:
    return {
        "output_type": "execute_result",
        "data": {
            kind.replace("__", "/").replace("_xml", "+xml"): v
            for kind, v in data.items()
        },
    }


def test_outputs_become_those_of_a_chapter() -> None:
    run = shown(
        stream("a\n"),
        stream("b\n"),
        value(image__svg_xml=SVG, text__plain="<Figure>"),
        value(text__html="<table></table>", text__plain="Table"),
        value(text__plain="7"),
        source="#| alt: A figure\nx",
    )
    (outputs,) = run.outputs
    assert [list(output) for output in outputs] == [
        ["text"],
        ["svg"],
        ["html"],
        ["text"],
    ]
    assert outputs[0]["text"] == "a\nb\n" and outputs[3]["text"] == "7\n"
    assert outputs[1]["svg"].startswith("<svg ") and "currentColor" in outputs[1]["svg"]


@pytest.mark.parametrize(
    ("output", "source", "message"),
    [
        (value(image__svg_xml=SVG), "x", "begin the cell with `#| alt"),
        (value(text__plain="1"), "#| alt: A\nx", "draws no figure"),
        (value(image__png="iVBO"), "x", "the book shows SVG"),
        (value(text__plain="<A at 0x7f00aa00bb00>"), "x", "memory address"),
        (stream("\x1b[31mcareful\x1b[0m", "stderr"), "x", "warns.*\ncareful$"),
    ],
)
def test_what_may_not_be_shown_is_told_with_its_line(
    output: dict, source: str, message: str
) -> None:
    message = message.replace("|", r"\|")
    with pytest.raises(PageError, match=message) as caught:
        shown(output, source=source)
    assert (caught.value.page, caught.value.line) == ("docs/labs/a.py", 4)


def test_seconds_are_from_the_first_cell_to_the_last() -> None:
    page = labs.read("# %%\nx\n\n# %%\ny\n", "a")
    times = ["2026-01-01T00:00:01.5Z", "2026-01-01T00:00:04.75Z"]
    cells = [
        {"cell_type": "code", "outputs": [], "metadata": {"execution": {"busy": time}}}
        for time in times
    ]
    assert run_of({"cells": cells}, page).seconds == 3.25


def test_a_notebook_with_other_cells_is_refused() -> None:
    with pytest.raises(PageError, match="jupytext reads 0 cells, we 2"):
        run_of({"cells": []}, labs.read(LAB, "a"))


def test_content_without_a_notebook_is_refused() -> None:
    with pytest.raises(ValueError, match="another template"):
        notebook_in("<div class='jp-Notebook'></div>")


# ------------------------------------------------------------------ running for real


def test_the_zipf_lab_runs_and_shows_what_it_should(kernel: LabKernel) -> None:
    page = page_of(ZIPF)
    content = run(ZIPF)
    done = run_of(notebook_in(content), page)
    kinds = [kind for outputs in done.outputs for output in outputs for kind in output]
    assert kinds.count("svg") == 6 and kinds.count("html") >= 3
    assert done.seconds > 0


def test_the_kernel_is_this_python_in_the_style_of_the_book(
    kernel: LabKernel, tmp_path: Path
) -> None:
    path = lab(
        tmp_path,
        "import sys, os, torch\nprint(sys.executable)\nprint(torch.get_num_threads())\n"
        "print(os.environ['PYTHONHASHSEED'])",
        "#| alt: A dot\nfrom lookback.figures import curves\n"
        "curves([1, 2], {'a': [1, 2]}, xlabel='x', ylabel='y')",
        "#| alt: Another\nfrom matplotlib import pyplot\npyplot.plot([1, 2]);",
    )
    facts, figure, plot = run_of(notebook_in(run(path)), page_of(path)).outputs
    assert facts[0]["text"].split("\n")[:3] == [
        import_module("sys").executable,
        "1",
        "0",
    ]
    assert [{*output} for output in figure] == [{"svg", "narrow", "numbers"}]  # once
    assert [list(output) for output in plot] == [["svg"]]
    assert "var(--lb-c0)" in figure[0]["svg"] and "Roboto" in figure[0]["svg"]


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        (
            "def f():\n    return 1 / 0\n\nf()",
            11,
            "ZeroDivisionError: division by zero",
        ),
        ("x = = 1", 8, "SyntaxError: invalid syntax"),
        ("import warnings\nwarnings.warn('careful')", 9, "UserWarning: careful"),
        ("import os\nos._exit(3)", 7, "DeadKernelError"),
    ],
)
def test_a_lab_that_raises_is_named_with_its_line(
    code: str, line: int, message: str, kernel: LabKernel, tmp_path: Path
) -> None:
    path = lab(tmp_path, "y = 1", code)
    with pytest.raises(Exception) as caught:  # nbclient has several
        run(path)
    fault = failure(caught.value, page_of(path))
    assert (fault.page, fault.line) == ("docs/labs/trial.py", line)
    assert fault.message.startswith(message) and "\x1b" not in fault.message


def test_a_cell_has_a_time_limit(tmp_path: Path) -> None:
    kernel = LabKernel(PACKAGE, time_limit=2)
    kernel.enter()
    path = lab(tmp_path, "while True:\n    pass")
    try:
        with pytest.raises(TimeoutError) as caught:
            run(path)
    finally:
        kernel.leave()
    fault = failure(caught.value, page_of(path))
    assert fault.line == 4 and "after 2 seconds" in fault.message


def test_a_fault_before_any_cell_is_told_too() -> None:
    note_start({"cell_type": "markdown"}, 0)
    fault = failure(RuntimeError("no kernel"), labs.read(LAB, "docs/labs/a.py"))
    assert str(fault) == "docs/labs/a.py:1: RuntimeError: no kernel"


# ------------------------------------------------------ the cache, and tidiness


def test_the_kernel_reports_what_the_lab_read(
    kernel: LabKernel, tmp_path: Path
) -> None:
    code = (
        "from pathlib import Path\nimport lookback.ngram\n"
        "text = Path(lookback.ngram.__file__).with_name('py.typed').read_text()"
    )
    run(lab(tmp_path, code, "x = 1"))
    files = set(kernel.opened())
    assert {"ngram.py", "py.typed", "engine/figures.mplstyle"} <= files
    assert "glove.py" not in files
    assert kernel.opened() == []


def test_everything_is_put_back() -> None:
    settings = import_module("mkdocs_jupyter.config").settings
    before = (dict(os.environ), settings.templates_dir)
    kernel = LabKernel(PACKAGE)
    kernel.enter()
    home = Path(os.environ["JUPYTER_PATH"]).parent
    kernel.enter()  # a second build of `mkdocs serve`, the first having failed
    assert not home.exists() and settings.templates_dir != before[1]
    kernel.leave()
    kernel.leave()
    assert (dict(os.environ), settings.templates_dir) == before


def test_pytest_does_not_import_labs(pytestconfig: pytest.Config) -> None:
    ignored = pytestconfig.hook.pytest_ignore_collect(
        collection_path=ZIPF, path=SimpleNamespace(), config=pytestconfig
    )
    assert ignored is True
