"""Read and run the pages of a book."""

from pathlib import Path

import pytest

from lookback.engine.book import Book, one_page
from lookback.engine.errors import PageError
from lookback.engine.output import Output

BIB = "@book{a1948, author={B, A.}, title={T}, publisher={P}, year={1948}}"
PAGE = "---\ntitle: P\npapers: [a1948]\n---\n# P\n\n```python\nprint('ran')\n```\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text("site_name: T\n")
    (tmp_path / "docs" / "references.bib").write_text(BIB)
    (tmp_path / "docs" / "p.md").write_text(PAGE)
    (tmp_path / "docs" / "q.md").write_text("# Q\n\nNothing runs ([@a1948]).\n")
    return tmp_path


def book(root: Path) -> Book:
    found = Book(root, root / "docs", Path("src/lookback").resolve(), root / "cache")
    found.read(["p.md", "q.md"])
    return found


def test_pages_run_and_the_second_time_they_do_not(root: Path) -> None:
    said: list[str] = []
    first = book(root)
    first.run(say=said.append)
    assert first.runs["p.md"].outputs == [[Output("text", "ran\n")]]
    assert first.runs["q.md"].outputs == []
    assert said[0] == "Running the blocks of 1 page"
    assert said[1].startswith("1 of 1: docs/p.md ran for ")
    said.clear()
    second = book(root)
    second.run(say=said.append)
    assert second.runs["p.md"] == first.runs["p.md"] and said == []


def test_failures_are_named_together_and_not_kept(root: Path) -> None:
    (root / "docs" / "p.md").write_text("```python\nassert False\n```\n")
    (root / "docs" / "q.md").write_text("It is {{ 1 / 0 }}.\n")
    (root / "docs" / "r.md").write_text("```python\n6 * 7\n```\n")
    some = book(root)
    some.read(["r.md"])
    with pytest.raises(PageError) as caught:
        some.run()
    assert "docs/p.md:2: block 1: AssertionError" in str(caught.value)
    assert "docs/q.md:1: ZeroDivisionError" in str(caught.value)
    assert [path.name for path in (root / "cache").iterdir()] == ["docs--r.md"]


def test_front_matter_names_the_papers(root: Path) -> None:
    found = book(root)
    assert [paper.label for paper in found.papers("p.md")] == ["B 1948"]
    assert found.papers("q.md") == []
    assert found.cited() == {"a1948": ["p.md", "q.md"]}


@pytest.mark.parametrize(
    ("front", "words"),
    [
        ("papers: [nobody2000]", r"docs/p\.md:1: papers: `nobody2000` is not in docs/"),
        ("title: [", r"docs/p\.md:\d: front matter"),
        ("- a list", r"docs/p\.md:1: front matter must be"),
    ],
)
def test_front_matter_that_cannot_be_meant_is_refused(
    root: Path, front: str, words: str
) -> None:
    (root / "docs" / "p.md").write_text(f"---\n{front}\n---\n# P\n")
    with pytest.raises(PageError, match=words):
        book(root).papers("p.md")


@pytest.mark.parametrize(
    "text",
    [
        f"---\nx: {'[' * 999}{']' * 999}\n---\n",
        f"It is {{{{ {'-' * 5000}1 }}}}.\n",
    ],
)
def test_what_is_nested_too_deeply_is_refused(root: Path, text: str) -> None:
    (root / "docs" / "p.md").write_text(text)
    with pytest.raises(PageError, match=r"docs/p.md:1: .* nested too deeply"):
        book(root)


QUIZ = """\
```python
#| quiz: How much?
#| answer: 0.67
from lookback.figures import Quiz

Quiz(2 / 3, {"It is upside down.": 1.5}, fmt="{:.2f}")
```
"""
ASKED = "#| quiz: How much?\n"
MISFITS = [
    (QUIZ.replace("0.67", "1.5"), "`#| answer: 1.5` is not what the program gives: it"),
    (QUIZ.replace("#| answer: 0.67\n", ""), "needs its question and its answer"),
    (QUIZ.replace("#| answer: 0.67\n", "").replace(ASKED, ""), "needs its question"),
    (PAGE.replace("print", f"{ASKED}print"), "and its last value is no Quiz"),
]


@pytest.mark.parametrize(("page", "words"), MISFITS)
def test_no_cache_hides_an_answer_that_is_wrong(
    root: Path, page: str, words: str
) -> None:
    for text in (QUIZ, PAGE):  # what both show is stored
        (root / "docs" / "p.md").write_text(text)
        book(root).run()
    (root / "docs" / "p.md").write_text(page)
    line = page[: page.index("```python")].count("\n") + 1
    found = book(root)
    with pytest.raises(PageError, match=rf"docs/p\.md:{line}: block 1: ") as refusal:
        found.run(say=pytest.fail)  # nothing runs
    assert words in str(refusal.value)
    found.set_run("p.md", found.runs["p.md"])  # under `mkdocs serve`
    assert words in found.runs["p.md"].outputs[0][0].text


MARK = b"\xef\xbb\xbf"
FILES = {
    "p.md": PAGE.encode(),
    "glossary.md": b"word { #word }\n\n:   A unit of text.\n",
    "references.bib": BIB.encode(),
    "labs/l.py": b"# %%\nprint('a lab')\n",
}
"""What people write, each read by the engine itself."""


def written(root: Path, **files: bytes) -> Book:
    """Write FILES, some of them otherwise, and read them all."""
    (root / "docs" / "labs").mkdir()
    for name, content in {**FILES, **files}.items():
        (root / "docs" / name).write_bytes(content)
    found = book(root)
    found.read(["labs/l.py"])
    return found


def test_a_byte_order_mark_is_no_part_of_a_file(root: Path) -> None:
    found = written(root, **{name: MARK + FILES[name] for name in FILES})
    assert found.front["p.md"]["title"] == "P" and found.glossary == {"word": "word"}
    assert [paper.label for paper in found.papers("p.md")] == ["B 1948"]
    (code,) = (piece.code for piece in found.pages["labs/l.py"].running)
    assert code == "print('a lab')"


ENCODED = {
    "latin-1": (
        "# A\n# café\n".encode("latin-1"),
        ":2: it is not UTF-8 (byte 0xe9 at c",
    ),
    "UTF-16": (
        "# A\n".encode("utf-16"),
        ":1: it is not UTF-8 (byte 0xff at column 1 of",
    ),
    "no mark": (b"#\n#\0 \0A\0", ":2: it holds NUL, as UTF-16 does: save it as UTF-8"),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("content", "words"), ENCODED.values(), ids=ENCODED)
def test_another_encoding_is_refused_by_name(
    root: Path, name: str, content: bytes, words: str
) -> None:
    with pytest.raises(PageError) as refusal:
        written(root, **{name: content})
    assert str(refusal.value).startswith(f"docs/{name}{words}")


def test_one_page_knows_its_book(root: Path) -> None:
    found, uri = one_page(root / "docs" / "p.md")
    assert (found.root, uri, found.pages[uri].name) == (root, "p.md", "docs/p.md")
    with pytest.raises(ValueError, match="there is no page"):
        one_page(root / "docs" / "none.md")
