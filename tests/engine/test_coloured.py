"""Listings in colours: made once for each text, and dropped when nothing shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lookback.engine import coloured
from lookback.engine.backmatter import listed
from lookback.engine.coloured import FEW, Coloured

ONE, TWO = ("x = 1\n", ".py"), ("let x = 1;\n", ".js")
Make = Callable[..., Coloured]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    begun: list[Coloured] = []

    def build(*codes: tuple[str, str]) -> Coloured:
        begun.append(Coloured())
        begun[-1].begin(tmp_path, codes)
        return begun[-1]

    yield build
    for build_ in begun:
        build_.end(whole=False)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What was made in this process."""
    found: list[tuple[str, str]] = []

    def note(text: str, suffix: str) -> str:
        found.append((text, suffix))
        return listed(text, suffix)

    monkeypatch.setattr(coloured, "listed", note)
    return found


def test_a_text_is_made_once(make: Make, asked: list) -> None:
    assert make(ONE, TWO)[ONE] == listed(*ONE)
    assert make(ONE, TWO)[ONE] == listed(*ONE)
    assert asked == [ONE]


def test_an_edited_text_is_another(make: Make, asked: list) -> None:
    assert make(ONE)[ONE] != make(("x = 2\n", ".py"))["x = 2\n", ".py"]
    assert len(asked) == 2


def test_the_language_counts(make: Make) -> None:
    text = "let x = 1;\n"
    assert make()[text, ".js"] == listed(text, ".js") != make()[text, ".py"]


def test_another_pygments_makes_it_anew(
    make: Make, asked: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(ONE)[ONE]
    monkeypatch.setattr(coloured, "version", lambda name: "0")
    make(ONE)[ONE]
    assert asked == [ONE, ONE]


def test_many_are_made_in_another_process(make: Make) -> None:
    codes = [(f"x = {n}\n", ".py") for n in range(FEW + 1)]
    build = make(*codes)
    assert build.pool is not None and len(build.coming) == len(codes)
    made = [build[code] for code in codes]
    assert '<span class="n">' not in made[0]  # nor does that process mark plain tokens
    assert made == [listed(*code) for code in codes]
    assert make(*codes[1:]).pool is None  # all are there


def test_what_a_whole_build_did_not_use_is_dropped(make: Make, tmp_path: Path) -> None:
    first = make(ONE, TWO)
    first[ONE], first[TWO]
    first.end(whole=True)
    assert len([*tmp_path.iterdir()]) == 2
    broken, whole = make(ONE), make(ONE)
    broken[ONE], whole[ONE]
    broken.end(whole=False)
    assert len([*tmp_path.iterdir()]) == 2
    whole.end(whole=True)
    assert len([*tmp_path.iterdir()]) == 1
