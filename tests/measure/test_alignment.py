"""Alignment error rate: by hand, against NLTK, and what a rate must obey."""

import random

import pytest
from nltk.translate import Alignment
from nltk.translate.metrics import alignment_error_rate as nltk_rate

from lookback.measure import alignment_counts, alignment_error_rate

SURE = [{(0, 0), (1, 2)}, {(0, 1)}]
POSSIBLE = [{(0, 0), (1, 2), (1, 1)}, {(0, 1), (2, 2)}]
FOUND = [{(0, 0), (1, 1), (3, 3)}, {(2, 2)}]


def test_by_hand():
    # |A ∩ S| = 1 + 0, |A ∩ P| = 2 + 1, |A| = 3 + 1, |S| = 2 + 1
    assert alignment_counts(FOUND, SURE, POSSIBLE).tolist() == [
        [1, 2, 3, 2],
        [0, 1, 1, 1],
    ]
    assert alignment_error_rate(FOUND, SURE, POSSIBLE) == pytest.approx(1 - 4 / 7)


def test_perfect_and_useless():
    assert alignment_error_rate(SURE, SURE, POSSIBLE) == 0
    assert alignment_error_rate(POSSIBLE, SURE, POSSIBLE) == 0
    assert alignment_error_rate([{(9, 9)}, set()], SURE, POSSIBLE) == 1
    assert alignment_error_rate([set(), set()], SURE, POSSIBLE) == 1


def test_between_sure_and_possible_nothing_is_wrong():
    between = [SURE[0] | {(1, 1)}, SURE[1]]
    assert alignment_error_rate(between, SURE, POSSIBLE) == 0


def test_against_nltk_on_one_sentence():
    chance = random.Random(0)
    grid = [(s, t) for s in range(4) for t in range(5)]
    for _ in range(50):
        possible = set(chance.sample(grid, 8))
        sure = set(chance.sample(sorted(possible), 4))
        found = set(chance.sample(grid, chance.randrange(9)))
        reference = nltk_rate(Alignment(sure), Alignment(found), Alignment(possible))
        ours = alignment_error_rate([found], [sure], [possible])
        assert ours == pytest.approx(reference)


def test_a_link_counts_once():
    twice = [[(0, 0), (0, 0)], [(0, 1)]]
    assert alignment_counts(twice, SURE, POSSIBLE)[0].tolist() == [1, 1, 1, 2]


def test_refusals():
    for lists in ((FOUND[:1], SURE, POSSIBLE), (FOUND, SURE, POSSIBLE[:1])):
        with pytest.raises(ValueError, match=r"zip\(\) argument"):
            alignment_error_rate(*lists)
    with pytest.raises(ValueError, match=r"in sentence 0 \[\(1, 1\)\] are not"):
        alignment_error_rate(FOUND, POSSIBLE, SURE[:1] + POSSIBLE[1:])
    with pytest.raises(ValueError, match="got none predicted and none sure"):
        alignment_error_rate([set()], [set()], [set()])
