"""README.md lists the chapters that stand: `python tests/test_readme.py` writes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pybtex.database import parse_file

ROOT = Path(__file__).parents[1]
START, END = "<!-- chapters: start -->\n", "<!-- chapters: end -->\n"


def pages(root: Path) -> Iterator[tuple[str, str, str]]:
    """The nav: (part, name or "", path) of each page that stands in a part."""
    text = (root / "mkdocs.yml").read_text(encoding="utf-8")
    # BaseLoader takes all for text, and so obeys no tag: neither !ENV nor !!python.
    for item in yaml.load(text, yaml.BaseLoader)["nav"]:
        for part, inside in item.items() if isinstance(item, dict) else ():
            for page in inside if isinstance(inside, list) else ():
                named = page if isinstance(page, dict) else {"": page}
                yield from ((part, name, path) for name, path in named.items())


def front_matter(page: Path) -> dict[str, Any]:
    """What stands between the first two `---` lines of a page; {} where none do."""
    before, *rest = page.read_text(encoding="utf-8").split("---\n", 2)
    return {} if before or len(rest) < 2 else dict(yaml.safe_load(rest[0]))


def chapter_table(root: Path) -> str:
    """The chapters by part, then the labs; what names its papers is a chapter."""
    works = parse_file(str(root / "docs/references.bib")).entries
    rows, labs, last = [], [], ""
    for part, name, path in pages(root):
        if path.endswith(".py"):
            labs.append(f"[{name}](docs/{path})")
        elif papers := (front := front_matter(root / "docs" / path)).get("papers"):
            years = ", ".join(
                dict.fromkeys(works[key].fields["year"] for key in papers)
            )
            link = f"[{front['title']}](docs/{path})"
            shown = "" if part == last else part
            rows.append(f"| {shown} | {link} | {front['question']} | {years} |\n")
            last = part
    head = "| Part | Chapter | Its question | Its papers |\n|---|---|---|---|\n"
    table = head + "".join(rows)
    return f"{table}\nLabs, to play with: {', '.join(labs)}.\n" if labs else table


def renewed(readme: str, table: str) -> str:
    """The README with its table made anew."""
    before, start, rest = readme.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(f"README.md needs the lines {START!r} and {END!r}")
    return before + start + table + end + after


def test_the_table_of_chapters_is_true() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert renewed(readme, chapter_table(ROOT)) == readme, (
        "the README's table is not what the nav and the chapters say now; "
        "write it anew: python tests/test_readme.py"
    )


def test_the_table_by_hand(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text(
        "emoji: !!python/name:a.b ''\nnav:\n  - index.md\n  - First: [a.md, b.md]\n"
        "  - Labs: [A lab: labs/l.py]\n  - Back: [c.md]\n"
    )
    for name, keys, more in (("a", "[x, y, z]", ""), ("b", "[z]", "---\nmore\n")):
        (tmp_path / f"docs/{name}.md").write_text(
            f"---\ntitle: '{name.upper()}: 1'\nquestion: What?\npapers: {keys}\n---\n"
            + more
        )
    (tmp_path / "docs/c.md").write_text("no front matter\n---\npapers: [x]\n---\n")
    (tmp_path / "docs/references.bib").write_text(
        "@misc{x, year = 1951}\n@misc{y, year = {1948}}\n@misc{z, year = 1951}\n"
    )
    assert chapter_table(tmp_path) == (
        "| Part | Chapter | Its question | Its papers |\n|---|---|---|---|\n"
        "| First | [A: 1](docs/a.md) | What? | 1951, 1948 |\n"
        "|  | [B: 1](docs/b.md) | What? | 1951 |\n"
        "\nLabs, to play with: [A lab](docs/labs/l.py).\n"
    )


def test_only_the_table_is_renewed() -> None:
    old = f"above\n{START}old\n{END}below\n"
    assert renewed(old, "new\n") == f"above\n{START}new\n{END}below\n"


@pytest.mark.parametrize("readme", ["", START, END, f"{END}{START}"])
def test_a_readme_without_its_markers_is_refused(readme: str) -> None:
    with pytest.raises(ValueError, match=r"README\.md needs the lines"):
        renewed(readme, "new\n")


if __name__ == "__main__":
    path = ROOT / "README.md"
    table = chapter_table(ROOT)
    path.write_text(renewed(path.read_text(encoding="utf-8"), table), encoding="utf-8")
