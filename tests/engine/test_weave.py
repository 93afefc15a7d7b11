"""Weave small books: what goes into a page, what is kept, what other builders make."""

from __future__ import annotations

import os
import re
import shutil
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.plugins import PluginCollection
from mkdocs.structure.pages import Page

from lookback.engine.book import Book
from lookback.engine.folder import _write, weave
from lookback.engine.opened import PACKAGE
from lookback.engine.weave import Site, Weaver, read_nav
from lookback.extract import Package, program

Files = dict[str, bytes]
ARTICLE = re.compile("<article.*</article>", re.DOTALL)
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


@contextmanager
def started(settings: Path, command: str) -> Iterator[Callable[[str], Files]]:
    """Start MkDocs; yield what builds a site into a folder, and returns its files."""

    def site(into: str) -> Files:
        folder = settings.parent.parent / into
        config = load_config(str(settings), site_dir=str(folder))
        if not plugins:
            plugins.append(config.plugins)
            config.plugins.on_startup(command=command, dirty=False)
        build(config, serve_url="http://x/" if command == "serve" else None)
        paths = [path for path in folder.rglob("*") if path.is_file()]
        names = {path.relative_to(folder).as_posix(): path for path in paths}
        return {n: p.read_bytes() for n, p in names.items() if p.suffix != ".gz"}

    plugins: list[PluginCollection] = []
    try:
        yield site
    finally:
        plugins[0].on_shutdown()


def woven(root: Path, uri: str) -> tuple[dict[str, object], str]:
    """Weave a page: its front matter and its Markdown."""
    book = Book(root, root / "docs", PACKAGE)
    pages = [name for name in PAGES if name.endswith((".md", ".py"))]
    book.read(pages)
    book.skip_runs()
    settings = yaml.safe_load(SETTINGS)
    weaver, nav = Weaver(), read_nav(settings["nav"])
    weaver.set_book(book, Site(*nav, settings["extra"]["paths"]))
    _, front, text = weaver.page(uri).split("---\n", 2)
    return yaml.safe_load(front), text


def test_the_front_matter_holds_what_the_template_prints(root: Path) -> None:
    front, text = woven(root, "b.md")
    assert front["minutes"] == "1 minutes" and front["part"] == "Part"
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


def test_a_program_is_made_again_after_an_edit_of_a_module_of_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(root, "ngram.md", "---\npapers: [a1948]\n---\n\n# N\n")
    package, weaver, made = root / "lookback", Weaver(), list[str]()
    none = shutil.ignore_patterns("*.safetensors", "*.json", "__pycache__")
    shutil.copytree(PACKAGE, package, ignore=none)

    def noted(name: str, package: Package) -> str:
        made.append(name)
        return program(name, package)

    monkeypatch.setattr("lookback.engine.weave.program", noted)
    for edited, times in (("ngram", 1), ("bert", 1), ("ngram", 2)):
        os.utime(package / f"{edited}.py", ns=(0, len(made)))
        book = Book(root, root / "docs", package)
        book.read(["ngram.md"])
        book.skip_runs()
        weaver.set_book(book, Site(("ngram.md",)))
        assert "class NgramModel" in weaver.beside("ngram.md")["ngram/ngram.py"]
        assert len(made) == times


EDITS = {
    "a sentence": ("a.md", "Some words", "Other words"),
    "a heading": ("a.md", "# A of `code`", "# A new title"),
    "a label": ("a.md", "$$y", "<!-- key -->\n\n$$y"),
    "what it needs": ("b.md", "needs: [a]\n", ""),
    "a term": ("glossary.md", "word { #word }", "words { #words }"),
    "a lab": ("labs/l.py", "runs nothing", "is edited"),
    "a work": ("references.bib", "Shannon", "Shannan"),
    "a script": ("live/preview.js", "dom", "folding"),
}


def test_after_edits_serve_shows_what_a_fresh_build_makes(root: Path) -> None:
    served = dict[str, Files]()
    with started(root / "mkdocs.yml", "serve") as site:
        site("served")
        for what, (name, old, new) in EDITS.items():
            path = root / "docs" / name
            text = path.read_text(encoding="utf-8")
            assert old in text, what
            path.write_text(text.replace(old, new), encoding="utf-8")
            served[what] = site("served")
            shutil.copytree(root, root.parent / what)
    for what, found in served.items():
        with started(root.parent / what / "mkdocs.yml", "build") as site:
            fresh = site("fresh")
        assert found.keys() == fresh.keys(), what
        assert [name for name in fresh if fresh[name] != found[name]] == [], what


def test_serve_renders_the_page_that_was_edited_and_no_other(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered = list[str]()
    render = Page.render

    def noted(page: Page, *given: Any) -> None:
        rendered.append(page.file.src_uri)
        render(page, *given)

    monkeypatch.setattr(Page, "render", noted)
    with started(root / "mkdocs.yml", "serve") as site:
        site("served")
        assert len(rendered) == 5
        rendered.clear()
        save(root, "a.md", PAGES["a.md"].replace("Some", "Other"))
        site("served")
    assert rendered == ["a.md"]


def test_a_woven_folder_gives_the_same_pages_without_the_plugin(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = (root / "mkdocs.yml").read_text().replace("execute: false", "{}")
    (root / "mkdocs.yml").write_text(settings.replace("lookback: {{}}", "lookback"))
    folder = root.parent / "woven"
    weave(root, folder, say=print)
    monkeypatch.syspath_prepend(str(folder))
    with started(root / "mkdocs.yml", "build") as site:
        ours = site("ours")
    with started(folder / "mkdocs.yml", "build") as site:
        other = site("other")
    assert ours.keys() == other.keys()
    for name in ours:
        if name.endswith(".html"):
            one, two = (files[name].decode() for files in (ours, other))
            assert ARTICLE.findall(one) == ARTICLE.findall(two), name
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


def test_a_full_disk_names_the_file_that_found_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*a\.md'"):
        _write(tmp_path, {"a.md": "x"})
