"""`lookback new NAME`: copy the chapter in `templates/` under another name."""

from __future__ import annotations

import argparse
import keyword
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from lookback.text.spelling import did_you_mean

from . import options
from .register import NAV, chapters, checkout, register

if TYPE_CHECKING:
    from .options import Commands

TEMPLATES = Path(__file__).parent / "templates"
CHAPTER = {
    "chapter.md": "docs/{}.md",
    "last_word.py": "src/lookback/{}.py",
    "test_last_word.py": "tests/test_{}.py",
}
"""Template → where it goes."""
KINDS = {
    "diagram": {"diagram.py": "src/lookback/diagrams/{}.py"},
    "study": {"study.py": "src/lookback/studies/{}.py"},
    "recipe": {"recipe.py": "src/lookback/recipes/{}.py"},
}
"""The same, of what is asked for; its part of the page stands in `<!-- kind -->`."""
RUN = {"study": "measure", "recipe": "train"}
"""The command that makes the file which lies beside a module."""
MADE = {"study": "studies/{}.json", "recipe": "recipes/{}.safetensors"}
"""That file, in the package."""
EXAMPLES = """\
  lookback new moe --after modern --title Mixture of experts
  lookback new moe --study --diagram"""


def add_to(commands: Commands) -> None:
    parser = options.add(
        commands, "new", _new, "begin a chapter: page, module and test", EXAMPLES
    )
    parser.add_argument("name", metavar="NAME", help="of its module and of its page")
    parser.add_argument("--title", nargs="+", metavar="WORD", help="default: the name")
    parser.add_argument(
        "--after", metavar="CHAPTER", help="where it stands (default: the last idea)"
    )
    parser.add_argument("--study", action="store_true", help="add an experiment")
    parser.add_argument("--recipe", action="store_true", help="add a trained model")
    parser.add_argument("--diagram", action="store_true", help="add a drawing")


def _new(arguments: argparse.Namespace) -> int:
    root, name = checkout(), arguments.name
    order = [chapter.name for chapter in chapters(root) if "offers" in chapter.front]
    after = arguments.after or order[-1]
    if after not in order:
        hint = did_you_mean(after, order)
        raise ValueError(f"--after: there is no chapter {after!r}{hint}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"{name!r} is no name: small letters, digits and _ alone")
    if keyword.iskeyword(name) or (root / "docs" / name).exists():
        kind = "a keyword of Python" if keyword.iskeyword(name) else "a folder of docs/"
        raise ValueError(f"{name!r} is {kind}: take another name")
    title = " ".join(arguments.title or [name.capitalize().replace("_", " ")])
    if set('"\\\n') & set(title):
        raise ValueError(f"{title!r}: leave out quotes, backslashes and new lines")
    kinds = [kind for kind in KINDS if getattr(arguments, kind)]
    files = {
        template: root / path.format(name)
        for group in (CHAPTER, *(KINDS[kind] for kind in kinds))
        for template, path in group.items()
    }
    for path in (*files.values(), root / "src/lookback" / name):
        if path.exists():
            raise ValueError(f"{path} exists: take another name")
    words = {
        "lookback.cli.templates.last_word": f"lookback.{name}",
        "lookback.cli.templates.recipe": f"lookback.recipes.{name}",
        "last_word": name,
        "LastWord": "".join(part.capitalize() for part in name.split("_")),
        "The last word": title,
        "needs: [ngram]": f"needs: [{after}]",
    }
    for template, path in files.items():
        path.write_text(filled(template, words, kinds), encoding="utf-8", newline="\n")
        print(path)
    nav = root / NAV
    line = re.compile(rf"^( *- ){after}\.md\n", re.MULTILINE)
    with_it = line.sub(rf"\g<0>\g<1>{name}.md\n", nav.read_text(encoding="utf-8"))
    nav.write_text(with_it, encoding="utf-8", newline="\n")
    written = [nav, *register(root)]
    for path in written:
        print(path)
    modules = [str(path) for path in files.values() if path.suffix == ".py"]
    _run(root, "ruff", "check", "--quiet", "--select=I", "--fix", *modules)
    _run(root, "ruff", "format", "--quiet", *modules)  # names are longer, or shorter
    for kind in kinds:
        if kind in RUN:  # in a process that knows the new modules
            _run(root, "lookback", RUN[kind], name)
    made = [*files.values()]
    made += [root / f"src/lookback/{MADE[k].format(name)}" for k in kinds if k in MADE]
    old, new = (
        " ".join(path.relative_to(root).as_posix() for path in some)
        for some in (written, made)
    )
    print(f"to undo it: git restore {old} && rm {new}")
    return 0


def filled(template: str, words: dict[str, str], kinds: list[str]) -> str:
    """Read a template: words replaced, parts of other kinds left out."""
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    text = re.sub(
        r"<!-- (\w+) -->\n(.*?)<!-- end -->\n\n",
        lambda part: f"{part[2]}\n" if part[1] in kinds else "",
        text,
        flags=re.DOTALL,
    )
    names = "|".join(map(re.escape, words))
    return re.sub(names, lambda name: words[name[0]], text)


def _run(root: Path, module: str, *words: str) -> None:
    """Run a module of Python that sees the package as it is now."""
    path = os.pathsep.join([str(root / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=root,
        env=os.environ | {"PYTHONPATH": path},
    )
    if done.returncode:
        raise ValueError(f"`{module} {' '.join(words)}` failed: see above")
