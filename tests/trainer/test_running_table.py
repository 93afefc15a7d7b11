"""Running tables: which systems a chapter shows, and what is imported for them."""

import sys
from pathlib import Path

import pytest

from lookback.studies import language_models, taggers, translators
from lookback.trainer.running_table import RunningTable, System, mean, spread
from lookback.trainer.study import Study

TABLES = {
    table.TABLE.name: table.TABLE for table in (language_models, taggers, translators)
}


def number(n: int) -> dict[str, int]:
    return {"n": n}


def fails(seed: int) -> dict[str, int]:
    pytest.fail("made")


SOME = RunningTable(
    "some",
    "tagger",
    [
        System("first", "plain", lambda: {"n": 3}, [{}]),
        System("second", "deep", lambda seed: {"n": seed}),
        System("third", "late", fails),
    ],
)


def test_what_a_system_is_run_with_is_made_when_it_is_needed() -> None:
    table = SOME.experiment(number, smoke={"n": 1})
    assert table.settings[0] == {"system": "plain"}
    assert table.settings[1:3] == [{"system": "deep", "seed": n} for n in (0, 1)]
    this = Study("", {"systems": table})
    assert [this.measured("systems", s)["n"] for s in table.settings[:4]] == [
        3,
        0,
        1,
        2,
    ]


def test_a_chapter_sees_the_systems_up_to_its_own_time() -> None:
    assert [system.name for system in SOME.until("second")] == ["plain", "deep"]
    assert len(SOME.until()) == 3
    with pytest.raises(ValueError, match="no chapter with a tagger 'thrid': did you"):
        SOME.until("thrid")
    with pytest.raises(ValueError, match="no tagger 'shallow'"):
        SOME.rows("shallow")


def test_a_mean_and_its_spread_over_seeds() -> None:
    assert mean([{"n": 0}, {"n": 1}], "n") == 0.5
    assert spread([{"n": 0}, {"n": 1}], "n") == pytest.approx(0.5**0.5)  # a sample's
    assert spread([{"n": 0}], "n") == 0


@pytest.mark.parametrize("name", TABLES)
def test_systems_stand_in_the_order_of_history(name: str) -> None:
    nav = (Path(__file__).parents[2] / "mkdocs.yml").read_text(encoding="utf-8")
    places = [nav.index(f"- {s.chapter}.md") for s in TABLES[name].systems.values()]
    assert places == sorted(places)


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
