"""Test the stamp, the counts, the citation and the description of pages."""

from pathlib import Path

import pytest

from lookback.engine.backmatter import (
    citation_html,
    commit_of,
    counts_html,
    description,
    git,
    stamp,
)
from lookback.engine.book import Book
from lookback.engine.errors import PageError
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


def test_stamp_names_commit_versions_and_models() -> None:
    run = Run("p", models=[{"model": "A<B", "parameters": "3", "cost": "1"}])
    text = stamp(run, {"python": "3.11.7", "torch": "2.13.0"}, "abc123")
    for fact in (
        "<dt>Commit</dt><dd>abc123</dd>",
        "<dt>Python</dt><dd>3.11.7</dd>",
        "<dt>PyTorch</dt><dd>2.13.0</dd>",
        "<dt>model A&lt;B</dt><dd>parameters: 3, cost: 1</dd>",
    ):
        assert fact in text
    assert "Commit" not in stamp(run, {"python": "3", "torch": "2"}, "")


def test_commit_says_that_files_differ(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == ""
    git(tmp_path, "init", "-q")
    (tmp_path / "f").write_text("1")
    git(tmp_path, "add", "f")
    who = ["-c", "user.name=n", "-c", "user.email=e@x.org"]
    git(tmp_path, *who, "commit", "-q", "-m", "m")
    commit = git(tmp_path, "rev-parse", "--short=10", "HEAD")
    assert len(commit) == 10 and commit_of(tmp_path) == commit
    (tmp_path / "f").write_text("2")
    assert commit_of(tmp_path) == f"{commit} and later edits"


def test_counts_leave_out_zeros(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/t.md").write_text(PAGE)
    (tmp_path / "docs/references.bib").write_text(BIB)
    book = Book(tmp_path, tmp_path / "docs", tmp_path / "src")
    book.read(["t.md"])
    expected = [
        "<strong>1</strong> chapters",
        "<strong>1</strong> papers rebuilt or compared",
        "<strong>2</strong> blocks of code that ran",
        "<strong>1</strong> figures drawn by them",
    ]
    items = "</li><li>".join(expected)
    assert counts_html(book, ["t.md"]) == f'<ul class="lb-counts"><li>{items}</li></ul>'


def test_citation_is_a_sentence_and_bibtex(tmp_path: Path) -> None:
    path = tmp_path / "CITATION.cff"
    assert citation_html(path) == ""
    path.write_text(CFF)
    text = citation_html(path)
    assert "Ada Lovelace, The maintainers. <cite>A &amp; B: a book</cite>" in text
    assert "author = {{Ada Lovelace} and {The maintainers}}," in text
    assert "version = {0.1.0}" in text and "url" not in text


@pytest.mark.parametrize("key", ["title", "version", "authors"])
def test_citation_without_a_field_is_refused(tmp_path: Path, key: str) -> None:
    path = tmp_path / "CITATION.cff"
    path.write_text(CFF.replace(f"{key}:", f"no{key}:"))
    with pytest.raises(PageError, match=rf"CITATION\.cff:1: `{key}` is missing"):
        citation_html(path)


@pytest.mark.parametrize(
    ("question", "page", "expected"),
    [
        ("", "", ""),
        ("Why?", f"<p>{LONG}</p>", "Why?"),
        ("", f"<h1>T</h1><p>Short.</p><p>{LONG} More.</p>", LONG),
        ("", f"<p>A sum <math>x</math> of them all.</p><p>{LONG}</p>", LONG),
        ("", "<p><em>A &amp; B</em>\n are here, both.</p>", "A & B are here, both."),
    ],
)
def test_description_is_the_question_or_a_sentence(
    question: str, page: str, expected: str
) -> None:
    assert description(question, page) == expected
