"""`mutants.py` tells which changes of an idea its tests notice."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = '''
def size(x: int) -> int:
    """Without its sign; 0 is as large from both sides."""
    if x < 0:
        return -x
    return x
'''
TEST = """
from lookback.tiny import size

def test_size():
    assert size(-2) == {expected}
    assert size(0.5) == 0.5
"""
LESS = ("size", "if x < 0:", "if x <= 0:", 0)  # changes nothing
ONE, MINUS = (
    ("size", "if x < 0:", "if x < 1:", 0),
    ("size", "return -x", "return x", 0),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Name a folder with an idea, its test and the tool."""
    (tmp_path / "src/lookback").mkdir(parents=True)
    (tmp_path / "src/lookback/__init__.py").touch()
    (tmp_path / "src/lookback/tiny.py").write_text(MODULE)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_tiny.py").write_text(TEST.format(expected=2))
    shutil.copy(Path(__file__).with_name("mutants.py"), tmp_path / "tests")
    return tmp_path


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    tool = [sys.executable, root / "tests/mutants.py", "tiny", *words]
    return subprocess.run(tool, cwd=root, capture_output=True, text=True)


def verdicts(path: Path) -> dict[tuple[str, str, str, int], bool]:
    return {(*key,): alive for *key, alive in json.loads(path.read_text())["tiny"]}


def test_what_a_test_notices_is_dead_and_what_changes_nothing_lives(root: Path) -> None:
    done = run(root, "--write", "all.json", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    assert verdicts(root / "all.json") == {LESS: True, ONE: False, MINUS: False}
    assert "if x < 0:\n  → if x <= 0:" in done.stdout
    assert done.stdout.splitlines()[-1].split()[:4] == ["tiny", "3", "2", "1"]
    assert {p.name for p in root.iterdir()} == {"src", "tests", "all.json"}


def test_against_earlier_verdicts(root: Path) -> None:
    gone = ("size", "return 0", "return 1", 0)
    earlier = [(*LESS, False), (*MINUS, True), (*gone, False)]
    (root / "earlier.json").write_text(json.dumps({"tiny": earlier}))
    done = run(root, "--against", "earlier.json", "--write", "now.json")
    assert done.returncode == 1, done.stderr
    assert verdicts(root / "now.json") == {LESS: True, MINUS: False}
    titles = [text for text in done.stdout.splitlines() if text.startswith("tiny, ")]
    assert [title.partition(":")[0] for title in titles[1:]] == [
        "tiny, DEAD BEFORE, ALIVE NOW",
        "tiny, now dead",
        "tiny, no longer in the code",
    ]


def test_a_seed_draws_the_same_mutants(root: Path) -> None:
    for name in ("first", "second"):
        done = run(root, "--seed", "3", "--count", "2", "--write", f"{name}.json")
        assert done.returncode == 0, done.stderr
    first, second = (verdicts(root / f"{n}.json") for n in ("first", "second"))
    assert len(first) == 2
    assert [*first] == [*second]


def test_tests_that_fail_tell_nothing(root: Path) -> None:
    (root / "tests/test_tiny.py").write_text(TEST.format(expected=3))
    done = run(root)
    assert done.returncode == 1
    assert "its tests fail, or there are none" in done.stderr
