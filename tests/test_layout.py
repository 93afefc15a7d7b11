"""Check the layout of the repository: one name for one idea, ideas that only look back.

Which room may import which stands in pyproject.toml, for import-linter, which `make
check` runs; here is what depends on the order of history, CHAPTERS of the package.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from lookback import CHAPTERS

ROOT = Path(__file__).parents[1]
SOURCE, TESTS = ROOT / "src/lookback", ROOT / "tests"
ROOMS = {
    *("fast", "text", "measure", "figures", "diagrams", "trainer", "recipes"),
    *("studies", "exercises", "engine", "extract", "paper"),
}
LEAVES = {"checks", "masking", "trees"}
NOT_IDEAS = {"__init__", "__main__", "cli", *LEAVES}
BOOK_TESTS = {
    *("attentions", "checks", "cli", "docstrings", "exercises", "language_models"),
    *("layout", "mutants", "package", "precision", "readme", "refusals", "register"),
    "translators",
}
"""Tests of the whole, and laws of families of models: named after no idea."""
OTHER_NAMES = {
    "src/lookback/recipes": set(),
    "src/lookback/studies": {
        *("cost", "language_models", "real", "taggers", "translators")
    },
    "src/lookback/exercises": {"judge"},
    "bench": {"engine", "fit", "run"},
}
"""Folders of chapters, and what else is in them: running tables, a lab, the whole."""
DRAWINGS = {"book", "truth"}  # the map of the book; how a drawing is held to a run
MAY_SEED = "trainer/seeds.py"  # a recipe's seed has to become chance somewhere


def stems(folder: Path, pattern: str = "*.py", prefix: str = "") -> set[str]:
    """List the files of a folder, without a prefix and what follows the dot."""
    names = {path.stem.removeprefix(prefix) for path in folder.glob(pattern)}
    return names - {"__init__"}


def test_module_chapter_and_test_of_an_idea_share_its_name() -> None:
    ideas, tests = stems(SOURCE) - NOT_IDEAS, stems(TESTS, "test_*.py", "test_")
    assert ideas == {*CHAPTERS}, "in the nav with something to offer, or in the package"
    assert ideas <= stems(ROOT / "docs", "*.md")
    assert ideas <= tests <= ideas | BOOK_TESTS
    assert {p.parent.name for p in SOURCE.glob("*/__init__.py")} <= ROOMS | NOT_IDEAS


def test_what_belongs_to_a_chapter_bears_its_name() -> None:
    for folder, others in OTHER_NAMES.items():
        assert stems(ROOT / folder) <= {*CHAPTERS} | others, folder
    for name in stems(SOURCE / "diagrams"):
        parts = name.split("_")
        begun = {"_".join(parts[:n]) for n in range(1, len(parts) + 1)}
        assert begun & {*CHAPTERS, *DRAWINGS}, name
    for room, what in (("recipes", "RECIPES"), ("studies", "STUDY")):
        for name in stems(SOURCE / room):
            text = (SOURCE / f"{room}/{name}.py").read_text("utf-8")
            assert re.search(rf"^{what}\b", text, re.MULTILINE), f"{room}/{name}.py"
    assert stems(SOURCE / "studies") == stems(SOURCE / "studies", "*.json")
    weights = stems(SOURCE / "recipes", "*.safetensors")
    assert {name.split("-")[0] for name in weights} <= stems(SOURCE / "recipes")


@pytest.mark.parametrize("room", ["trainer", "recipes", "studies"])
def test_tests_of_a_room_bear_the_names_of_its_modules(room: str) -> None:
    """A study has some where it computes what a check cannot judge."""
    source = stems(SOURCE / room)
    tests = stems(TESTS / room, "test_*.py", "test_")
    assert tests - {"shipped", "floors"} <= source
    assert source <= tests or room == "studies"


def test_the_library_never_seeds() -> None:
    """What samples takes a torch.Generator."""
    seeds = re.compile(r"\.(manual_seed|manual_seed_all|seed)\(")
    files = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")
             if seeds.search(path.read_text("utf-8"))}  # fmt: skip
    assert files == {MAY_SEED}


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_has_two_to_five_exercises(name: str) -> None:
    """Each has a level, a hint and a solution."""
    text = (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    boxes = re.split(r"^!!! exercise ", text, flags=re.MULTILINE)[1:]
    assert 2 <= len(boxes) <= 5
    for number, box in enumerate(boxes, 1):
        assert re.match(rf'"Exercise {number} \((easy|medium|hard)\): \S', box)
        inside = re.split(r"^\S", box.partition("\n")[2], flags=re.MULTILINE)[0]
        folds = re.findall(r"^    \?\?\? (\w+)", inside, re.MULTILINE)
        assert folds == ["hint", "solution"]


HISTORY = """\
[importlinter]
root_package = lookback

[importlinter:contract:1]
name = An idea imports earlier ideas; shelves import nothing of lookback
type = layers
containers = lookback
exhaustive = false
layers =
{layers}
    fast | masking | trees
    checks | text | measure | figures | engine

[importlinter:contract:2]
name = Of the ideas the trainer knows decoding alone
type = forbidden
source_modules = lookback.trainer
allow_indirect_imports = true
forbidden_modules =
{others}
"""


def test_an_idea_imports_only_earlier_ideas(tmp_path: Path) -> None:
    order = [*CHAPTERS]
    config = HISTORY.format(
        layers="\n".join(f"    {name}" for name in reversed(order)),
        others="\n".join(f"    lookback.{n}" for n in order if n != "decoding"),
    )
    (tmp_path / "history.ini").write_text(config)
    lint = shutil.which("lint-imports", path=Path(sys.executable).parent)
    assert lint is not None
    words = [lint, "--no-cache", "--no-logo", "--config", tmp_path / "history.ini"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_an_idea_needs_torch_numpy_and_the_standard_library_alone() -> None:
    graph = grimp.build_graph("lookback", include_external_packages=True)
    known = {"lookback", "torch", "numpy", *sys.stdlib_module_names}
    for name in {*CHAPTERS, *LEAVES, "fast"}:
        modules = graph.find_modules_directly_imported_by(f"lookback.{name}")
        assert {module.partition(".")[0] for module in modules} <= known, name
