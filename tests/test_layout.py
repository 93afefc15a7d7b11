"""The shape of the house, kept: one name for one idea, and ideas that only look back.

Each rule is a function from the root of a tree to the list of its breaches, so that it
can be tried on trees made to break it.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
NO_HISTORY = {
    "Results",
    "Labs",
    "Back matter",
}  # parts whose pages tell no idea of their own
ROOMS = {
    "text",
    "measure",
    "figures",
    "diagrams",
    "workshop",
    "recipes",
    "studies",
    "engine",
}
MIRRORED = (
    "workshop",
    "recipes",
    "studies",
    "diagrams",
)  # a test file for each of their modules
OF_NO_CHAPTER = {
    "cost",
    "language_models",
    "real",
    "real_longer",
    "real_seeds",
    "real_subwords",
    "taggers",
    "translators",
}
"""Running tables, real data and a lab: studies that bear no name of an idea."""
DRAWINGS = {"book", "truth"}  # the map of the book; how a drawing is held to a run
BENCHES = {"engine", "fit", "grammar", "live"}  # of rooms, and not of ideas
SHELVES = {"checks"}  # what an idea may import besides earlier ideas
MOST = 20  # modules of the workshop
NOT_IDEAS = {"__init__", "__main__", "checks", "cli"}
BOOK_TESTS = {
    "checks",
    "cli",
    "docstrings",
    "layout",
    "package",
    "readme",
}  # tests of the whole, named after no idea
REFERENCES = {"gensim", "hmmlearn", "nltk", "sklearn", "tokenizers", "transformers"}
SEEDING = {"manual_seed", "manual_seed_all", "seed"}
MAY_SEED = "workshop/seeds.py"  # a recipe's seed has to become chance somewhere
DRAWERS = {"common", "helpers", "utils"}


def parts(root: Path) -> list[tuple[str, list[str]]]:
    """The nav: (title of the part, the paths of its pages), in order."""
    text = (root / "mkdocs.yml").read_text(encoding="utf-8")
    # BaseLoader takes all for text, and so obeys no tag: neither !ENV nor !!python.
    nav = yaml.load(text, yaml.BaseLoader)["nav"]
    return [
        (title, [path for page in pages for path in _values(page)])
        for part in nav
        if isinstance(part, dict)
        for title, pages in part.items()
        if isinstance(pages, list)
    ]


def _values(page: str | dict[str, str]) -> list[str]:
    return list(page.values()) if isinstance(page, dict) else [page]


def chapters(root: Path) -> list[str]:
    """The ideas in the order of history: Markdown pages of the parts that tell them."""
    pages = [p for title, part in parts(root) if title not in NO_HISTORY for p in part]
    return [page.removesuffix(".md") for page in pages if page.endswith(".md")]


def modules(root: Path, *folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((root / folder).rglob("*.py"))


def nodes(path: Path) -> tuple[ast.AST, ...]:
    return parsed(path.read_text(encoding="utf-8"), str(path))


@cache
def parsed(text: str, name: str) -> tuple[ast.AST, ...]:
    """A module's nodes, which one rule after another reads."""
    return tuple(ast.walk(ast.parse(text, name)))


def imports(path: Path, source: Path) -> Iterator[tuple[int, str]]:
    """Every import of a module, wherever it stands: (line, full dotted name)."""
    package = path.relative_to(source).parts[:-1]
    for node in nodes(path):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                above = package[: len(package) - level + 1] if level else ()
                start = ".".join((*above, *([module] if module else [])))
                # `from lookback import x` may name a module: so may any other `from`.
                yield from ((node.lineno, f"{start}.{alias.name}") for alias in names)
            case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]):
                if ast.unparse(func).split(".")[-1] in ("import_module", "__import__"):
                    yield node.lineno, name


