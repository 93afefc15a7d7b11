"""Check the layout of the repository: one name for one idea, ideas that only look back.

Which room may import which stands in pyproject.toml, for import-linter, which `make
check` runs; here is what depends on the order of history, CHAPTERS of the package.
"""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from lookback import CHAPTERS

ROOT = Path(__file__).parents[1]
ROOMS = {
    "fast",
    "text",
    "measure",
    "figures",
    "diagrams",
    "trainer",
    "recipes",
    "studies",
    "exercises",
    "engine",
    "extract",
    "paper",
}
MIRRORED = ("trainer", "recipes")  # a test file for each of their modules
OF_NO_CHAPTER = {
    "cost",
    "language_models",
    "real",
    "taggers",
    "translators",
}
"""Running tables, real data and a lab: studies that bear no name of an idea."""
DRAWINGS = {"book", "truth"}  # the map of the book; how a drawing is held to a run
BENCHES = {"engine", "fit", "run"}  # of rooms, and not of ideas
NOT_IDEAS = {"__init__", "__main__", "checks", "cli", "masking", "trees"}
BOOK_TESTS = {
    "attentions",
    "checks",
    "cli",
    "docstrings",
    "exercises",
    "language_models",
    "layout",
    "mutants",
    "package",
    "precision",
    "readme",
    "refusals",
    "register",
    "translators",
}  # tests of the whole, and laws of families of models: named after no idea
SEEDING = {"manual_seed", "manual_seed_all", "seed"}
MAY_SEED = "trainer/seeds.py"  # a recipe's seed has to become chance somewhere
DRAWERS = {"common", "helpers", "utils"}


def modules(root: Path, *folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((root / folder).rglob("*.py"))


def nodes(path: Path) -> tuple[ast.AST, ...]:
    return parsed(path.read_text(encoding="utf-8"), str(path))


@cache
def parsed(text: str, name: str) -> tuple[ast.AST, ...]:
    """A module's nodes, which one rule after another reads."""
    return tuple(ast.walk(ast.parse(text, name)))


def one_idea_one_name(root: Path) -> list[str]:
    """Module, chapter and test file of an idea share its name; the nav lists it."""
    source, order = root / "src/lookback", [*CHAPTERS]
    ideas = {p.stem for p in source.glob("*.py")} - NOT_IDEAS
    tests = {p.stem.removeprefix("test_") for p in (root / "tests").glob("test_*.py")}
    rooms = {p.parent.name for p in source.glob("*/__init__.py")}
    found = [f"src/lookback/{name} is neither a room nor one module"
              for name in rooms - ROOMS - NOT_IDEAS]  # fmt: skip
    for name in sorted(ideas | set(order)):
        if name not in order:
            found.append(f"idea {name} has no chapter in the nav, or it offers nothing")
        if not (root / f"docs/{name}.md").is_file():
            found.append(f"idea {name} has no page docs/{name}.md")
        if name not in ideas:
            found.append(f"chapter {name} has no module src/lookback/{name}.py")
        if name not in tests:
            found.append(f"idea {name} has no tests/test_{name}.py")
    strays = sorted(tests - ideas - BOOK_TESTS)
    return found + [f"tests/test_{name}.py tests no idea" for name in strays]


def names_of_chapters(root: Path) -> list[str]:
    """Recipes, studies and benches bear the name of a chapter; the name is the path."""
    source, order, found = root / "src/lookback", [*CHAPTERS], []
    for path in _modules_of(source / "recipes"):
        if path.stem not in order:
            found.append(f"recipes/{path.name}: there is no chapter {path.stem}")
        if "RECIPES" not in _assigned(path):
            found.append(f"recipes/{path.name} has no RECIPES")
    for path in _modules_of(source / "studies"):
        if path.stem not in {*order, *OF_NO_CHAPTER}:
            found.append(f"studies/{path.name}: there is no chapter {path.stem}")
        if "STUDY" not in _assigned(path):
            found.append(f"studies/{path.name} has no STUDY")
        if not path.with_suffix(".json").is_file():
            found.append(f"studies/{path.stem}.json is not measured")
    for path in _modules_of(source / "exercises"):
        if path.stem not in {*order, "judge"}:
            found.append(f"exercises/{path.name}: there is no chapter {path.stem}")
    for path in _modules_of(source / "diagrams"):
        names = {*order, *DRAWINGS}
        if not any(path.stem == n or path.stem.startswith(f"{n}_") for n in names):
            found.append(f"diagrams/{path.name}: there is no chapter {path.stem}")
    for path in sorted(source.glob("*/*.json")):
        if not path.with_suffix(".py").is_file():
            found.append(f"{path.relative_to(source)}: no study has this name")
    for path in sorted(source.glob("recipes/*.safetensors")):
        if not path.with_name(path.stem.split("-")[0] + ".py").is_file():
            found.append(f"recipes/{path.name}: no recipe makes it")
    for path in sorted((root / "bench").glob("*.py")):
        if path.stem not in {*order, *BENCHES}:
            found.append(f"bench/{path.name}: there is no chapter {path.stem}")
    return found


def _modules_of(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.py")) if path.stem != "__init__"]


def _assigned(path: Path) -> set[str]:
    """The names that a module gives a value, at its top."""
    targets = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign):
            targets.append(node.target)
    return {target.id for target in targets if isinstance(target, ast.Name)}


def rooms_are_mirrored(root: Path) -> list[str]:
    """Modules of the trainer and the recipes have tests of their name.

    A study has where it computes what a check cannot judge.
    """
    found = []
    for room in (*MIRRORED, "studies"):
        source = {p.stem for p in _modules_of(root / "src/lookback" / room)}
        tests = (root / "tests" / room).glob("test_*.py")
        names = {path.stem.removeprefix("test_") for path in tests}
        found += [f"{room}/{n}.py has no tests/{room}/test_{n}.py"
                  for n in sorted(source - names) if room in MIRRORED]  # fmt: skip
        found += [f"tests/{room}/test_{n}.py tests no module"
                  for n in sorted(names - source - {"shipped", "floors"})]  # fmt: skip
    return found


def no_import_for_its_side_effect(root: Path) -> list[str]:
    """What is imported is used: a table lists its systems, none enters itself."""
    return [
        f"{path.relative_to(root)}:{number}: imported and not used"
        for path in modules(root, "src")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search("noqa:.*F401", line)
    ]


def no_drawers(root: Path) -> list[str]:
    """A helper lives in the first idea that needs it, not in a drawer."""
    return [
        f"{path.relative_to(root)}: name it after what it holds"
        for path in modules(root, "src", "tests", "docs", "bench")
        if {path.stem, path.parent.name} & DRAWERS
    ]


def no_seeding(root: Path) -> list[str]:
    """The library never seeds: what samples takes a torch.Generator."""
    return [
        f"{path.relative_to(root)}:{node.lineno}: seeds"
        for path in modules(root, "src")
        if path.relative_to(root / "src/lookback").as_posix() != MAY_SEED
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).split(".")[-1] in SEEDING
    ]


