"""Build a book again after an edit: prose runs nothing, an edit of code its page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Build = Callable[..., Path]

CHAPTER = """
# T

Some words and $x^2$.

```python
with open({counter!r}, "a") as file:
    file.write("ran\\n")
6 * 7
```

It is {{{{ 6 * 7 }}}}.
"""


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    """Name a file that gets a line for every run of the chapter."""
    return tmp_path / "counter.txt"


@pytest.fixture
def chapter(counter: Path) -> str:
    return CHAPTER.format(counter=str(counter))


def test_prose_runs_nothing_and_is_shown(
    book: Build, chapter: str, counter: Path
) -> None:
    book(chapter)
    site = book("\n" + chapter.replace("Some words", "Other words, and\nmore,"))
    assert counter.read_text() == "ran\n"
    html = (site / "t" / "index.html").read_text(encoding="utf-8")
    assert "Other words" in html and "It is 42" in html


def test_without_execution_nothing_runs(
    book: Build, chapter: str, counter: Path
) -> None:
    site = book(chapter, options="execute: false")
    assert not counter.exists()
    assert "It is …" in (site / "t" / "index.html").read_text(encoding="utf-8")
