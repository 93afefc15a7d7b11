"""Translators trained again: who is compared with whom, and what is stored."""

import pytest

from lookback.measure import bleu_difference
from lookback.studies.real import Translations
from lookback.studies.real_seeds import (
    difference,
)
from lookback.workshop import seeds

WANTED = [["le", "chat", "rouge", "dort", "."], ["un", "chien", "dort", "ici", "."]]


def translations(*written: str) -> Translations:
    return Translations([("s",)] * 2, WANTED, [words.split() for words in written])


def test_a_difference_is_that_of_the_same_sentences() -> None:
    one = translations("le chat rouge dort .", "un chien dort .")
    other = translations("le chat dort .", "un chien dort .")
    found = difference(one, other)
    pair = {"hypotheses": one.written, "others": other.written, "references": WANTED}
    expected = bleu_difference(**pair, generator=seeds.generator(0))
    assert found["BLEU"] == pytest.approx(expected.value, abs=1e-3)
    assert found["low"] == pytest.approx(expected.low, abs=1e-3)
    assert found["BLEU"] > 0 and difference(one, one)["high"] == 0
