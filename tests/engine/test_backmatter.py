"""Test the timeline, the counts, the citation, the stamp and the description."""

import subprocess
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from lookback.engine.backmatter import (
    Chapter,
    blob,
    citation,
    commit_of,
    counts,
    description,
    git,
    markers,
    needs_map,
    stamp,
    timeline,
)
from lookback.engine.book import Book
from lookback.engine.cite import Entry
from lookback.engine.errors import PageError
from lookback.engine.paths import ReadingPath
from lookback.engine.run import Run

PAGE = """---
papers: [shannon1948]
---

# T

```python
1
```

```python
#| alt: A line.
2
```

{{ 3 }}
"""
BIB = "@article{shannon1948, author={Shannon, C.}, title={T}, year=1948}\n"
CFF = """title: "A & B: a book"
version: 0.1.0
authors:
  - {given-names: Ada, family-names: Lovelace}
  - name: The maintainers
"""
LONG = "It is a sentence of some length."


def work(key: str, year: str) -> Entry:
    return Entry(key, ("A. B.",), (key.title(),), year, "T", "J.", "")


OLD, MIDDLE, NEW = work("old", "1948"), work("middle", "1983"), work("new", "2018")
PARTS = [
    ("Counting", [Chapter("N & M", "ngram/", "Why <so>?", [MIDDLE, OLD])]),
    ("Attending", [Chapter(f"C{k}", f"c{k}/", "How?", [NEW]) for k in range(3)]),
]


def test_timeline_places_a_chapter_from_its_first_paper_to_its_last() -> None:
    page = BeautifulSoup(timeline(PARTS), "lxml")
    assert [h3.text for h3 in page.select("h3")] == ["Counting", "Attending"]
    links = [a["href"] for a in page.select("a")]
    assert links == ["ngram/", "c0/", "c1/", "c2/"]
    first = page.select_one("li")
    assert first.a.text == "N & M" and first.p.text == "Why <so>?"
    assert first.select_one(".lb-years").text == "1948–1983: Middle 1983, Old 1948"
    track = first.select_one(".lb-track")
    assert track["style"] == "--from:10.00%;--to:53.75%"
    marks = [(i["title"], i["style"]) for i in track.select("i")]
    assert marks == [("Old 1948", "--at:10.00%"), ("Middle 1983", "--at:53.75%")]
    assert timeline([]) == timeline([("Counting", [])]) == ""


def test_timeline_draws_one_line_through_a_paper_of_three_chapters() -> None:
    page = timeline(PARTS)
    assert page.count('class="lb-one"') == 3 + 1  # in each chapter, and the line
    assert "New 2018 is one paper, in 3 chapters." in page
    two = [PARTS[0], (PARTS[1][0], PARTS[1][1][:2])]
    assert "one paper" not in timeline(two) and "lb-one" not in timeline(two)


def test_stamp_names_versions_and_models() -> None:
    run = Run("p", models=[{"model": "A<B", "parameters": "3", "cost": "1"}])
    assert stamp(run, {"python": "3.11.7", "torch": "2.13.0"}) == [
        ["Python", "3.11.7"],
        ["PyTorch", "2.13.0"],
        ["model A<B", "parameters: 3, cost: 1"],
    ]


def in_git(root: Path, *words: str) -> str:
    who = ["-c", "user.name=n", "-c", "user.email=e@x.org"]
    command = ["git", "-C", str(root), *who, *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_an_archive_inside_another_repository_has_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = tmp_path / "book"
    book.mkdir()
    (book / "mkdocs.yml").touch()
    (tmp_path / "other").touch()
    in_git(tmp_path, "init", "-q")
    in_git(tmp_path, "add", "other")
    in_git(tmp_path, "commit", "-q", "-m", "other")
    assert commit_of(book) == git(book, "log", "-1", "--format=%ct") == ""
    assert blob(book, "https://x.org/r") == "https://x.org/r/blob/HEAD/"
    in_git(tmp_path, "add", "book")
    in_git(tmp_path, "commit", "-q", "-m", "book")
    commit = in_git(tmp_path, "rev-parse", "HEAD").strip()
    (tmp_path / "other").write_text("edited")
    assert commit_of(book) == commit[:10]
    (book / "mkdocs.yml").write_text("edited")
    assert commit_of(book) == f"{commit[:10]} and later edits"
    assert blob(book, "https://x.org/r") == f"https://x.org/r/blob/{commit}/book/"
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "none"))  # as in a hook of git
    assert commit_of(book).startswith(commit[:10])


