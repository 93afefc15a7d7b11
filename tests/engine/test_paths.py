"""Test what comes before a chapter, the paths, and the time that a page takes."""

import textwrap
from pathlib import Path
from typing import Any

import pytest

from lookback.engine.blocks import parse
from lookback.engine.book import Book
from lookback.engine.errors import PageError
from lookback.engine.paths import duration, minutes, needs, reading_paths, work

ORDER = ["index.md", "a.md", "b.md", "c.md"]
FEW = {"title": "Few", "about": "x", "pages": ["a", "c"], "enough": {"b": "Little."}}
PATHS = {"few": FEW, "all": {}}


@pytest.fixture
def book(tmp_path: Path) -> Book:
    (tmp_path / "references.bib").write_text(
        "@book{k, author={B, A.}, title={T}, publisher={P}, year={1948}}"
    )
    (tmp_path / "mkdocs.yml").write_text(
        "extra:\n  paths:\n    few:\n      pages: [a]\n"
    )
    (tmp_path / "index.md").write_text("# I\n")
    for name, before in (("a", "[]"), ("b", "[a]"), ("c", "[a, b]")):
        page = f"---\npapers: [k]\nneeds: {before}\n---\n# {name}\n"
        (tmp_path / f"{name}.md").write_text(page)
    found = Book(tmp_path, tmp_path, tmp_path / "src")
    found.read(ORDER)
    return found


def test_needs_are_the_chapters_to_read_before(book: Book) -> None:
    assert needs(book, ORDER) == {
        "a.md": [],
        "b.md": ["a.md"],
        "c.md": ["a.md", "b.md"],
    }


@pytest.mark.parametrize(
    ("need", "why"), [("c", "comes later in the nav"), ("d", "is no page of it")]
)
def test_a_need_that_does_not_come_before_is_refused(
    book: Book, need: str, why: str
) -> None:
    book.front["b.md"]["needs"] = ["a", need]
    with pytest.raises(PageError, match=rf"b\.md:3: needs: `{need}` {why}"):
        needs(book, ORDER)


def test_a_path_without_pages_leads_through_all_chapters(book: Book) -> None:
    few, every = reading_paths(book, ORDER, PATHS)
    assert (few.title, few.pages) == ("Few", ("a.md", "c.md"))
    assert every.pages == ("a.md", "b.md", "c.md")
    assert (few.enough, every.enough) == ({"b.md": "Little."}, {})


def test_what_a_path_leaves_out_has_to_be_summed_up(book: Book) -> None:
    with pytest.raises(PageError, match=r"mkdocs\.yml:3: .* `few` need b: add it, or"):
        reading_paths(book, ORDER, {"few": {"pages": ["a", "c"]}})


@pytest.mark.parametrize("pages", [["c", "a"], ["a", "d"], ["a", "a"]])
def test_a_path_against_the_nav_is_refused(book: Book, pages: list[str]) -> None:
    paths: dict[str, Any] = {"few": {"pages": pages}}
    with pytest.raises(PageError, match=r"mkdocs\.yml:3: the pages of path `few`"):
        reading_paths(book, ORDER, paths)


def test_only_open_words_take_time() -> None:
    fold = "\n\n??? more\n\n    " + "w " * 900 + "\n\n    w\n\n"
    code = "```python\n#| caption: C\n" + "w " * 900 + "\n```\n\n"
    formula = "$" + "x + " * 900 + "x$ {{ 1 }} [a](b.md){ .c .d }<!-- " + "w " * 900

    def read(text: str) -> int:
        return minutes(parse(text, "p.md"))

    assert read("---\ntitle: T\n---\n" + "word – " * 1000 + fold + code) == 5
    assert read("???+ more\n\n    " + "w " * 600 + fold) == 3
    assert read(f"few {formula} -->") == 1


def test_open_code_and_questions_take_time_to_work_through() -> None:
    code = "```python\n#| open: {}\n" + "x = 1\n\n" * 12 + "```\n\n"
    quiz = "```python\n#| quiz: Q\n#| answer: 1\nQuiz(1, {})\n```\n\n"
    listing = '```{.python src="lookback.luong:A, B"}\n```\n\n'

    def spent(text: str) -> int:
        return work(parse("word\n\n" + text, "p.md"))

    assert spent("") == spent(code.format("true")) == spent(code.format("false")) == 5
    assert spent(code.format("true") * 2) == 10  # 1 + 4 + 4
    assert spent(listing + quiz) == 10  # 1 + 4 + 1
    boxed = "!!! mistakes\n\n" + textwrap.indent(code.format("true") * 5, "    ")
    assert spent(boxed) == 5


def test_a_duration_is_told_in_minutes_or_half_hours() -> None:
    assert [*map(duration, (45, 89, 100, 241))] == [
        "45 minutes", "89 minutes", "1½ hours", "4 hours",
    ]  # fmt: skip
