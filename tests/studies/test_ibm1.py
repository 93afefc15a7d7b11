"""Alignments compared: Dice, the diagonal's prior, errors and repeats by hand."""

import numpy as np
import pytest

from lookback.studies.ibm1 import (
    Diagonal,
    Dice,
    ambiguous,
    apart,
    error,
    errors,
    near_the_diagonal,
    repeats,
    scores,
    turns,
)
from lookback.text.pairs import Pair, Tags

SURE = frozenset({(0, 0), (1, 1)})
HOUSE = Pair(("the", "house"), ("la", "maison"), SURE, SURE, Tags((), ("DET", "NOUN")))
FLOWER = Pair(("the", "flower"), ("la", "fleur"), SURE, SURE, Tags((), ("DET", "NOUN")))


def test_dice_by_hand() -> None:
    dice = Dice([HOUSE, FLOWER, Pair(("a", "house", "house"), ("une", "maison"))])
    assert dice.score("house", "maison") == 1  # in two pairs each, both of them shared
    assert dice.score("the", "maison") == 2 * 1 / (2 + 2)
    assert dice.score("a", "la") == dice.score("new", "la") == 0
    assert dice.align(HOUSE.source, HOUSE.target) == {(0, 0), (1, 1)}
    assert dice.align(("new",), ("la",)) == set()
    assert dice.align(HOUSE.source, HOUSE.target, above=1) == set()


def test_the_diagonal_prior_sums_to_one_and_prefers_the_diagonal() -> None:
    prior = Diagonal(4.0, empty=0.1).prior(3, 6)
    assert prior.shape == (6, 4)
    assert prior.sum(axis=1) == pytest.approx(np.ones(6))
    assert prior[:, 0] == pytest.approx(np.full(6, 0.1))
    assert prior[[1, 3, 5], 1:].argmax(axis=1).tolist() == [0, 1, 2]
    assert prior[1, 2] / prior[1, 1] == pytest.approx(np.exp(-4 / 3))
    assert near_the_diagonal(Pair((*"abc",), (*"vwxyz",))) == {
        (0, 0), (0, 1), (1, 2), (1, 3), (2, 4)
    }  # fmt: skip


def test_scores_and_errors_by_hand() -> None:
    pairs = [HOUSE, FLOWER]
    links = [{(0, 0), (1, 1)}, {(0, 1)}]
    row = scores(links, pairs)
    assert row["precision"] == 2 / 3 and row["recall"] == 2 / 4
    assert row["AER"] == error(links, pairs) == pytest.approx(1 - 4 / 7)
    assert row["low"] <= row["AER"] <= row["high"]
    assert errors(links, pairs) == {"NOUN": [2, 3], "DET": [1, 2]}
    value, low, high = apart(links, [{(0, 0), (1, 1)}] * 2, pairs)
    assert value == row["AER"] and low <= value <= high


def test_repeats_are_told_apart_within_bins_of_length() -> None:
    plain = Pair((*"abcd",), (*"vwxy",), SURE, SURE)
    twice = Pair((*"abab",), (*"vwxy",), SURE, SURE)
    long = Pair((*"abcdefgg",), (*"vwxy",), SURE, SURE)
    links = [{*SURE}] * 20 + [{(2, 2)}] * 21 + [set()]
    rows = repeats(links, [plain] * 20 + [twice] * 21 + [long])
    assert (rows[0]["from"], rows[0]["to"]) == (3, 5)
    assert rows[0]["once"] | {"pairs": 20, "AER": 0.0} == rows[0]["once"]
    assert rows[0]["twice"]["pairs"] == 21 and rows[0]["twice"]["AER"] == 1
    assert rows[1]["twice"] == {"pairs": 1} and rows[1]["once"] == {"pairs": 0}


def test_links_to_repeated_words_are_counted_apart() -> None:
    gold = frozenset({(0, 0), (1, 1), (2, 2)})
    twice = Pair((*"aba",), (*"xyz",), gold, gold)
    row = ambiguous([{(0, 0), (1, 1), (0, 2)}], [twice])
    assert row["twice"] == [0.5, 0.5, 0.5, 2]
    assert row["once"] == [0, 0, 0, 1]


def test_words_that_come_out_in_reverse_order() -> None:
    goes = frozenset({(0, 1), (1, 0), (2, 2)})
    pair = Pair((*"abc",), (*"xyz",), goes, goes)
    assert turns(pair, 2) and not turns(pair, 3)
    assert not turns(HOUSE, 2)
