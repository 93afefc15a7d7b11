"""Pages and labs as tests, and what stands open in them."""

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

FAULTS = {
    "p.md": (
        b"```python\nx = 1\n```\n\n!!! note\n\n    ```python\n    x / 0\n    ```\n",
        "docs/p.md:8: block 2: ZeroDivisionError: *",
    ),
    "value.md": (b"\nSo {{ x }}.\n", "docs/value.md:2: NameError: *"),
    "plain.md": (b"```python\nx\n", "docs/plain.md:1: *never closed*"),
    "latin.md": (b"# T\n\ncaf\xe9\n", "docs/latin.md:3: it is not UTF-8*"),
    "labs/l.py": (b"# %%\n1 / 0\n", "docs/labs/l.py:2: block 1: ZeroDivision*"),
}
"""Pages with a fault, each with its message."""

# These pages need neither torch nor matplotlib, which take seconds to be imported.
LITTLE = "from lookback.engine import run\nrun.PRELOAD.clear()\n"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".ini", pytest="[pytest]\naddopts = --markdown-docs\n")
    pytester.makefile(".yml", mkdocs="site_name: T\n")
    pytester.makeconftest(LITTLE)
    (pytester.mkdir("docs") / "labs").mkdir()
    return pytester


def run(project: pytest.Pytester, *words: str) -> pytest.RunResult:
    plugins = ("-p", "lookback.engine.doctests", "-p", "no:cacheprovider")
    return project.runpytest_subprocess(*plugins, *words)


def test_a_page_is_a_test_and_its_fault_one_message(project) -> None:
    for name, (content, _) in FAULTS.items():
        (project.path / "docs" / name).write_bytes(content)
    result = run(project, "--continue-on-collection-errors")
    result.assert_outcomes(failed=len(FAULTS) - 1, errors=1)
    for _, words in FAULTS.values():
        result.stdout.fnmatch_lines([words])
    assert "pytest_markdown_docs" not in str(result.stdout)


def test_what_ran_whole_fills_the_cache_and_none_is_read(project) -> None:
    (project.path / "docs" / "labs" / "lab.py").write_text("# %%\n6 * 7\n")
    (project.path / "docs" / "plain.md").write_text("Words.\n")
    counter = project.path / "ran"
    code = f"open({str(counter)!r}, 'a').write('.')"
    (project.path / "docs" / "p.md").write_text(f"```python\n{code};\n```\n")
    run(project).assert_outcomes(passed=3)
    run(project, "docs/p.md").assert_outcomes(passed=1)
    assert counter.read_text() == ".."
    kept = [*(project.path / ".lookback").glob("*/*.json")]
    assert sorted(path.parent.name for path in kept) == [
        "docs--labs--lab.py",
        "docs--p.md",
    ]


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
