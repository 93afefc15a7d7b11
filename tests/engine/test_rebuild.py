"""Build a book again after an edit: prose runs nothing, an edit of code its page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Build = Callable[..., Path]

CHAPTER = """
---
title: T
papers: [shannon1948]
question: Why?
---
# T

Some words and $x^2$.

```python
import pathlib
import torch

with pathlib.Path({counter!r}).open("a") as file:
    file.write("ran\\n")
torch.arange(3.0) / 7
```

```python
#| alt: A line that rises.
import matplotlib.pyplot as plt
plt.plot([1, 2]);
```

It is {{{{ 6 * 7 }}}}, says [@shannon1948].
"""


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    """Name a file that gets a line for every run of the chapter."""
    return tmp_path / "counter.txt"


@pytest.fixture
def chapter(counter: Path) -> str:
    return CHAPTER.format(counter=str(counter))


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    """Name the cache's file of the chapter."""
    return tmp_path / ".cache" / "lookback" / "docs--t.md.json"


def runs(counter: Path) -> int:
    return counter.read_text().count("ran")


def test_prose_runs_nothing_and_is_shown(
    book: Build, chapter: str, counter: Path
) -> None:
    book(chapter)
    site = book("\n" + chapter.replace("Some words", "Other words, and\nmore,"))
    assert runs(counter) == 1
    html = (site / "t" / "index.html").read_text(encoding="utf-8")
    assert "Other words" in html
    assert "tensor([0.0000, 0.1429, 0.2857])" in html


def test_a_failed_page_is_not_kept(book: Build, chapter: str, entry: Path) -> None:
    with pytest.raises(SystemExit):
        book(chapter + "\n```python\nassert False\n```\n")
    assert not entry.exists()


def test_without_execution_nothing_runs(
    book: Build, chapter: str, counter: Path
) -> None:
    site = book(chapter, options="execute: false")
    assert not counter.exists()
    assert "It is …" in (site / "t" / "index.html").read_text(encoding="utf-8")
