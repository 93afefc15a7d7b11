"""The running table of taggers: what is listed, scored, compared and shown."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from lookback.studies import taggers
from lookback.studies.taggers import (
    SEEDS,
    STUDY,
    SYSTEMS,
    better,
    lines,
    made_by,
    scores,
    table,
)
from lookback.text.corpora import Tagged, TaggedCorpus
from lookback.workshop import Results

TEXT = TaggedCorpus(
    "t",
    "1",
    (Tagged(("the", "dog"), ("DET", "NOUN")),),
    (Tagged(("the", "cat"), ("DET", "NOUN")),),
    (
        Tagged(("the", "dog", "runs"), ("DET", "NOUN", "VERB")),
        Tagged(("a", "dog"), ("DET", "NOUN")),
    ),
)


@dataclass(frozen=True)
class AlwaysNoun:
    """A tagger that is right about nouns."""

    parameters: int = 1

    def learn(self, text: TaggedCorpus) -> "AlwaysNoun":
        return self

    def tag(self, sentences: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        return [("NOUN",) * len(words) for words in sentences]


class Beginning(AlwaysNoun):
    """It has something to learn before, and takes its time."""

    def prepare(self) -> None:
        done.append("prepared")

    def learn(self, text: TaggedCorpus) -> AlwaysNoun:
        done.append("learned")
        return self


done: list[str] = []


def test_what_is_learned_before_is_no_part_of_the_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(taggers, "corpus", lambda data: TEXT)
    monkeypatch.setattr(taggers.time, "process_time", lambda: done.append("clock") or 0)
    done.clear()
    taggers.measured(Beginning())
    assert done == ["prepared", "clock", "learned", "clock"]


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two chapters; one system with two seeds."""
    found = {"plain": "first", "deep": "second"}
    monkeypatch.setattr(taggers, "SYSTEMS", found)
    monkeypatch.setattr(taggers, "SEEDS", {"plain": 1, "deep": 2})
    right = {"plain, seed 0": (1, 1), "deep, seed 0": (3, 1), "deep, seed 1": (1, 1)}
    rows = {
        label: {
            "parameters": 1000, "seconds": 0.25, "validation": 50.0,
            "test": [20.0 * sum(r), 20.0 * sum(r) - 9, 20.0 * sum(r) + 9],
            "unknown": [10.0 * sum(r), 0.0, 99.0],
            "words": "3 2", "right": " ".join(map(str, r)),
        }
        for label, r in right.items()
    }  # fmt: skip

    def results(name: str, *, cases: list[str]) -> Results:
        return Results(name, {label: rows[label] for label in cases}, {})

    monkeypatch.setattr(taggers, "results", results)


def test_scores_by_hand() -> None:
    row = scores(AlwaysNoun(), TEXT)
    assert row["test"][0] == 40.0 and row["validation"] == 50.0
    assert row["unknown"][0] == 0.0  # runs, a
    assert (row["words"], row["right"]) == ("3 2", "1 1")
    assert row["parameters"] == 1 and row["seconds"] >= 0


def test_lines_are_means_over_seeds_in_the_order_of_chapters(filled: None) -> None:
    plain, deep = lines()
    assert (plain.accuracy, plain.low, plain.high) == (40, 31, 49)
    assert (deep.accuracy, deep.low, deep.high, deep.unknown) == (60, 31, 89, 30)
    assert (plain.seeds, deep.seeds, deep.chapter) == (1, 2, "second")


def test_a_chapter_sees_the_systems_up_to_its_own_time(filled: None) -> None:
    assert [line.system for line in lines(until="first")] == ["plain"]
    with pytest.raises(ValueError, match="no chapter with a tagger 'third'"):
        lines(until="third")
    with pytest.raises(ValueError, match="no tagger 'shallow'"):
        taggers.rows("shallow")


def test_two_systems_are_compared_on_the_same_sentences(filled: None) -> None:
    found = better("deep", "plain", samples=100)
    assert found.value == pytest.approx(100 * (2 + 1) / 5 - 40)
    assert found.low <= found.value <= found.high
    same = better("plain", "plain", samples=10)
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_it_is_shown(filled: None) -> None:
    header, rows = table()
    assert header[0] == "system" and len(header) == 6
    assert rows[0] == ["plain", "1,000", "0.2", "40.0", "31.0–49.0", "20.0"]


def test_each_case_is_a_seed_of_a_system() -> None:
    labels = [f"{s}, seed {n}" for s in SYSTEMS for n in range(SEEDS[s])]
    assert list(STUDY.cases) == labels
    assert SEEDS.keys() == SYSTEMS.keys()
    for system in SYSTEMS:
        assert callable(made_by(system, 0).learn)


def test_the_table_says_what_was_measured() -> None:
    for line in lines():
        rows = taggers.rows(line.system)
        words = np.array([int(n) for n in rows[0]["words"].split()])
        right = np.array([[int(n) for n in row["right"].split()] for row in rows])
        assert len(words) == 2077 and words.sum() == 25094
        share = 100 * right.sum(axis=1).mean() / words.sum()
        assert line.accuracy == pytest.approx(share, abs=1e-3)
        assert line.low < line.accuracy < line.high


def test_a_chapter_depends_on_no_later_study(monkeypatch: pytest.MonkeyPatch) -> None:
    later = {chapter for chapter in SYSTEMS.values() if chapter != "features"}
    for name in later:  # these cannot be imported now
        monkeypatch.setitem(sys.modules, f"lookback.studies.{name}", None)
    assert {line.chapter for line in lines(until="features")} == {"features"}