def everything_pinned(root: Path) -> list[str]:
    """All that pyproject.toml asks for has one version in constraints.txt; it fits."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    asked = [*project["dependencies"]]
    asked += [a for extra in project["optional-dependencies"].values() for a in extra]
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    versions = {canonicalize_name(pin.name): str(pin.specifier)[2:] for pin in pins}
    found = []
    for requirement in map(Requirement, asked):
        version = versions.get(canonicalize_name(requirement.name))
        if canonicalize_name(requirement.name) == project["name"]:
            continue
        if ">=" not in str(requirement.specifier):
            found.append(f"pyproject.toml: {requirement} has no lower bound")
        if version is None:
            found.append(f"constraints.txt: {requirement.name} is not pinned")
        elif version not in requirement.specifier:
            found.append(f"constraints.txt: {version} does not fit {requirement}")
    return found


def exercises_help(root: Path) -> list[str]:
    """A chapter has 2 to 5 exercises, each with a level, a hint and a solution."""
    found = []
    for name in [*CHAPTERS]:
        text = (root / f"docs/{name}.md").read_text(encoding="utf-8")
        boxes = re.split(r"^!!! exercise ", text, flags=re.MULTILINE)[1:]
        wrong = [] if 2 <= len(boxes) <= 5 else [f"has {len(boxes)} exercises"]
        for number, box in enumerate(boxes, 1):
            inside = re.split(r"^\S", box.partition("\n")[2], flags=re.MULTILINE)[0]
            folds = re.findall(r"^    \?\?\? (\w+)", inside, re.MULTILINE)
            if not re.match(rf'"Exercise {number} \((easy|medium|hard)\): \S', box):
                wrong.append(f'begins no exercise with "Exercise {number} (easy): …"')
            if folds != ["hint", "solution"]:
                wrong.append(f"gives exercise {number} {folds}: a hint, a solution")
        found += [f"docs/{name}.md {one}" for one in wrong]
    return found


RULES = [
    one_idea_one_name,
    names_of_chapters,
    rooms_are_mirrored,
    no_import_for_its_side_effect,
    no_drawers,
    no_seeding,
    everything_pinned,
    exercises_help,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_layout_follows(rule: Callable[[Path], list[str]]) -> None:
    assert rule(ROOT) == []


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
    done = subprocess.run(
        [lint, "--no-cache", "--no-logo", "--config", tmp_path / "history.ini"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_an_idea_needs_torch_numpy_and_the_standard_library_alone() -> None:
    graph = grimp.build_graph("lookback", include_external_packages=True)
    known = {"lookback", "torch", "numpy", *sys.stdlib_module_names}
    others = {
        name: {top for m in modules if (top := m.partition(".")[0]) not in known}
        for name in [*CHAPTERS, "checks", "fast", "masking", "trees"]
        if (modules := graph.find_modules_directly_imported_by(f"lookback.{name}"))
    }
    assert {name: found for name, found in others.items() if found} == {}
