"""The study of what unknown words cost, on a language of a few sentences."""

import numpy as np
import pytest

from lookback.measure import bleu, bleu_counts
from lookback.studies import real_subwords
from lookback.studies.real import UNK
from lookback.studies.real_subwords import (
    ALL,
    KNOWN,
    UNKNOWN,
    WORDS,
    compared,
    made_up,
    right_copies,
    strangers,
    unknown,
)
from lookback.text.corpora import Pair, PairCorpus


def test_parts_are_compared_on_the_same_sentences() -> None:
    wanted = [["a", "b", "c", "d", str(k)] for k in range(6)]
    wrong = [["x"], *wanted[1:]]
    counts = {
        name: bleu_counts(hypotheses=written, references=wanted)
        for name, written in (("words", wrong), ("sub-words", wanted))
    }
    found = compared(counts, np.array([True] * 3 + [False] * 3), "sub-words")
    assert found[KNOWN]["difference"]["words"]["BLEU"] == 0
    expected = bleu(hypotheses=wrong[:3], references=wanted[:3]).score
    assert found[UNKNOWN]["BLEU"]["words"]["BLEU"] == pytest.approx(expected, abs=1e-3)
    apart = found[UNKNOWN]["difference"]["words"]
    assert apart["BLEU"] == pytest.approx(100 - expected, abs=1e-3)
    assert apart["low"] >= 0
    whole = bleu(hypotheses=wrong, references=wanted).score
    assert found[ALL]["BLEU"]["words"]["BLEU"] == pytest.approx(whole, abs=1e-3)
    assert found[ALL]["BLEU"]["sub-words"]["BLEU"] == pytest.approx(100)


def test_unknown_words_and_right_copies_by_hand() -> None:
    sources = [["a", "x", "x"], ["a"], ["y"]]
    assert unknown(strangers(sources, {"a"})) == {"sentences": 2, "of": 3, "words": 3}
    before = [["le", UNK, UNK], ["le", "zoo"]]
    after = [["le", "zoé", "sees"], ["le", "zoo"]]
    assert right_copies(before, after, [["le", "zoé", "voit"], ["le", "zoo"]]) == 1


def test_words_that_no_one_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    train = (Pair(("the", "cat"), ("le", "chat")),)
    people = PairCorpus("animals", "1", train, (), ())
    monkeypatch.setattr(real_subwords, "corpus", lambda data: people)
    found = made_up([["le", "zèbre", "the"], ["chat", "chatte"]], WORDS)
    assert found == {"words": 2, "of": 5, "some": ["zèbre", "chatte"]}
