"""The running table of taggers: what is scored, timed, compared and shown."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from lookback.studies.taggers import better, lines, scores
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
