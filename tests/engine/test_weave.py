"""Weave small books: what goes into a page, what is kept, what other builders make."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config

from lookback.engine.book import Book
from lookback.engine.folder import weave
from lookback.engine.opened import PACKAGE
from lookback.engine.weave import Site, Weaver, read_nav

Book_ = Callable[..., Path]
WORKS = "@article{a1948, author={Shannon, C.}, title={T}, year=1948}\n"
PAGES = {
    "index.md": "# Home\n\nSee [a](a.md) and [the lab](labs/l.py).\n",
    "a.md": """
        ---
        papers: [a1948]
        question: Why?
        ---

        # A of `code` { #top }

        Some words and $x^2$, as [@a1948] has it, [](#eq-1) and [b](b.md#b).

        $$y \\tag{1}$$

        !!! exercise "Exercise 1 (easy): of $x$"

            Do.
        """,
    "b.md": """
        ---
        papers: [a1948]
        needs: [a]
        ---

        # B { #b }

        A word. <!-- lookback: paths -->

        ```python
        #| open: false
        6 * 7
        ```
        """,
    "labs/l.py": "# %% [markdown]\n# # L\n#\n# A lab that runs nothing.\n",
    "glossary.md": "# Glossary\n\nword { #word }\n:   A word.\n",
    "references.bib": WORKS,
    "live/preview.js": 'import { x } from "./dom.js";\n',
    "live/folding.js": "",
    "live/dom.js": "",
}
SETTINGS = f"""\
site_name: A book
site_description: About
nav: [index.md, {{Part: [a.md, b.md]}}, {{Lab: labs/l.py}}, glossary.md]
theme: {{name: material, font: false, custom_dir: {PACKAGE.parents[1] / "overrides"}}}
extra: {{paths: {{both: {{title: Both, about: Of it., pages: [a, b]}}}}}}
plugins:
  - search
  - mkdocs-jupyter: {{include: [labs/*.py], ignore: ["*.md"]}}
  - lookback: {{execute: false}}
markdown_extensions:
  - admonition
  - attr_list
  - def_list
  - toc: {{permalink: true}}
  - pymdownx.details
  - pymdownx.superfences
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a book in a folder."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    for name, text in PAGES.items():
        save(tmp_path / "book", name, text)
    (tmp_path / "book/mkdocs.yml").write_text(SETTINGS)
    return tmp_path / "book"


def save(root: Path, name: str, text: str) -> None:
    path = root / "docs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")


def site(settings: Path, into: str, command: str = "build") -> dict[str, bytes]:
    """Build a site; return its files. Under `serve` the plugin lives on."""
    folder = settings.parent.parent / into
    config = load_config(str(settings), site_dir=str(folder))
    if command == "build" or not folder.exists():
        config.plugins.on_startup(command=command, dirty=False)
    build(config, serve_url="http://x/" if command == "serve" else None)
    if command == "build":
        config.plugins.on_shutdown()
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".gz"  # its time
    }


def woven(root: Path, uri: str) -> tuple[dict[str, object], str]:
    """Weave a page: its front matter and its Markdown."""
    book = Book(root, root / "docs", PACKAGE)
    pages = [name for name in PAGES if name.endswith((".md", ".py"))]
    book.read(pages)
    book.skip()
    settings = yaml.safe_load(SETTINGS)
    weaver, nav = Weaver(), read_nav(settings["nav"])
    weaver.take(book, Site(*nav, settings["extra"]["paths"]))
    _, front, text = weaver.page(uri).split("---\n", 2)
    return yaml.safe_load(front), text


def test_the_front_matter_holds_what_the_template_prints(root: Path) -> None:
    front, text = woven(root, "b.md")
    assert front["minutes"] == 1 and front["part"] == "Part"
    assert front["before"] == [["A of `code`", "a/"]]
    assert front["scripts"] == ["live/preview.js", "live/folding.js"]
    assert front["preloads"] == ["live/dom.js"]
    assert [front["notebook"], front["handout"]] == ["b.ipynb", "b-exercises.ipynb"]
    assert [name for name, _ in front["stamp"]] == ["Python", "PyTorch"]
    assert '<dl class="lb-paths">' in text  # of two chapters one path is all: none
    front, text = woven(root, "a.md")
    assert front["description"] == "Why?" and "notebook" not in front
    assert "`<math><msup><mi>x</mi><mn>2</mn></msup></math>" not in text
    assert '<span class="lb-tie"><math><msup>' in text  # with its comma


EDITS = {
    "a sentence": ("a.md", "Some words", "Other words"),
    "a heading": ("a.md", "# A of `code`", "# A new title"),
    "a label": ("a.md", "\\tag{1}", "\\tag{2}"),
    "what it needs": ("b.md", "needs: [a]\n", ""),
    "a term": ("glossary.md", "word { #word }", "words { #words }"),
    "a lab": ("labs/l.py", "runs nothing", "is edited"),
    "a work": ("references.bib", "Shannon", "Shannan"),
    "a script": ("live/preview.js", "dom", "folding"),
}


def test_after_edits_serve_shows_what_a_fresh_build_makes(root: Path) -> None:
    site(root / "mkdocs.yml", "served", "serve")
    for what, (name, old, new) in EDITS.items():
        text = (root / "docs" / name).read_text(encoding="utf-8")
        assert old in text, what
        edited = text.replace(old, new).replace(
            "(#eq-1)", f"(#eq-{new[-2:-1]})" if what == "a label" else "(#eq-1)"
        )
        (root / "docs" / name).write_text(edited, encoding="utf-8")
        served = site(root / "mkdocs.yml", "served", "serve")
        fresh = site(root / "mkdocs.yml", "fresh")
        assert served.keys() == fresh.keys(), what
        assert [f for f in fresh if fresh[f] != served[f]] == [], what


def test_a_woven_folder_gives_the_same_pages_without_the_plugin(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = root.parent / "woven"
    weave(root, folder, say=print)
    monkeypatch.syspath_prepend(str(folder))
    ours, other = (
        site(root / "mkdocs.yml", "ours"),
        site(folder / "mkdocs.yml", "other"),
    )
    assert ours.keys() == other.keys()
    different = [name for name in ours if ours[name] != other[name]]
    assert {Path(name).suffix for name in different} <= {".json", ".html"}
    assert weave(root, folder, say=print) == 0  # nothing has changed


@pytest.mark.parametrize(
    ("files", "words"),
    [({}, "holds no mkdocs.yml"), ({"mkdocs.yml": "a: b", "out/x": ""}, "other files")],
)
def test_what_is_no_book_and_no_folder_for_one_is_refused(
    tmp_path: Path, files: dict[str, str], words: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=words):
        weave(tmp_path, tmp_path / "out", say=print)
