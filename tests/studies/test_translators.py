"""The running table of translators: sentences that are new, scores by their length."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from lookback.measure import bleu
from lookback.studies import translators
from lookback.studies.translators import (
    BINS,
    EACH,
    by_length,
    fresh,
    lengths,
    rows,
)
from lookback.trainer.data import AnyCorpus, corpus, pairs
from lookback.trainer.recipe import Data
from lookback.trainer.translation import PAIRS, SHORT_PAIRS


def test_lengths_keep_the_seeds_apart() -> None:
    found = lengths("RNNsearch")
    assert [(f.low, f.high) for f in found] == list(BINS)
    for k, row in enumerate(rows("RNNsearch")):
        assert [f.scores[k] for f in found] == [n["bleu"] for n in row["lengths"]]
        assert [f.lows[k] for f in found] == [n["low"] for n in row["lengths"]]
        assert [f.highs[k] for f in found] == [n["high"] for n in row["lengths"]]


def lessons(data: Data) -> AnyCorpus:
    """What translators learn from; of the short ones the first, which are enough."""
    if data == PAIRS:
        return corpus(data)
    options = {**dict(data.options), "pairs": 5000}
    return corpus(replace(data, options=(*options.items(),)))


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Translators have read these lessons; what is fresh is drawn anew."""
    monkeypatch.setattr(translators, "corpus", lessons)
    fresh.cache_clear()
    yield
    fresh.cache_clear()


def sources(data: Data) -> set[tuple[str, ...]]:
    splits = ("train", "validation", "test")
    return {p.source for split in splits for p in pairs(lessons(data), split)}


@pytest.mark.usefixtures("few")
def test_fresh_sentences_are_new_and_of_their_length() -> None:
    met = sources(PAIRS) | sources(SHORT_PAIRS)
    assert len(fresh()) == len(BINS) == 7
    for (low, high), some in zip(BINS, fresh(), strict=True):
        assert len(some) == EACH
        assert all(low <= len(pair.source) <= high for pair in some)
        assert not met & {pair.source for pair in some}


class Copies:
    """A learner that writes the first half of each right translation."""

    def decode(self, sources: list) -> list:
        right = {p.source: p.target for some in fresh() for p in some}
        return [list(right[s][: len(right[s]) // 2 + 1]) for s in sources]


@pytest.mark.usefixtures("few")
def test_scores_by_length_are_those_of_the_sentences_of_a_bin() -> None:
    found = by_length(Copies())  # type: ignore[arg-type]
    assert [(row["from"], row["to"]) for row in found] == list(BINS)
    for row, some in zip(found, fresh(), strict=True):
        halves = [list(p.target[: len(p.target) // 2 + 1]) for p in some]
        whole = [list(p.target) for p in some]
        score = bleu(hypotheses=halves, references=whole).score
        assert row["bleu"] == pytest.approx(score, abs=1e-3)
        assert row["low"] < row["bleu"] < row["high"]
        assert row["sentences"] == EACH
