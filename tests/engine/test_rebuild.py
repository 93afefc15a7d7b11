"""The second build: what runs again, what does not, and that the bytes are the same."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lookback.engine.cache import Cache

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
    """A file with a line for every time the chapter ran."""
    return tmp_path / "counter.txt"


@pytest.fixture
def chapter(counter: Path) -> str:
    return CHAPTER.format(counter=str(counter))


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    """What the cache keeps of the chapter."""
    return tmp_path / ".cache" / "lookback" / "docs--t.md.json"


def runs(counter: Path) -> int:
    return counter.read_text().count("ran")


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_prose_runs_nothing_and_is_shown(
    book: Build, chapter: str, counter: Path
) -> None:
    book(chapter)
    site = book("\n" + chapter.replace("Some words", "Other words, and\nmore,"))
    assert runs(counter) == 1
    html = (site / "t" / "index.html").read_text(encoding="utf-8")
    assert "Other words" in html
    assert "tensor([0.0000, 0.1429, 0.2857])" in html


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("arange(3.0)", "arange(4.0)"),
        ("6 * 7", "6 * 8"),
        ("A line that rises", "A line"),
    ],
    ids=["code", "value", "option"],
)
def test_what_runs_is_in_the_key(
    book: Build, chapter: str, counter: Path, old: str, new: str
) -> None:
    book(chapter)
    book(chapter.replace(old, new))
    assert runs(counter) == 2


def test_an_edit_of_the_package_runs_again(
    book: Build, chapter: str, counter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book(chapter)
    now = "lookback.engine.cache.Cache._digests"
    monkeypatch.setattr(now, lambda self, files: {"ngram.py": "edited"})
    book(chapter)
    assert runs(counter) == 2


def test_another_version_of_a_library_runs_again(
    book: Build, chapter: str, counter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book(chapter)
    monkeypatch.setattr("lookback.engine.cache.versions", lambda: {"torch": "9"})
    book(chapter)
    assert runs(counter) == 2


def altered(text: str) -> str:
    found = json.loads(text)
    found["run"]["outputs"][0][0]["text"] = "tensor([1., 2., 3.])"
    return json.dumps(found)


DAMAGE: dict[str, Callable[[str], str]] = {
    "cut short": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "not JSON": lambda text: "{" + text,
    "not an entry": lambda text: "[1, 2]",
    "an output altered": altered,
    "a field gone": lambda text: text.replace('"seconds"', '"secs"'),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_entry_is_run_again_and_mended(
    book: Build,
    chapter: str,
    counter: Path,
    entry: Path,
    damage: Callable[[str], str],
) -> None:
    book(chapter)
    entry.write_text(damage(entry.read_text(encoding="utf-8")), encoding="utf-8")
    site = book(chapter)
    html = (site / "t" / "index.html").read_text(encoding="utf-8")
    assert "tensor([0.0000, 0.1429, 0.2857])" in html
    book(chapter)
    assert runs(counter) == 2


def test_an_entry_that_is_no_text_is_run_again(
    book: Build, chapter: str, counter: Path, entry: Path
) -> None:
    book(chapter)
    entry.write_bytes(b"\xff\xfe\x00")
    book(chapter)
    assert runs(counter) == 2


def test_a_failed_page_is_not_kept(book: Build, chapter: str, entry: Path) -> None:
    with pytest.raises(SystemExit):
        book(chapter + "\n```python\nassert False\n```\n")
    assert not entry.exists()


def test_a_warm_build_gives_the_same_bytes(book: Build, chapter: str) -> None:
    first = contents(book(chapter, into="one"))
    second = contents(book(chapter, into="two"))
    assert first == second
    assert {"t/index.html", "t/t.ipynb", "sitemap.xml", "sitemap.xml.gz"} <= set(first)


LAB = """\
# %% [markdown]
# # A lab

# %%
#| alt: A dot in a hatched bar
import pathlib
from matplotlib import pyplot

from lookback import ngram

with pathlib.Path({counter!r}).open("a") as file:
    file.write("ran\\n")
pyplot.plot([1, 2], marker="o")
pyplot.bar([1], [2], hatch="/");
"""


@pytest.fixture
def lab(book: Build, tmp_path: Path) -> Path:
    """A file with a line for every time the book's lab ran."""
    count = tmp_path / "lab.txt"
    path = tmp_path / "docs" / "labs" / "l.py"
    path.parent.mkdir()
    path.write_text(LAB.format(counter=str(count)), encoding="utf-8")
    return count


def test_two_cold_builds_are_the_same_bytes(
    book: Build, chapter: str, tmp_path: Path, counter: Path, lab: Path
) -> None:
    first = contents(book(chapter, into="one"))
    shutil.rmtree(tmp_path / ".cache")
    second = contents(book(chapter, into="two"))
    assert runs(counter) == runs(lab) == 2
    assert {"t/index.html", "labs/l/index.html", "labs/l/l.ipynb"} <= set(first)
    assert b"<pattern" in first["labs/l/index.html"]
    assert first == second


def test_the_header_of_a_lab_is_that_of_its_page(
    book: Build, lab: Path, tmp_path: Path
) -> None:
    path = tmp_path / "docs" / "labs" / "l.py"
    header = "# ---\n# title: From the header\n# ---\n\n"
    path.write_text(header + path.read_text("utf-8"), "utf-8")
    page = (book("# T\n") / "labs" / "l" / "index.html").read_text("utf-8")
    assert "<title>From the header" in page


def test_a_lab_runs_again_when_a_file_changes_that_it_read(
    book: Build, lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = contents(book("# T\n", into="one"))
    assert contents(book("# T\n", into="two")) == shown and runs(lab) == 1
    true, names = Cache._digests, list[str]()

    def edited(self: Cache, files: list[str]) -> dict[str, str]:
        names.extend(files)
        return true(self, files) | {"ngram.py": "edited"}

    monkeypatch.setattr(Cache, "_digests", edited)
    book("# T\n")
    assert runs(lab) == 2
    assert {"ngram.py", "engine/figures.mplstyle"} <= set(names)
    assert "glove.py" not in names


def test_without_execution_nothing_runs(
    book: Build, chapter: str, counter: Path
) -> None:
    site = book(chapter, options="execute: false")
    assert not counter.exists()
    assert "It is …" in (site / "t" / "index.html").read_text(encoding="utf-8")
