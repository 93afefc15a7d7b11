"""Nested truth values: expressions, readers, and what was recorded."""

from random import Random

import pytest
import torch

from lookback.studies import recursive as values
from lookback.studies.recursive import (
    BRACKETS,
    DEPTHS,
    IDS,
    LENGTH,
    SETTINGS,
    TRAINED,
    Setting,
    binary,
    drawn,
    examples,
    fits,
    tokens,
    training,
    truth,
)
from lookback.workshop import results


def depth(e):
    if isinstance(e, str):
        return 0
    return 1 + max(depth(part) for part in e if part not in ("and", "or", "not"))


def test_an_expression_by_hand():
    e = (("not", "T"), "or", ("T", "and", "F"))
    assert " ".join(tokens(e)) == "( ( not T ) or ( T and F ) )"
    assert truth(e) is False and truth(("not", e)) is True
    T, F, both, either, no = (IDS[w] for w in ("T", "F", "and", "or", "not"))
    assert binary(e) == ((no, T), (either, (T, (both, F))))


@pytest.mark.parametrize("d", [1, 3, 5, 8])
def test_drawn_expressions_have_their_depth_brackets_and_value(d):
    random = Random(d)
    for brackets in range(d, min(2**d - 1, BRACKETS) + 1):
        for value in (True, False):
            e = drawn(random, d, brackets, value)
            assert depth(e) == d and truth(e) is value
            assert tokens(e).count("(") == brackets and fits(d, brackets)
    assert not fits(d, d - 1) and not fits(d, 2**d)


def test_no_connective_betrays_the_value():
    random = Random(0)
    ands = {True: 0, False: 0}
    for k in range(2000):
        e = drawn(random, 2, 3, value=k % 2 == 0)
        ands[k % 2 == 0] += len(e) == 3 and e[1] == "and"
    assert abs(ands[True] - ands[False]) < 100 < ands[True]


def test_tests_have_one_length_and_half_are_true():
    for d in (TRAINED, 8):
        some = examples(d, 20)
        assert {len(tokens(e)) for e in some} == {LENGTH} == {46}
        assert sum(map(truth, some)) == 10 and {depth(e) for e in some} == {d}
    assert {depth(e) for e in training(Random(0), 200)} == {1, 2, 3, 4}


@pytest.mark.parametrize("reader", SETTINGS)
def test_a_reader_answers_each_and_its_seed_decides(reader):
    some = examples(3, 6)
    one, two, other = (
        values.scores_of(values.learned(Setting(reader, 8, 0.01, 3, seed, 4)), some)
        for seed in (0, 0, 1)
    )
    assert one.shape == (6, 2)
    assert torch.equal(one, two) and not torch.allclose(one, other)
    alone = values.scores_of(
        values.learned(Setting(reader, 8, 0.01, 3, 0, 4)), some[2:3]
    )
    assert torch.allclose(alone, one[2:3], atol=1e-5)  # padding changes nothing


def test_the_floors_of_the_expressions_are_reached():
    study = results("recursive")
    at = DEPTHS.index(8)
    for name in ("recursive", "tensor", "TreeLSTM"):
        rows = study.seeds(name)
        assert len(rows) == 3 and all(row["right"][at] >= 99 for row in rows)
    for name in ("GRU", "bag"):
        rows = study.seeds(name)
        assert len(rows) == 3 and all(row["right"][at] < 90 for row in rows)
