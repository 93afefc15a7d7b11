"""Nested truth values: expressions, readers and hits, by hand."""

from random import Random

import pytest
import torch

from lookback.studies.recursive import (
    BRACKETS,
    IDS,
    LENGTH,
    TRAINED,
    TREES,
    binary,
    drawn,
    examples,
    fits,
    inputs,
    learned,
    right,
    tokens,
    training,
    truth,
)


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


@pytest.mark.parametrize("reader", [*TREES, "GRU", "bag"])
def test_padding_changes_no_answer(reader):
    model = learned(reader, n=8, rate=0.01, steps=2, seed=0, batch=4)
    given = inputs(model, [*examples(1, 2), *examples(3, 4)])
    scores = model(given)
    assert scores.shape == (6, 2)
    assert torch.allclose(model(given[:1]), scores[:1], atol=1e-5)


def test_hits_are_counted_over_batches():
    answers = torch.arange(250) % 2
    assert right(lambda k: torch.eye(2)[answers[k]], range(250), answers) == 100
    wrong = [*range(1, 125), *range(124, 250)]
    assert right(lambda k: torch.eye(2)[answers[k]], wrong, answers) == 50.4