def one_idea_one_name(root: Path) -> list[str]:
    """Module, chapter and test file of an idea share its name; the nav lists it."""
    source, order = root / "src/lookback", chapters(root)
    ideas = {p.stem for p in source.glob("*.py")} - NOT_IDEAS
    tests = {p.stem.removeprefix("test_") for p in (root / "tests").glob("test_*.py")}
    rooms = {p.parent.name for p in source.glob("*/__init__.py")}
    found = [f"chapter {name} stands twice in the nav" for name in set(order)
             if order.count(name) > 1]  # fmt: skip
    found += [f"src/lookback/{name} is neither a room nor one module"
              for name in rooms - ROOMS - NOT_IDEAS]  # fmt: skip
    for name in sorted(ideas | set(order)):
        if name not in order:
            found.append(f"idea {name} has no chapter in the nav")
        if not (root / f"docs/{name}.md").is_file():
            found.append(f"idea {name} has no page docs/{name}.md")
        if name not in ideas:
            found.append(f"chapter {name} has no module src/lookback/{name}.py")
        if name not in tests:
            found.append(f"idea {name} has no tests/test_{name}.py")
    strays = sorted(tests - ideas - BOOK_TESTS)
    return found + [f"tests/test_{name}.py tests no idea" for name in strays]


MAY_IMPORT = {
    "workshop": ("text", "measure"),
    "recipes": ("text", "measure", "workshop"),
    "studies": ("text", "measure", "workshop", "recipes"),
    "diagrams": ("measure", "figures", "workshop"),
}
"""What a room may import besides itself, checks and ideas: the workshop only one."""


def _reason(importer: str, name: str, order: list[str], is_room: bool) -> str | None:
    """Why an idea or a room may not import a name; None when it may."""
    top, _, rest = name.partition(".")
    inner = rest.partition(".")[0]
    if top in REFERENCES:
        return "reference libraries stay in docs and tests"
    if top != "lookback":
        if importer == "figures" and top == "torch":
            return "figures sees numpy and words, never torch"
        known = {"torch", "numpy", *sys.stdlib_module_names}
        if not is_room and importer not in NOT_IDEAS and top not in known:
            return "an idea needs torch, numpy and the standard library alone"
        return None
    if importer in ("cli", "__main__"):
        return None
    if is_room and inner == importer:
        return None
    if inner in ("cli", "engine"):
        return f"nobody imports {inner}"
    if importer in MAY_IMPORT:
        ideas = order if importer != "workshop" else ["decoding"]
        allowed = {*ideas, *SHELVES, *MAY_IMPORT[importer]}
        return None if inner in allowed else f"{importer} may not import {inner}"
    if is_room or importer in ("__init__", *SHELVES):
        return f"{importer} imports nothing of lookback"
    earlier = order[: order.index(importer)] if importer in order else order
    if inner in (*earlier, *SHELVES):
        return None
    return "an idea imports only earlier ideas, and checks"


def who_imports_whom(root: Path) -> list[str]:
    """The table of the house: ideas look back, and the rooms keep to themselves."""
    source, order, found = root / "src", chapters(root), []
    for path in modules(root, "src"):
        inside = path.relative_to(source / "lookback")
        importer = inside.parts[0].removesuffix(".py")
        for line, name in imports(path, source):
            reason = _reason(importer, name, order, len(inside.parts) > 1)
            if reason:
                found.append(f"{path.relative_to(root)}:{line}: {name}: {reason}")
    return found


def through_the_door(root: Path) -> list[str]:
    """From outside one imports the workshop's names from `lookback.workshop`."""
    found = []
    for path in modules(root, "src", "docs"):
        inside = path.relative_to(root)
        if "workshop" in inside.parts[:3]:
            continue
        for node in nodes(path):
            if not isinstance(node, ast.ImportFrom) or node.level:
                continue
            if (node.module or "").startswith("lookback.workshop."):
                found.append(f"{inside}:{node.lineno}: {node.module}: use the door")
    return found


