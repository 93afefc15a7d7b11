"""The study of features, on sentences of the grammar."""

from collections import Counter

import numpy as np
import pytest

from lookback.studies import features
from lookback.studies.features import (
    EDGES,
    Features,
    Lexicon,
    MostFrequent,
    calibration,
    confidence,
    cross_entropy,
    score,
    some,
)
from lookback.text.corpora import Tagged, TaggedCorpus, grammar, tagged

PAIRS = grammar(200)
TEXT = TaggedCorpus(
    "t", "1", tagged(PAIRS.train), tagged(PAIRS.validation), tagged(PAIRS.test)
)
SENTENCES = (
    Tagged(("run", "the", "run"), ("VERB", "DET", "NOUN")),
    Tagged(("run", "Bob"), ("VERB", "PROPN")),
    Tagged(("Ann", "sees", "Bob"), ("PROPN", "VERB", "PROPN")),
)


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """English EWT is the grammar."""
    monkeypatch.setattr(features, "ewt", lambda: TEXT)


def test_a_lexicon_by_hand() -> None:
    tagger = Lexicon(SENTENCES)
    # Of words: run and sees verbs, the DET, Bob and Ann names; of equals the first
    assert tagger.tag([("run", "Bob", "Zed"), ()]) == [("VERB", "PROPN", "PROPN"), ()]
    assert tagger.parameters == 6
    assert features.most_frequent(Counter("abba")) == "a"
    assert MostFrequent().learn(TEXT).tags.keys() == TEXT.vocabulary


def test_a_score_is_of_its_split_and_of_what_was_read() -> None:
    row = score(Features("Naive Bayes"))
    tagger = Features("Naive Bayes").learn(TEXT)
    guessed = tagger.tag([s.words for s in TEXT.test])
    right = [
        a == b
        for s, tags in zip(TEXT.test, guessed, strict=True)
        for a, b in zip(s.tags, tags, strict=True)
    ]
    assert row["test"][0] == pytest.approx(100 * np.mean(right))
    assert row["features"] == len(tagger.model.columns)
    few = score(Features("Naive Bayes"), 5)
    assert few["features"] < row["features"]
    assert few["test"][0] < row["test"][0]


def test_some_sentences_are_drawn_once_each() -> None:
    found = some(TEXT.train, 50)
    assert len(found) == len(set(map(id, found))) == 50
    assert some(TEXT.train, 20) == found[:20]
    assert found != list(TEXT.train[:50])


def test_calibration_by_hand() -> None:
    # Sure to .9, .9, .6 and 1; right, wrong, right, right
    p = np.array([[0.9, 0.1], [0.9, 0.1], [0.4, 0.6], [1 - 1e-9, 1e-9]])
    row = calibration(np.log(p), np.array([0, 1, 1, 0]))
    assert np.allclose(row["bins"], [[1, 0.6, 1.0], [2, 0.9, 0.5], [1, 1.0, 1.0]])
    assert row["confidence"] == pytest.approx(0.85) and row["accuracy"] == 0.75
    assert row["calibration error"] == pytest.approx((0.4 + 2 * 0.4) / 4)
    assert row["confidence when wrong"] == pytest.approx(0.9)
    assert row["wrong and above .99"] == 0
    assert EDGES[0] == 0 and EDGES[-1] == 1
    certain = calibration(np.array([[0.0, -np.inf]] * 2), np.array([0, 1]))
    assert certain["bins"] == [[2, 1.0, 0.5]]
    assert certain["wrong and above .99"] == 1.0
    assert cross_entropy(np.log(p[:1]), np.array([1])) == pytest.approx(np.log(10))


def test_a_temperature_changes_how_sure_and_not_how_often_right() -> None:
    row = confidence(Features("Naive Bayes"))
    before, after = row["as counted"], row["cooled"]
    assert before["accuracy"] == after["accuracy"]
    assert after["cross-entropy"] <= before["cross-entropy"]
    assert row["temperature"] > 1
    assert after["confidence"] < before["confidence"]
