"""Run again the pages that read an edited file of the package, and no other."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lookback.engine.blocks import parse
from lookback.engine.book import Book
from lookback.engine.opened import digests
from lookback.engine.run import run_pages
from lookback.engine.worker import Job

PACKAGE = {
    "__init__.py": "",
    "alone.py": "x = 1\n",
    "shared.py": "from pathlib import Path\nhere = Path(__file__).parent\n",
    "both.py": "from .shared import here\n",
    "results/a.json": "[1]",
    "results/b.json": "[2]",
    "weights.bin": "w",
}
PAGES = {
    "alone": "from made.alone import x",
    "text": "from made.both import here\n(here / 'results' / 'a.json').read_text()",
    "bytes": "from made.shared import here\n(here / 'results' / 'b.json').read_bytes()",
    "low": (
        "import os\nfrom made.shared import here\n"
        "os.close(os.open(here / 'weights.bin', os.O_RDONLY))"
    ),
    "near": (
        "import os\nfrom made.shared import here\nos.chdir(here)\n"
        "open('weights.bin').close()"
    ),
    "absent": (
        "from made.shared import here\ntry:\n    open(here / 'late.tsv')\n"
        "except OSError:\n    print('no')"
    ),
    "writes": (
        "from made.shared import here\n(here / 'out.txt').write_text('once')\n"
        "(here / 'out.txt').touch()"
    ),
}


def job(code: str, package: Path) -> Job:
    code = f"import sys; sys.path.insert(0, {str(package.parent)!r})\n{code};"
    page = parse(f"```python\n{code}\n```\n", "p.md")
    return Job("p.md", page.running, package)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in PACKAGE.items():
        path = tmp_path / "made" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "made"


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("alone", {"alone.py"}),
        ("text", {"both.py", "shared.py", "results/a.json"}),
        ("bytes", {"shared.py", "results/b.json"}),
        ("low", {"shared.py", "weights.bin"}),
        ("near", {"shared.py", "weights.bin"}),
        ("absent", {"shared.py", "late.tsv"}),
        ("writes", {"shared.py"}),
    ],
)
def test_a_run_names_what_its_page_read(
    package: Path, name: str, files: set[str]
) -> None:
    (run,) = run_pages([job(PAGES[name], package)])
    assert run.error is None
    assert set(run.files) == files | {"__init__.py"}


def test_a_file_that_is_edited_while_a_page_runs_is_never_unchanged(
    package: Path,
) -> None:
    code = "import made.alone, os\nos.utime(made.alone.__file__, (2e9, 2e9))"
    (run,) = run_pages([job(code, package)])
    assert run.files["alone.py"] not in digests(package, ["alone.py"]).values()


def test_weights_results_and_the_style_of_figures_are_among_the_files() -> None:
    code = (
        "from lookback import pretrained, results\n"
        "pretrained('ngram'); results('multihead');"
    )
    page = parse(f"```python\n{code}\n```\n", "p.md")
    (run,) = run_pages([Job("p.md", page.running)])
    assert run.error is None
    assert {"engine/figures.mplstyle", "engine/worker.py"} <= set(run.files)
    assert "glove.py" not in run.files
    names = [Path(name).name for name in run.files]
    assert [name for name in names if name.endswith("s")] == ["ngram.safetensors"]
    assert [name for name in names if name.endswith(".json")] == ["multihead.json"]


@pytest.fixture
def rerun(package: Path, tmp_path: Path) -> Callable[[], set[str]]:
    """Build a book of all pages; return the pages that ran."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "references.bib").write_text("")
    path = f"import sys; sys.path.insert(0, {str(package.parent)!r})"
    for name, code in PAGES.items():
        (docs / f"{name}.md").write_text(f"```python\n{path}\n{code};\n```\n")

    def build() -> set[str]:
        lines: list[str] = []
        book = Book(tmp_path, docs, package, tmp_path / "cache")
        book.read(f"{name}.md" for name in PAGES)
        book.run(say=lines.append)
        return {name for name in PAGES if f"docs/{name}.md ran" in "".join(lines)}

    return build


@pytest.mark.parametrize(
    ("file", "pages"),
    [
        ("both.py", {"text"}),
        ("weights.bin", {"low", "near"}),
        ("late.tsv", {"absent"}),
        ("results/c.json", set()),
    ],
)
def test_an_edit_runs_the_pages_that_read_the_file_and_no_other(
    package: Path, rerun: Callable[[], set[str]], file: str, pages: set[str]
) -> None:
    assert rerun() == set(PAGES)
    assert rerun() == set()
    (package / file).write_text("# edited\n" + PACKAGE.get(file, ""))
    assert rerun() == pages
    assert rerun() == set()
