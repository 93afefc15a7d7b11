"""Blocks of pages, and labs, as tests."""

import ast
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from lookback.engine.blocks import Piece
from lookback.engine.book import one_page
from lookback.engine.render import PageContext, is_open

pytest_plugins = ["pytester"]

PAGE = """
# T

```python
x = 1
```

!!! note "N"

    ```python
    assert x == 2, x
    ```

!!! note "Box"

    ```python
    x = 3
    ```

So {{ x }}.
"""


# These pages need neither torch nor matplotlib, which take seconds to be imported.
LITTLE = "from lookback.engine import run\nrun.PRELOAD.clear()\n"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".ini", pytest="[pytest]\naddopts = --markdown-docs\n")
    pytester.makefile(".yml", mkdocs="site_name: T\n")
    pytester.makeconftest(LITTLE)
    docs = pytester.mkdir("docs")
    (docs / "p.md").write_text(PAGE)
    (docs / "labs").mkdir()
    (docs / "labs" / "lab.py").write_text("# %% [markdown]\n# # L\n\n# %%\n1 / 0\n")
    return pytester


def run(project: pytest.Pytester, *words: str) -> pytest.RunResult:
    plugins = ("-p", "lookback.engine.doctests", "-p", "no:cacheprovider")
    return project.runpytest_subprocess(*plugins, *words)


def test_each_block_is_a_test_and_dependents_are_skipped(project) -> None:
    result = run(project, "-v", "-rs")
    result.assert_outcomes(passed=1, failed=2, skipped=2)
    result.stdout.fnmatch_lines(["docs/labs/lab.py:5: block 1: ZeroDivisionError: *"])
    result.stdout.fnmatch_lines(
        [
            "*line:4* PASSED*",
            "*line:10* FAILED*",
            "*line:16* SKIPPED*",
            "*line:20* SKIPPED*",
        ]
    )
    result.stdout.fnmatch_lines(["docs/p.md:11: block 2: AssertionError: 1"])
    result.stdout.fnmatch_lines(
        ["SKIPPED*depends on a block that failed: docs/p.md:11"]
    )


def test_one_block_alone_runs_what_it_depends_on(project) -> None:
    page = project.path / "docs" / "p.md"
    page.write_text(PAGE.replace("x == 2", "x == 1"))
    result = run(project, "docs/p.md", "-k", "line:16")
    result.assert_outcomes(passed=1, deselected=3)


def test_what_ran_whole_fills_the_cache_and_none_is_read(project) -> None:
    (project.path / "docs" / "labs" / "lab.py").write_text("# %%\n6 * 7\n")
    page: Path = project.path / "docs" / "p.md"
    counter = project.path / "ran"
    code = f"open({str(counter)!r}, 'a').write('.')"
    page.write_text(f"```python\n{code};\n```\n")
    for times in (1, 2):
        run(project).assert_outcomes(passed=2)
        assert counter.read_text() == "." * times
    kept = [*(project.path / ".lookback").glob("*/*.json")]
    assert sorted(path.parent.name for path in kept) == [
        "docs--labs--lab.py",
        "docs--p.md",
    ]


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (b"# T\n\n```python\nx\n", "docs/p.md:3: *never closed*"),
        (b"# T\n\ncaf\xe9\n", "docs/p.md:3: it is not UTF-8*"),
    ],
)
def test_a_page_that_cannot_be_read_fails_the_collection(project, page, words) -> None:
    (project.path / "docs" / "p.md").write_bytes(page)
    result = run(project, "docs/p.md")
    assert result.ret != 0
    result.stdout.fnmatch_lines([words])
    assert "Traceback" not in str(result.stdout)


def test_a_byte_order_mark_hides_no_block(project) -> None:
    (project.path / "docs" / "p.md").write_bytes(b"\xef\xbb\xbf```python\n1\n```\n")
    run(project, "docs/p.md").assert_outcomes(passed=1)


def pasted(name: str) -> list[tuple[str, int, str]]:
    """List file, line and code of the open blocks of a page."""
    path = Path(__file__).parents[2] / "docs" / f"{name}.md"
    context = PageContext(*one_page(path))
    running = context.page.running
    blocks = [p for p in running if p.kind != "value" and not p.column]
    shown = [p for p in blocks if is_open(p, shows=may_show(p))]
    return [(path.name, piece.line, context.copy(piece)) for piece in shown]


def may_show(piece: Piece) -> bool:
    """Guess without a run: does the block draw, print or end with a value?"""
    *_, last = ast.parse(piece.code).body
    value = isinstance(last, ast.Expr) and not piece.code.rstrip().endswith(";")
    return value or "alt" in piece.options or "print(" in piece.code


def unknown_names(codes: Mapping[str, str], folder: Path) -> list[str]:
    """List names that code uses and nothing in it defines or imports, by ruff.

    codes  a name for each code → the code
    """
    for name, code in codes.items():
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    command = ["ruff", "check", "--isolated", "--no-cache", "-q"]
    command += ["--select=F821,F823", "--output-format=concise", str(folder)]
    checked = subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True
    )
    assert not checked.stderr
    return checked.stdout.splitlines()


def test_what_stands_open_names_nothing_that_is_folded(
    chapters: list[str], tmp_path: Path
) -> None:
    """Find each name of an open block defined or imported in an open block."""
    blocks = {name: pasted(name) for name in chapters}
    assert {name: len(found) for name, found in blocks.items() if len(found) < 4} == {}
    codes = {name: "\n".join(c for *_, c in found) for name, found in blocks.items()}
    assert unknown_names(codes, tmp_path) == []


def test_what_stands_open_runs_by_itself(pasted_name: str) -> None:
    """Run the open blocks of a page in their order, as a reader who pastes them."""
    space: dict[str, object] = {"__name__": "pasted"}
    for file, line, code in pasted(pasted_name):
        exec(compile(code, f"{file}:{line}", "exec"), space)