def no_circles(root: Path) -> list[str]:
    """No module imports, over whatever others, a module that imports it."""
    source = root / "src"
    names = {_dotted(path, source): path for path in modules(root, "src")}
    graph = {
        name: {target for _, full in imports(path, source)
               for target in (full, full.rpartition(".")[0])[:1 + (full not in names)]
               if target in names and target != name}
        for name, path in names.items()
    }  # fmt: skip
    circles, done = [], set[str]()

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            circles.append(" → ".join((*above[above.index(name) :], name)))
        elif name not in done:
            for target in sorted(graph[name]):
                visit(target, (*above, name))
            done.add(name)

    for name in sorted(graph):
        visit(name, ())
    return circles


def _dotted(path: Path, source: Path) -> str:
    return ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(
        ".__init__"
    )


def names_of_chapters(root: Path) -> list[str]:
    """Recipes, studies and benches bear the name of a chapter; the name is the path."""
    source, order, found = root / "src/lookback", chapters(root), []
    for path in _modules_of(source / "recipes"):
        if path.stem not in order:
            found.append(f"recipes/{path.name}: there is no chapter {path.stem}")
        if "RECIPES" not in _assigned(path):
            found.append(f"recipes/{path.name} has no RECIPES")
    for path in _modules_of(source / "studies"):
        of = [n for n in order if path.stem == n or path.stem.startswith(f"{n}_")]
        if path.stem not in OF_NO_CHAPTER and not of:
            found.append(f"studies/{path.name}: there is no chapter {path.stem}")
        if "STUDY" not in _assigned(path):
            found.append(f"studies/{path.name} has no STUDY")
        if not path.with_suffix(".json").is_file():
            found.append(f"studies/{path.stem}.json is not measured")
    for path in _modules_of(source / "diagrams"):
        if path.stem not in {*order, *DRAWINGS}:
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
    """Modules of the workshop, the recipes and the studies have tests of their name."""
    found = []
    for room in MIRRORED:
        source = {p.stem for p in _modules_of(root / "src/lookback" / room)}
        tests = (root / "tests" / room).glob("test_*.py")
        names = {path.stem.removeprefix("test_") for path in tests}
        found += [f"{room}/{n}.py has no tests/{room}/test_{n}.py"
                  for n in sorted(source - names)]  # fmt: skip
        found += [f"tests/{room}/test_{n}.py tests no module"
                  for n in sorted(names - source - {"shipped"})]  # fmt: skip
    return found


def small_workshop(root: Path) -> list[str]:
    """The workshop is machinery alone."""
    files = _modules_of(root / "src/lookback/workshop")
    if len(files) <= MOST:
        return []
    return [f"the workshop has {len(files)} modules, more than {MOST}"]


def no_import_for_its_side_effect(root: Path) -> list[str]:
    """What is imported is used: a table lists its systems, none enters itself."""
    return [
        f"{path.relative_to(root)}:{number}: imported and not used"
        for path in modules(root, "src")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if re.search("noqa:.*F401", line)
    ]


def one_order(root: Path) -> list[str]:
    """CHAPTERS and the help of the package list the chapters as the nav does."""
    path, order = root / "src/lookback/__init__.py", chapters(root)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lists = [
        [ast.literal_eval(item) for item in node.value.elts]
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Tuple)
        and ast.unparse(node.targets[0]) == "CHAPTERS"
    ]
    told = re.findall(r"^(\w+) {2,}\S", ast.get_docstring(tree) or "", re.MULTILINE)
    return [
        f"src/lookback/__init__.py: {name} is not the order of the nav"
        for name, found in (("CHAPTERS", lists), ("its docstring", [told]))
        if found != [order]
    ]


