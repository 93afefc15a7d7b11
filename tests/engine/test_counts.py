"""What the book consists of is counted, and nothing that is not there is named."""

import os
from pathlib import Path

from lookback.engine.book import Book
from lookback.engine.counts import counts, counts_html

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
TESTS = "def test_a():\n    def inner(): ...\n\nclass T:\n    def test_b(self): ...\n"


def book(root: Path) -> Book:
    (root / "docs").mkdir()
    (root / "docs/t.md").write_text(PAGE)
    (root / "docs/references.bib").write_text(BIB)
    (root / "src/recipes").mkdir(parents=True)
    found = Book(root, root / "docs", root / "src")
    found.read(["t.md"])
    return found


def test_what_is_there_is_counted(tmp_path: Path) -> None:
    made = book(tmp_path)
    (tmp_path / "tests/room").mkdir(parents=True)
    (tmp_path / "tests/room/test_x.py").write_text(TESTS)
    (tmp_path / "src/recipes/x.safetensors").write_bytes(b"")
    assert {what: n for n, what in counts(made, ["t.md"], labs=2)} == {
        "chapters": "1",
        "papers rebuilt or compared": "1",
        "blocks of code that ran": "2",
        "figures drawn by them": "1",
        "trained models": "1",
        "test functions": "2",
        "labs": "2",
    }


def test_an_edited_file_is_counted_again(tmp_path: Path) -> None:
    made, file = book(tmp_path), tmp_path / "tests/test_x.py"
    file.parent.mkdir(exist_ok=True)
    for n, text in enumerate(("def test_a(): ...\n", "def test_a(): ...\n" * 3), 1):
        file.write_text(text)
        os.utime(file, ns=(n, n))
        assert (str(2 * n - 1), "test functions") in counts(made, ["t.md"])


def test_what_is_absent_is_not_named(tmp_path: Path) -> None:
    told = [what for _, what in counts(book(tmp_path), ["t.md"])]
    assert "labs" not in told and "test functions" not in told


def test_a_list_shows_them() -> None:
    assert counts_html([("21", "chapters")]) == (
        '<ul class="lb-counts"><li><strong>21</strong> chapters</li></ul>'
    )
