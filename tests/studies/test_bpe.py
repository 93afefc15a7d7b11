"""The study of ways to cut text: what it counts, by hand, on captions of our own."""

from collections import Counter
from collections.abc import Iterator

import pytest

from lookback.studies import bpe
from lookback.studies.bpe import (
    cutter,
    in_grams,
    in_words,
    lacking,
    learned,
    measured,
)
from lookback.text.corpora import Pair, PairCorpus
from lookback.workshop import Data

TRAIN = (Pair(("a", "dog"), ("ein", "hund")), Pair(("two", "dogs"), ("zwei", "hunde")))
TEST = (Pair(("two", "dog"), ("zwei", "hunde", "ein")), Pair(("a",), ("hundert",)))


@pytest.fixture
def captions(monkeypatch: pytest.MonkeyPatch) -> Iterator[Data]:
    text = PairCorpus("captions", "1", TRAIN, (), TEST)
    monkeypatch.setattr(bpe, "corpus", lambda data: text)
    learned.cache_clear()
    yield Data("grammar")
    learned.cache_clear()


def test_n_grams_by_hand() -> None:
    assert in_words("ein hund bellt") == ["ein", "hund", "bellt"]
    assert in_grams("ein hunde", 1) == ["e", "i", "n·", "h", "u", "n", "d", "e·"]
    assert in_grams("ein hunde", 2) == ["ei", "n·", "hu", "nd", "e·"]
    assert in_grams("ein hunde", 3) == ["ein·", "hun", "de·"]


def test_words_by_hand(captions: Data) -> None:
    assert measured(captions, "target", "words") == {
        "tokens": 4,
        "types": 4,
        "sentences": 2,
        "test": 4,
        "new": 1,  # hundert
        "words": 1,
        "squares": (9 + 1) / 2,
        "listed": [[4, 0.25]],
    }


def test_the_other_side_by_hand(captions: Data) -> None:
    found = measured(captions, "source", "words")
    assert (found["types"], found["test"], found["new"]) == (4, 3, 0)


def test_bigrams_by_hand(captions: Data) -> None:
    # train: ei n· hu nd· zw ei· hu nd e·; test: zw ei· hu nd e· ei n· and hu nd er t·
    found = measured(captions, "target", "character bigrams")
    assert (found["tokens"], found["types"]) == (9, 8)
    assert (found["test"], found["new"], found["words"]) == (11, 2, 1)
    assert found["squares"] == (49 + 16) / 2


def test_lists_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bpe, "LISTED", (1, 2, 9))
    train = Counter({"b": 3, "c": 1, "a": 1})
    # ranked b, a, c; of test's five words b is there twice
    test = [["b", "a"], ["c", "b", "z"]]
    assert lacking(train, test) == [[1, 0.6], [2, 0.4], [3, 0.2]]


def test_a_smaller_vocabulary_is_the_first_of_a_larger(
    captions: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = 4 + 256 + len({*"einhudzw "})
    whole = learned(captions, ("target",))
    for size in (bare, bare + 3, bare + 5):
        split = cutter(captions, "target", "BPE", size)
        symbols = {s for text in ("ein hund", "zwei hunde") for s in split(text)}
        assert symbols <= {*whole.entries[:size]}
    assert split("ein hund") != cutter(captions, "target", "BPE", bare)("ein hund")
    assert cutter(captions, "target", "BPE", 9999)("ein hund") == ["ein ", "hund "]


def test_joint_merges_have_read_both_sides(captions: Data) -> None:
    joint = cutter(captions, "target", "joint BPE", 9999)
    alone = cutter(captions, "target", "BPE", 9999)
    assert joint("two") == ["two "]
    assert len(alone("two")) > 1