def test_counts_leave_out_zeros(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/t.md").write_text(PAGE)
    (tmp_path / "docs/references.bib").write_text(BIB)
    book = Book(tmp_path, tmp_path / "docs", tmp_path / "src")
    book.read(["t.md"])
    page = BeautifulSoup(counts(book, ["t.md"]), "lxml")
    assert [item.text for item in page.select("ul.lb-counts > li")] == [
        "1 chapters",
        "1 papers rebuilt or compared",
        "1 figures drawn by code",
    ]


def test_each_marker_links_titles_to_their_pages(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        front = "---\npapers: [shannon1948]\n---\n" if name != "c" else ""
        (tmp_path / f"{name}.md").write_text(f"{front}# {name.upper()}: long\n")
    (tmp_path / "references.bib").write_text(BIB)
    book = Book(tmp_path, tmp_path, tmp_path / "src")
    book.read(["a.md", "b.md", "c.md"])
    found = markers(
        book,
        [("Part", ["a.md", "b.md", "c.md"])],
        lambda uri: f"to/{uri}",
        [ReadingPath("ReadingPath", "What it is.", "1 h", ("b.md", "c.md"))],
        {"a.md": [], "b.md": ["a.md"], "c.md": []},
        {},
    )
    links = {
        name: [(a.text, a["href"]) for a in BeautifulSoup(page, "lxml").select("a")]
        for name, page in found.items()
    }
    long = [("A: long", "to/a.md"), ("B: long", "to/b.md")]
    short = [(title[0], url) for title, url in [*long, ("C", "to/c.md")]]
    assert links == {
        "doors": [("ReadingPath", "to/b.md")],
        "paths": short[1:],
        "needs": short,
        "counts": [],
        "citation": [],
        "timeline": long,
        "bibliography": long,
    }


def test_the_map_of_needs_joins_rows_by_arcs() -> None:
    chapters = [("A & B", "a/"), ("C", "c/"), ("D", "d/")]
    page = BeautifulSoup(needs_map(chapters, [[], [0], [0]]), "lxml")
    assert [a["href"] for a in page.select("li a")] == ["a/", "c/", "d/"]
    assert [e.text for e in page.select("li span")] == [" needs A & B", " needs A & B"]
    arcs = [path["d"] for path in page.select("path")]
    assert arcs == ["M0 50A300.0 50 0 0 1 0 150", "M0 50A600.0 100 0 0 1 0 250"]
    assert "<path" not in needs_map(chapters, [[], [], []])


def test_citation_is_a_sentence_and_bibtex(tmp_path: Path) -> None:
    path = tmp_path / "CITATION.cff"
    assert citation(path) == ""
    path.write_text(CFF)
    text = citation(path)
    assert "Ada Lovelace, The maintainers. <cite>A &amp; B: a book</cite>" in text
    assert "author = {{Ada Lovelace} and {The maintainers}}," in text
    assert "version = {0.1.0}" in text and "url" not in text
    assert "url = {https://host/book}" in citation(path, "https://host/book")
    for key in ("title", "version", "authors"):
        path.write_text(CFF.replace(f"{key}:", f"no{key}:"))
        with pytest.raises(PageError, match=rf"CITATION\.cff:1: `{key}` is missing"):
            citation(path)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("", ""),
        (f"---\nquestion: Why?\n---\n{LONG}", "Why?"),
        (f"---\nquestion: Why?\ndescription: So.\n---\n{LONG}", "So."),
        (f"# A title of some length\n\nShort.\n\n{LONG} More.", LONG),
        (f"A sum $x$ of them all.\n\n{LONG}", LONG),
        ("*A & B*\n are [here](p.md), `both`.", "A & B  are here, both."),
    ],
)
def test_description_is_that_of_the_page_or_a_sentence(
    tmp_path: Path, page: str, expected: str
) -> None:
    book = Book(tmp_path, tmp_path, tmp_path)
    (tmp_path / "p.md").write_text(page, encoding="utf-8")
    book.read(["p.md"])
    assert description(book, "p.md") == expected
