"""Run pages beside a server: what is shown meanwhile, what runs first, what again."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from lookback.engine.background import Background
from lookback.engine.book import Book
from lookback.engine.render import PageContext, to_markdown

WAIT = 300  # seconds after which a test gives up

READS = """
```python
from pathlib import Path
with open({ran!r}, "a") as file:
    file.write("{name}\\n")
Path({module!r}).read_text()
```
"""
STATES = """
```python
7 * 7
```

```python
#| alt: A line
#| caption: A line that falls
1 / 0
```

```python
#| alt: Another line
```

It is {{ 6 * 7 }}.
"""


class House:
    """Hold a small book and its package, the background, and what that asked for."""

    def __init__(self, root: Path) -> None:
        self.root, self.docs, self.package = root, root / "docs", root / "package"
        self.docs.mkdir()
        self.package.mkdir()
        (self.docs / "references.bib").touch()
        self.builds, self.said = queue.Queue[None](), list[str]()
        ask = lambda: self.builds.put(None)  # noqa: E731
        self.background = Background(ask, self.said.append, self.said.append)

    def pages(self, *names: str, module: str = "a") -> None:
        """Write pages that read a module, and note that they run."""
        for name in names:
            file, ran = str(self.package / f"{module}.py"), str(self.root / "ran")
            text = READS.format(name=name, module=file, ran=ran)
            (self.docs / f"{name}.md").write_text(text)

    def take(self, timeout: float = 0) -> Book:
        """Build: give each page what there is."""
        book = Book(self.root, self.docs, self.package, self.root / "cache")
        book.read(sorted(path.name for path in self.docs.glob("*.md")))
        self.background.set_book(book, timeout=timeout)
        return book

    def finish(self) -> Book:
        """Run what waits, and build when that is asked for."""
        self.run()
        return self.take()

    def run(self) -> None:
        """Run what waits until a build is asked for; fail where nothing waits first."""
        self.background.start()
        with self.background.changed:  # held until a page's end has said all it says
            assert self.background.changed.wait_for(self.has_ended, timeout=WAIT)
        self.builds.get_nowait()

    def has_ended(self) -> bool:
        """Tell whether a build is asked for, nothing waits, or pages run for ever."""
        waiting = self.background.waiting and len(self.said) < 20
        return bool(self.builds.qsize() or not waiting)

    @property
    def ran(self) -> list[str]:
        return (self.root / "ran").read_text().split()


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # one page after the other
    house = House(tmp_path)
    (house.package / "a.py").write_text("one")
    yield house
    house.background.stop()


def shown(book: Book, uri: str) -> str:
    return to_markdown(PageContext(book, uri))


def test_a_page_runs_while_something_stands_in_for_it(house: House) -> None:
    house.pages("p")
    (house.docs / "q.md").write_text(STATES)
    first = house.take()
    assert first.runs["p.md"].pending and "'one'" not in shown(first, "p.md")
    page = shown(first, "q.md")
    assert "It is …." in page and page.count("This page is running.") == 2
    assert "<strong>Figure 1.</strong> A line that falls" in page
    then = house.finish()
    assert not then.runs["p.md"].pending and "'one'" in shown(then, "p.md")
    assert house.said[-1].startswith("2 of 2: docs/")


def test_a_failure_stands_at_its_block_and_stops_no_other_page(house: House) -> None:
    (house.docs / "bad.md").write_text(STATES)
    house.pages("good")
    house.take()
    book = house.finish()
    assert "'one'" in shown(book, "good.md")
    page = shown(book, "bad.md")
    assert 'id="fault"' in page and "docs/bad.md:9: block 2: ZeroDivisionError" in page
    assert page.index("49") < page.index('id="fault"')
    assert page.count("Not run: a block above failed.") == 1 and "It is …." in page
    assert house.said[0].startswith("docs/bad.md:9: block 2: ZeroDivisionError")


def test_the_failure_of_a_value_stands_in_its_sentence(house: House) -> None:
    (house.docs / "bad.md").write_text("It is {{ 1 / 0 }}.\n")
    house.take()
    fault = '<mark id="fault">docs/bad.md:1: ZeroDivisionError: division by zero</mark>'
    assert fault in shown(house.finish(), "bad.md")


def test_a_failure_runs_again_after_an_edit_and_not_before(house: House) -> None:
    house.pages("p", module="gone")
    house.take()
    assert house.finish().runs["p.md"].error and not house.background.waiting
    house.take()
    assert not house.background.waiting
    (house.package / "gone.py").write_text("two")
    house.take()
    assert not house.finish().runs["p.md"].error
    assert house.ran == ["p", "p"]


def test_the_lines_of_a_failure_are_those_of_the_page_now(house: House) -> None:
    for above in ("", "Prose above.\n\n"):
        (house.docs / "p.md").write_text(f"{above}```python\n1 / 0\n```\n")
        house.take()
        error = house.finish().runs["p.md"].error
        assert error and error.line == 2 + above.count("\n")


def test_undoing_an_edit_runs_nothing(house: House) -> None:
    house.pages("p")
    house.take()
    house.finish()
    for text in ("two", "one"):
        (house.package / "a.py").write_text(text)
        book = house.take()
        book = house.finish() if house.background.waiting else book
        assert f"'{text}'" in shown(book, "p.md")
    assert house.ran == ["p", "p"]


@pytest.mark.parametrize("edit", ["package/r.py", "docs/r.md"])
def test_the_edited_page_runs_first_and_a_build_waits_for_it(
    house: House, edit: str
) -> None:
    house.pages("p", "q", "r")
    house.take()
    house.finish()
    (house.package / "a.py").write_text("two")
    with (house.root / edit).open("a") as file:
        file.write("\n```python\n0\n```\n")
    book = house.take(timeout=WAIT)
    assert not book.runs["r.md"].pending and house.ran[3] == "r"
    assert house.builds.empty()  # this very build shows it
    house.finish()
    assert house.ran[4:] == ["p", "q"]


def test_the_page_looked_at_runs_first_and_is_shown_at_once(house: House) -> None:
    house.pages("p", "q", "r")
    house.take()
    house.background.look_at("docs/q.md")
    book = house.finish()
    assert house.ran[0] == "q" and not book.runs["q.md"].pending
    assert house.finish().runs["p.md"].outputs  # when all have run
    assert house.builds.empty()


def test_who_looks_at_a_page_that_has_run_since_gets_a_build(house: House) -> None:
    house.pages("p", "q")
    house.take()
    house.run()
    house.background.look_at("docs/p.md")
    assert house.builds.get_nowait() is None
    house.take()
    house.background.look_at("docs/p.md")
    assert house.builds.empty()


def test_what_is_edited_while_its_page_runs_runs_again(house: House) -> None:
    module = house.package / "a.py"
    house.pages("p")
    with (house.docs / "p.md").open("a") as file:  # an edit in the middle of a run
        file.write(f"\n```python\nPath({str(module)!r}).write_text('two');\n```\n")
    house.take()
    house.finish()
    assert [*house.background.waiting] == ["docs/p.md"]


def test_stopping_ends_the_pages_that_run(house: House) -> None:
    (house.docs / "p.md").write_text("```python\nwhile True: pass\n```\n")
    house.take()
    house.background.start()
    house.background.stop()
    assert not house.background.thread and house.background.waiting
