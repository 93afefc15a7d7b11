"""Name the files of the package that a page read: an edit of one runs it again."""

from pathlib import Path

import pytest

from lookback.engine.blocks import parse
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
HERE = "from made.shared import here\n"
PAGES = [
    ("from made.alone import x", {"alone.py"}),
    (
        "from made.both import here\n(here / 'results' / 'a.json').read_text()",
        {"both.py", "shared.py", "results/a.json"},
    ),
    (
        HERE + "(here / 'results' / 'b.json').read_bytes()",
        {"shared.py", "results/b.json"},
    ),
    (
        HERE + "import os\nos.close(os.open(here / 'weights.bin', os.O_RDONLY))",
        {"shared.py", "weights.bin"},
    ),
    (
        HERE + "import os\nos.chdir(here)\nopen('weights.bin').close()",
        {"shared.py", "weights.bin"},
    ),
    (
        HERE + "try:\n    open(here / 'late.tsv')\nexcept OSError:\n    print('no')",
        {"shared.py", "late.tsv"},
    ),
    (
        HERE + "(here / 'out').write_text('once')\n(here / 'out').touch()",
        {"shared.py"},
    ),
]


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


@pytest.mark.parametrize(("code", "files"), PAGES)
def test_a_run_names_what_its_page_read(
    package: Path, code: str, files: set[str]
) -> None:
    (run,) = run_pages([job(code, package)])
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
