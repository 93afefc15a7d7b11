"""Accuracy of tags, by hand: over all words and over unknown ones.

Mutants, each caught: all words counted as unknown, right ones of the known told for the
unknown, parts and wholes exchanged, sentences of other lengths let through.
"""

import math

import pytest

from lookback.measure import accuracy, tag_counts, unknown_accuracy

WORDS = [("the", "zebra", "runs"), ("a", "gnu")]
GOLD = [("DET", "NOUN", "VERB"), ("DET", "NOUN")]
GUESSED = [("DET", "VERB", "VERB"), ("DET", "NOUN")]
KNOWN = {"the", "a", "runs"}


def test_counts_by_hand():
    counts = tag_counts(WORDS, GOLD, GUESSED, KNOWN)
    assert counts.tolist() == [[3, 2, 1, 0], [2, 2, 1, 1]]
    assert accuracy(counts.sum(axis=0)) == 80.0
    assert unknown_accuracy(counts.sum(axis=0)) == 50.0


def test_what_is_not_there_has_no_accuracy():
    counts = tag_counts([("a",)], [("DET",)], [("DET",)], KNOWN)
    assert math.isnan(unknown_accuracy(counts.sum(axis=0)))
    assert tag_counts([], [], [], KNOWN).shape == (0, 4)
    assert tag_counts([()], [()], [()], KNOWN).tolist() == [[0, 0, 0, 0]]


@pytest.mark.parametrize("gold", [GOLD[:1], [*GOLD, ()], [("DET",), GOLD[1]]])
def test_another_number_of_tags_is_refused(gold):
    with pytest.raises(ValueError, match=r"zip\(\) argument 2"):
        tag_counts(WORDS, gold, GUESSED, KNOWN)
