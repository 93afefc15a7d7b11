"""Labelled phrases and F1, by hand.

Mutants, each caught: tags counted as phrases, labels left out, the end of a phrase one
word early, precision and recall exchanged, a phrase that occurs twice counted once.
"""

import math
from collections import Counter

import pytest

from lookback.measure import bracket_counts, bracket_f1, brackets

GOLD = ("S", ("NP", ("N", "she")), ("VP", ("V", "eats"), ("NP", ("N", "fish"))))
FLAT = ("S", ("NP", ("N", "she")), ("V", "eats"), ("NP", ("NP", ("N", "fish"))))


def test_phrases_by_hand() -> None:
    found = Counter({("S", 0, 3): 1, ("NP", 0, 1): 1, ("VP", 1, 3): 1, ("NP", 2, 3): 1})
    assert brackets(GOLD) == found
    assert brackets(FLAT)["NP", 2, 3] == 2 and brackets(FLAT).total() == 4
    assert brackets(()) == Counter() and brackets(("N", "she")) == Counter()


def test_f1_by_hand() -> None:
    counts = bracket_counts([brackets(GOLD)] * 2, [brackets(FLAT), Counter()])
    assert counts.tolist() == [[3, 4, 4], [0, 4, 0]]
    # precision 3/4, recall 3/8
    assert bracket_f1(counts.sum(axis=0)) == pytest.approx(50)
    assert math.isnan(bracket_f1(bracket_counts([Counter()], [Counter()])[0]))
    assert bracket_counts([], []).shape == (0, 3)


def test_another_number_of_sentences_is_refused() -> None:
    with pytest.raises(ValueError, match=r"zip\(\) argument 2"):
        bracket_counts([Counter()], [Counter(), Counter()])