def engine_without_mkdocs(root: Path) -> list[str]:
    """Only plugin*.py know MkDocs; the engine is functions from text to text."""
    return [
        f"{path.relative_to(root)}:{line}: only plugin.py may import {name}"
        for path in modules(root, "src/lookback/engine")
        if not path.name.startswith("plugin")
        for line, name in imports(path, root / "src")
        if name.partition(".")[0] in ("mkdocs", "material")
        or name.startswith("lookback.engine.plugin")
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


RULES = [
    one_idea_one_name,
    who_imports_whom,
    through_the_door,
    no_circles,
    names_of_chapters,
    rooms_are_mirrored,
    small_workshop,
    no_import_for_its_side_effect,
    one_order,
    engine_without_mkdocs,
    no_drawers,
    no_seeding,
    everything_pinned,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_keeps(rule: Callable[[Path], list[str]]) -> None:
    assert rule(ROOT) == []


SOUND = {
    "mkdocs.yml": (
        "site_url: !ENV [A, '']\nemoji: !!python/name:a.b ''\nnav:\n  - index.md\n"
        "  - Counting: [old.md, Titled: new.md]\n  - Labs: [Zipf: labs/zipf.py]\n"
        "  - Results: [measured.md]\n  - Back matter: [notation.md]\n"
    ),
    "pyproject.toml": (
        "[project]\nname='a'\ndependencies=['Torch_x>=2.4']\n"
        "[project.optional-dependencies]\nall=['a[b]']\n"
    ),
    "constraints.txt": "# why\n\ntorch-x==2.13.0\nb==1 ; sys_platform == 'darwin'\n",
    "docs/old.md": "",
    "docs/new.md": "",
    "tests/test_old.py": "import nltk\n",
    "tests/test_new.py": "",
    "tests/test_layout.py": "",
    "src/lookback/__init__.py": (
        '"""A book.\n\nold   First.\nnew   Then.\n"""\nCHAPTERS = ("old", "new")\n'
    ),
    "src/lookback/old.py": "import math\nimport torch.nn\nfrom numpy import array\n",
    "src/lookback/new.py": "from lookback.old import f\nfrom . import checks, old\n",
    "src/lookback/checks.py": "import torch\n",
    "src/lookback/cli/__init__.py": "from lookback.engine import run\nimport a\n",
    "src/lookback/cli/words.py": "import lookback.new\nfrom . import a\n",
    "src/lookback/text/__init__.py": "from .corpora import f\nimport lookback.text\n",
    "src/lookback/workshop/__init__.py": "from .fit import f\n",
    "src/lookback/workshop/fit.py": "from ..checks import f\nfrom ..text import g\n",
    "src/lookback/workshop/seeds.py": "torch.manual_seed(0)\n",
    "src/lookback/recipes/__init__.py": "",
    "src/lookback/recipes/new.py": (
        "from lookback.new import f\nfrom lookback.workshop import g\nRECIPES = {}\n"
    ),
    "src/lookback/recipes/new-big.safetensors": "",
    "src/lookback/diagrams/__init__.py": "",
    "src/lookback/diagrams/truth.py": "from lookback.measure.tape import f\n",
    "src/lookback/diagrams/new.py": (
        "from lookback.figures import f\nfrom lookback.workshop import g\n"
        "from ..new import h\nfrom .truth import i\n"
    ),
    "tests/diagrams/test_new.py": "",
    "tests/diagrams/test_truth.py": "",
    "src/lookback/studies/__init__.py": "",
    "src/lookback/studies/new_what.py": (
        "from ..recipes.new import f\nfrom ..old import g\nSTUDY: int = 0\n"
    ),
    "src/lookback/studies/new_what.json": "{}",
    "src/lookback/studies/real.py": "from .new_what import f\nSTUDY = 0\n",
    "src/lookback/studies/real.json": "{}",
    "tests/workshop/test_fit.py": "",
    "tests/workshop/test_seeds.py": "",
    "tests/recipes/test_new.py": "",
    "tests/recipes/test_shipped.py": "",
    "tests/studies/test_new_what.py": "",
    "tests/studies/test_real.py": "",
    "bench/new.py": "",
    "src/lookback/figures/a.py": "import numpy, matplotlib\n",
    "src/lookback/engine/__init__.py": "",
    "src/lookback/engine/run.py": "from . import cache\nimport yaml\nx = config.seed\n",
    "src/lookback/engine/plugin.py": "import mkdocs\nfrom .run import f\n",
}


def plant(root: Path, files: Mapping[str, str | None]) -> Path:
    for name, text in files.items():
        if text is not None:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
    return root


def test_a_sound_tree_breaks_no_rule(tmp_path: Path) -> None:
    tree = plant(tmp_path, SOUND)
    assert chapters(tree) == ["old", "new"]
    assert [rule(tree) for rule in RULES] == [[]] * len(RULES)


BROKEN = [
    ("docs/old.md", None, "idea old has no page docs/old.md"),
    ("src/lookback/old.py", None, "chapter old has no module src/lookback/old.py"),
    ("tests/test_new.py", None, "idea new has no tests/test_new.py"),
    ("src/lookback/odd.py", "", "idea odd has no chapter in the nav"),
    ("src/lookback/odd/__init__.py", "", "src/lookback/odd is neither a room"),
    ("tests/test_odd.py", "", "tests/test_odd.py tests no idea"),
    ("mkdocs.yml", "nav: [A: [old.md, new.md, old.md]]", "old stands twice in the nav"),
    ("src/lookback/old.py", "import lookback.new", "imports only earlier ideas"),
    ("src/lookback/old.py", "from lookback import new", "imports only earlier ideas"),
    ("src/lookback/old.py", "from .new import f", "imports only earlier ideas"),
    ("src/lookback/old.py", "from . import new", "imports only earlier ideas"),
    ("src/lookback/old.py", "import lookback", "imports only earlier ideas"),
    ("src/lookback/old.py", "from .old import f", "imports only earlier ideas"),
    ("src/lookback/new.py", "from lookback.text import f", "imports only earlier"),
    ("src/lookback/old.py", "def f():\n    import lookback.new", "old.py:2"),
    ("src/lookback/old.py", "if TYPE_CHECKING:\n    from .new import f", "old.py:2"),
    ("src/lookback/old.py", "import_module('lookback.new')", "old.py:1"),
    ("src/lookback/old.py", "import matplotlib", "standard library alone"),
    ("src/lookback/old.py", "from lookback import engine", "nobody imports engine"),
    ("src/lookback/text/a.py", "from ..cli import f", "nobody imports cli"),
    ("src/lookback/text/a.py", "from .. import old", "text imports nothing"),
    ("src/lookback/measure/a.py", "from ..text import f", "measure imports nothing"),
    ("src/lookback/figures/a.py", "from lookback import old", "figures imports"),
    ("src/lookback/engine/a.py", "import lookback.figures", "engine imports nothing"),
    ("src/lookback/__init__.py", "from .old import f", "__init__ imports nothing"),
    ("src/lookback/checks.py", "from .old import f", "checks imports nothing"),
    ("src/lookback/figures/a.py", "from torch import nn", "never torch"),
    ("src/lookback/workshop/fit.py", "import lookback.figures", "may not import fig"),
    ("src/lookback/workshop/fit.py", "from ..old import f", "may not import old"),
    ("src/lookback/workshop/fit.py", "from ..recipes import f", "may not import rec"),
    (
        "src/lookback/recipes/new.py",
        "from ..studies.real import f",
        "may not import st",
    ),
    ("src/lookback/recipes/new.py", "from .. import figures", "may not import figur"),
    ("src/lookback/recipes/new.py", "RECIPE = 0", "recipes/new.py has no RECIPES"),
    ("src/lookback/recipes/odd.py", "RECIPES = 0", "there is no chapter odd"),
    ("src/lookback/recipes/odd-2.safetensors", "", "no recipe makes it"),
    ("src/lookback/diagrams/odd.py", "", "diagrams/odd.py: there is no chapter odd"),
    ("src/lookback/diagrams/new.py", "from ..studies import f", "may not import st"),
    (
        "src/lookback/figures/a.py",
        "from ..diagrams import f",
        "figures imports nothing",
    ),
    ("tests/diagrams/test_new.py", None, "diagrams/new.py has no tests/diagrams/test"),
    ("src/lookback/studies/odd.py", "STUDY = 0", "there is no chapter odd"),
    ("src/lookback/studies/real.py", "x = 0", "studies/real.py has no STUDY"),
    ("src/lookback/studies/real.json", None, "studies/real.json is not measured"),
    ("src/lookback/studies/odd.json", "", "no study has this name"),
    (
        "src/lookback/studies/real.py",
        "from lookback.workshop.fit import f\nSTUDY = 0",
        "real.py:1: lookback.workshop.fit: use the door",
    ),
    ("docs/labs/zipf.py", "from lookback.workshop.fit import f", "use the door"),
    (
        "src/lookback/studies/new_what.py",
        "from .real import f\nSTUDY = 0",
        "lookback.studies.new_what → lookback.studies.real → lookback.studies.new_what",
    ),
    ("src/lookback/text/corpora.py", "from . import f", "text.corpora → lookback.text"),
    ("tests/workshop/test_fit.py", None, "workshop/fit.py has no tests/workshop/test"),
    ("tests/studies/test_odd.py", "", "tests/studies/test_odd.py tests no module"),
    ("bench/odd.py", "", "bench/odd.py: there is no chapter odd"),
    ("src/lookback/text/a.py", "import b  # noqa: F401", "a.py:1: imported and not"),
    ("src/lookback/__init__.py", 'CHAPTERS = ("new", "old")', "CHAPTERS is not the or"),
    ("src/lookback/__init__.py", 'CHAPTERS = ("old", "new")', "docstring is not the"),
    ("src/lookback/text/a.py", "import nltk.util", "reference libraries"),
    ("src/lookback/engine/run.py", "from mkdocs import utils", "may import mkdocs"),
    ("src/lookback/engine/run.py", "from .plugin import f", "only plugin.py may"),
    ("src/lookback/engine/run.py", "from . import plugin", "only plugin.py may"),
    ("constraints.txt", "torch-y==2.13.0", "Torch_x is not pinned"),
    ("constraints.txt", "torch-x==2.3.1", "2.3.1 does not fit Torch_x>=2.4"),
    (
        "pyproject.toml",
        "[project]\nname='a'\ndependencies=['torch-x']\noptional-dependencies={}",
        "torch-x has no lower bound",
    ),
    ("src/lookback/utils.py", "", "utils.py: name it"),
    ("tests/text/helpers.py", "", "helpers.py: name it"),
    ("src/lookback/common/a.py", "", "a.py: name it"),
    ("src/lookback/old.py", "torch.manual_seed(0)", "old.py:1: seeds"),
    ("src/lookback/old.py", "np.random.seed(0)", "old.py:1: seeds"),
    ("src/lookback/text/a.py", "from random import seed\nseed(0)", "a.py:2: seeds"),
    ("src/lookback/workshop/fit.py", "torch.manual_seed(0)", "fit.py:1: seeds"),
]


@pytest.mark.parametrize(("file", "text", "breach"), BROKEN)
def test_a_broken_tree_is_told(
    tmp_path: Path, file: str, text: str | None, breach: str
) -> None:
    tree = plant(tmp_path, {**SOUND, file: text})
    found = [line for rule in RULES for line in rule(tree)]
    assert any(breach in line for line in found), found


def test_a_workshop_of_too_many_modules_is_told(tmp_path: Path) -> None:
    many = {f"src/lookback/workshop/m{n}.py": "" for n in range(MOST - 1)}
    assert small_workshop(plant(tmp_path, {**SOUND, **many})) == [
        f"the workshop has {MOST + 1} modules, more than {MOST}"
    ]
