"""`lookback register`: what is known of the chapters, written where it is needed.

Part and order of a chapter stand in the nav of mkdocs.yml, its title, question, papers
and the names that `lookback` offers of it in its front matter. The rest is made from
these: CHAPTERS of the package, from which its help is made, and the table of README.md.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lookback.text.spelling import did_you_mean

from . import options

if TYPE_CHECKING:
    from .options import Commands

NAV, PACKAGE = "mkdocs.yml", "src/lookback/__init__.py"
CHAPTERS = "# chapters: start\n", "# chapters: end\n"
PUBLIC = re.DOTALL | re.MULTILINE
TABLE = "<!-- chapters: start -->\n", "<!-- chapters: end -->\n"


class Chapter(NamedTuple):
    """A page that names its papers: its part of the book, path and front matter."""

    part: str
    path: str
    front: dict[str, Any]

    @property
    def name(self) -> str:
        return self.path.removesuffix(".md")


def add_to(commands: Commands) -> None:
    options.add(
        commands,
        "register",
        _register,
        "write from the nav and the front matter what is made from them",
        "  lookback register      after a change of mkdocs.yml or of a front matter",
    )


def _register(arguments: argparse.Namespace) -> int:
    for path in register(checkout()):
        print(path)
    return 0


def checkout() -> Path:
    """The folder in which one stands, if it is a checkout of the book."""
    here = Path.cwd()
    for name in (NAV, PACKAGE, "README.md", "docs"):
        if not (here / name).exists():
            raise ValueError(
                f"{here} is no checkout of Lookback: it has no {name}. Call this "
                "command in the folder where mkdocs.yml is"
            )
    return here


def register(root: Path) -> list[Path]:
    """Write the files that are not as the nav and the front matter say: their paths."""
    files = registered(root)
    changed = [p for p, text in files.items() if p.read_text(encoding="utf-8") != text]
    for path in changed:
        with options.whole(path) as file:
            file.write_text(files[path], encoding="utf-8", newline="\n")
    return changed


def registered(root: Path) -> dict[Path, str]:
    """Each file that holds something of the chapters, and what it should be."""
    package, readme = root / PACKAGE, root / "README.md"
    found = chapters(root)
    ideas = [chapter for chapter in found if "offers" in chapter.front]
    for idea in ideas:
        check_names(root, idea, [chapter.name for chapter in found])
    text = package.read_text(encoding="utf-8")
    rows = table_of("CHAPTERS", "offers", ideas) + table_of("TITLES", "title", ideas)
    text = between(text, CHAPTERS, rows, PACKAGE)
    table = between(readme.read_text("utf-8"), TABLE, chapter_table(root), "README.md")
    return {package: text, readme: table}


def check_names(root: Path, idea: Chapter, order: list[str]) -> None:
    """Refuse `needs` that are no chapters, and `offers` that its module has not."""
    page, module = root / "docs" / idea.path, root / f"src/lookback/{idea.name}.py"
    if not module.is_file():
        raise ValueError(f"{page} offers names of {module}, and there is no such file")
    public = re.search(r"^__all__ = (\[.*?\])", module.read_text("utf-8"), PUBLIC)
    names = ast.literal_eval(public[1]) if public else []
    lines = page.read_text(encoding="utf-8").splitlines()
    for key, known, where in (
        ("needs", order, "no chapter"),
        ("offers", names, f"not in __all__ of {module.name}"),
    ):
        line = next((n for n, t in enumerate(lines, 1) if t.startswith(f"{key}:")), 1)
        for name in idea.front.get(key) or []:
            if name not in known:
                hint = did_you_mean(str(name), known)
                place = f"docs/{idea.path}:{line}: {key}"
                raise ValueError(f"{place}: {name!r} is {where}{hint}")


def table_of(name: str, key: str, ideas: list[Chapter]) -> str:
    """A dictionary of the package: chapter → what its front matter has of a key."""
    rows = (
        f'    "{idea.name}": {json.dumps(idea.front[key], ensure_ascii=False)},\n'
        for idea in ideas
    )
    return f"{name} = {{\n{''.join(rows)}}}\n"


def between(text: str, marks: tuple[str, str], new: str, name: str) -> str:
    """The text with what stands between two marks replaced."""
    (start, end), (before, found, rest) = marks, text.partition(marks[0])
    _, also_found, after = rest.partition(end)
    if not found or not also_found:
        raise ValueError(f"{name} needs {start!r} and, below it, {end!r}")
    return before + start + new + end + after


def pages(root: Path) -> Iterator[tuple[str, str, str]]:
    """The nav: (part, name or "", path) of each page that stands in a part."""
    import yaml

    text = (root / NAV).read_text(encoding="utf-8")
    # BaseLoader takes all for text, and so obeys no tag: neither !ENV nor !!python.
    for item in yaml.load(text, yaml.BaseLoader)["nav"]:
        for part, inside in item.items() if isinstance(item, dict) else ():
            for page in inside if isinstance(inside, list) else ():
                named = page if isinstance(page, dict) else {"": page}
                yield from ((part, name, path) for name, path in named.items())


def chapters(root: Path) -> list[Chapter]:
    """The chapters in the order of history; one without a module offers nothing."""
    found = [
        Chapter(part, path, front_matter(root / "docs" / path))
        for part, _, path in pages(root)
        if path.endswith(".md")
    ]
    return [chapter for chapter in found if "papers" in chapter.front]


def front_matter(page: Path) -> dict[str, Any]:
    """What stands between the first two `---` lines of a page; {} where none do."""
    from lookback.engine.book import mapping
    from lookback.engine.errors import read_text

    if not page.is_file():
        raise ValueError(f"{NAV} lists {page.name}, and there is no {page}")
    name = f"docs/{page.name}"
    before, *rest = read_text(page, name).split("---\n", 2)
    whole = not before and len(rest) == 2
    front = mapping(rest[0], name, "front matter", first=2) if whole else {}
    for key in ("title", "question") if "papers" in front else ():
        if key not in front:
            raise ValueError(f"{page}: a chapter needs `{key}:` in its front matter")
    return front


def chapter_table(root: Path) -> str:
    """The chapters by part, then the labs."""
    rows, last = [], ""
    for part, path, front in chapters(root):
        link = f"[{front['title']}](docs/{path})"
        rows.append(
            f"| {'' if part == last else part} | {link} | {front['question']} |\n"
        )
        last = part
    labs = [f"[{n}](docs/{p})" for _, n, p in pages(root) if p.endswith(".py")]
    play = f"\nLabs, to play with: {', '.join(labs)}.\n" if labs else ""
    return "| Part | Chapter | Its question |\n|---|---|---|\n" + "".join(rows) + play
