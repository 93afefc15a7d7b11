"""The running table of taggers: what is scored, timed, compared and shown."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from lookback.studies import taggers
from lookback.studies.taggers import TABLE, better, lines, scores, table
from lookback.text.corpora import Tagged, TaggedCorpus

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


def test_scores_by_hand() -> None:
    row = scores(AlwaysNoun(), TEXT)
    assert row["test"][0] == 40.0 and row["validation"] == 50.0
    assert row["unknown"][0] == 0.0  # runs, a
    assert (row["words"], row["right"]) == ("3 2", "1 1")
    assert row["parameters"] == 1 and row["seconds"] >= 0


def test_two_systems_are_compared_on_the_same_sentences() -> None:
    one, other = (
        next(line for line in lines() if line.system == name)
        for name in ("linear SVM", "Naive Bayes")
    )
    found = better("linear SVM", "Naive Bayes", samples=20)
    assert found.value == pytest.approx(one.accuracy - other.accuracy, abs=1e-3)
    assert found.low <= found.value <= found.high
    same = better("window", "window", samples=10)
    assert (same.value, same.low, same.high) == (0, 0, 0)


def test_the_table_says_what_was_measured() -> None:
    header, cells = table()
    assert len(header) == len(cells[0]) == 6 and len(cells) == len(TABLE.systems)
    for line in lines():
        rows = TABLE.rows(line.system)
        words = np.array([int(n) for n in rows[0]["words"].split()])
        right = np.array([[int(n) for n in row["right"].split()] for row in rows])
        assert len(words) == 2077 and words.sum() == 25094
        share = 100 * right.sum(axis=1).mean() / words.sum()
        assert line.accuracy == pytest.approx(share, abs=1e-3)
        assert line.low < line.accuracy < line.high
