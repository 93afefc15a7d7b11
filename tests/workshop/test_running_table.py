"""Running tables: which systems a chapter shows, and what is imported for them."""

import sys
from pathlib import Path

import numpy as np
import pytest

from lookback.studies import language_models, taggers, translators
from lookback.workshop import (
    Results,
    RunningTable,
    System,
    case,
    mean,
    running_table,
    spread,
)

TABLES = {
    table.TABLE.name: table.TABLE for table in (language_models, taggers, translators)
}


def number(seed: int):
    return {"n": seed}


def made(seed: int):
    return case(number, seed=seed)


def fails(seed: int):
    pytest.fail("made")


SOME = RunningTable(
    "some",
    "tagger",
    [
        System("first", "plain", made, 1),
        System("second", "deep", made, 2),
        System("third", "late", fails),
    ],
)


def test_each_case_is_a_seed_of_a_system_and_is_made_when_it_is_needed() -> None:
    cases = SOME.cases()
    assert list(cases)[:3] == ["plain, seed 0", "deep, seed 0", "deep, seed 1"]
    assert len(cases) == 6  # three seeds where nothing is said
    assert cases["deep, seed 1"] == case(number, seed=1)


def test_a_chapter_sees_the_systems_up_to_its_own_time() -> None:
    assert [system.name for system in SOME.until("second")] == ["plain", "deep"]
    assert len(SOME.until()) == 3
    with pytest.raises(ValueError, match="no chapter with a tagger 'thrid': did you"):
        SOME.until("thrid")


def test_rows_are_those_of_the_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = {
        f"{name}, seed {n}": {"n": n} for name in ("plain", "deep") for n in (0, 1)
    }

    def results(name: str, cases: list[str]) -> Results:
        assert name == "some"
        return Results(name, {label: stored[label] for label in cases}, {})

    monkeypatch.setattr(running_table, "results", results)
    assert SOME.rows("plain") == [{"n": 0}]
    assert SOME.rows("deep") == [{"n": 0}, {"n": 1}]
    assert mean(SOME.rows("deep"), "n") == 0.5
    assert spread(SOME.rows("deep"), "n") == pytest.approx(np.sqrt(0.5))  # a sample's
    assert spread(SOME.rows("plain"), "n") == 0
    with pytest.raises(ValueError, match="no tagger 'shallow'"):
        SOME.rows("shallow")


@pytest.mark.parametrize("name", TABLES)
def test_systems_stand_in_the_order_of_history(name: str) -> None:
    nav = (Path(__file__).parents[2] / "mkdocs.yml").read_text(encoding="utf-8")
    texts: dict[str, list[int]] = {}
    for system in TABLES[name].systems.values():
        place = nav.index(f"- {system.chapter}.md")
        texts.setdefault(system.name.partition(" on ")[2], []).append(place)
    assert all(places == sorted(places) for places in texts.values())


@pytest.mark.parametrize(
    ("name", "room", "early", "late"),
    [
        ("language_models", "recipes", "ngram", "nplm recurrent lstm gpt"),
        ("translators", "recipes", "bahdanau", "luong transformer"),
        ("taggers", "studies", "features", "hmm window bert"),
    ],
)
def test_a_chapter_depends_on_no_later_one(
    name: str, room: str, early: str, late: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in late.split():  # these cannot be imported now
        monkeypatch.setitem(sys.modules, f"lookback.{room}.{module}", None)
    table = TABLES[name]
    for system in table.until(early):
        assert table.rows(system.name)
    last = table.until(late.split()[0])[-1]
    with pytest.raises(ModuleNotFoundError, match=late.split()[0]):
        table.rows(last.name)
