"""The blocks of a page as tests."""

import textwrap
from pathlib import Path

import pytest

from lookback.engine.blocks import parse
from lookback.engine.folding import is_open

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

=== "Tab"

    ```python
    x = 3
    ```

So {{ x }}.

```{.python src="lookback.engine.errors:Nothing"}
```
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makefile(".ini", pytest="[pytest]\naddopts = --markdown-docs\n")
    pytester.makefile(".yml", mkdocs="site_name: T\n")
    docs = pytester.mkdir("docs")
    (docs / "p.md").write_text(PAGE)
    (docs / "labs").mkdir()
    (docs / "labs" / "lab.py").write_text("raise SystemExit('imported')\n")
    return pytester


def run(project: pytest.Pytester, *words: str) -> pytest.RunResult:
    plugins = ("-p", "lookback.engine.doctests", "-p", "no:cacheprovider")
    return project.runpytest_subprocess(*plugins, *words)


def test_each_block_is_a_test_and_dependents_are_skipped(project) -> None:
    result = run(project, "-v", "-rs")
    result.assert_outcomes(passed=1, failed=2, skipped=2)
    result.stdout.fnmatch_lines(
        [
            "*line:4* PASSED*",
            "*line:10* FAILED*",
            "*line:16* SKIPPED*",
            "*line:20* SKIPPED*",
            "*line:22* FAILED*",
        ]
    )
    result.stdout.fnmatch_lines(["docs/p.md:11: block 2: AssertionError: 1"])
    result.stdout.fnmatch_lines(["docs/p.md:22: *names nothing*"])
    result.stdout.fnmatch_lines(
        ["SKIPPED*depends on a block that failed: docs/p.md:11"]
    )


def test_one_block_alone_runs_what_it_depends_on(project) -> None:
    page = project.path / "docs" / "p.md"
    page.write_text(PAGE.replace("x == 2", "x == 1"))
    result = run(project, "docs/p.md", "-k", "line:16")
    result.assert_outcomes(passed=1, deselected=4)


def test_a_page_that_ran_whole_fills_the_cache_and_none_is_read(project) -> None:
    page: Path = project.path / "docs" / "p.md"
    counter = project.path / "ran"
    code = f"open({str(counter)!r}, 'a').write('.')"
    page.write_text(f"```python\n{code};\n```\n")
    for times in (1, 2):
        run(project).assert_outcomes(passed=1)
        assert counter.read_text() == "." * times
    assert [p.name for p in (project.path / ".cache/lookback").iterdir()] == [
        "docs--p.md.json"
    ]


def test_a_block_that_raises_type_error_runs_once(project) -> None:
    counter = project.path / "ran"
    text = textwrap.dedent(f"""
        ```python
        open({str(counter)!r}, "a").write(".")
        raise TypeError("once")
        ```
        """)
    (project.path / "docs" / "p.md").write_text(text)
    run(project).assert_outcomes(failed=1)
    assert counter.read_text() == "."


def test_a_page_that_cannot_be_read_fails_the_collection(project) -> None:
    (project.path / "docs" / "p.md").write_text("# T\n\n```python\nx\n")
    result = run(project)
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*:3: *never closed*"])


PASTED = (
    "attention",
    "bahdanau",
    "bert",
    "bpe",
    "decoder",
    "decoding",
    "encdec",
    "encoder",
    "features",
    "glove",
    "gpt",
    "grouped",
    "hmm",
    "hmm_alignment",
    "ibm1",
    "layernorm",
    "lstm",
    "luong",
    "modern",
    "multihead",
    "ngram",
    "nplm",
    "pcfg",
    "phrases",
    "positions",
    "real",
    "recurrent",
    "recursive",
    "rotary",
    "rules",
    "seq2seq",
    "stack_decoder",
    "training",
    "transformer",
    "window",
    "word2vec",
)
"""Pages whose open blocks a reader can paste and run."""


@pytest.mark.parametrize("name", PASTED)
def test_what_stands_open_runs_by_itself(name: str) -> None:
    """A reader who pastes the open blocks of a page in their order can run them."""
    path = Path(__file__).parents[2] / "docs" / f"{name}.md"
    page = parse(path.read_text(encoding="utf-8"), path.name)
    space: dict[str, object] = {"__name__": "pasted"}
    shown = [p for p in page.pieces if p.kind == "code" and not p.column and is_open(p)]
    assert len(shown) > 3
    for piece in shown:
        exec(compile(piece.code, f"{path.name}:{piece.line}", "exec"), space)
