"""Alignment by jumps: by hand, against all alignments, laws, refusals."""

import math
import random
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from kit import refuses
from lookback.fast import hmm_alignment as fast
from lookback.hmm_alignment import (
    HMMAlignment,
    backward,
    em_iteration,
    expectation,
    forward,
    jump_matrix,
)
from lookback.ibm1 import IBMModel1

# The example of the chapter, worked out on paper: *day after day* – *jour après jour*.
# jour comes from day alone, après from after alone. s(+1) = 4, s(-1) = 2, others 1.
DAY = ("day", "after", "day"), ("jour", "après", "jour")
S = {-2: 1, -1: 2, 0: 1, 1: 4, 2: 1, 3: 1}
T = np.array([[0, 1, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1]], float)
MOVES = [
    [Fraction(4, 6), Fraction(1, 6), Fraction(1, 6)],  # from the edge: +1 +2 +3
    [Fraction(1, 6), Fraction(4, 6), Fraction(1, 6)],  # from 1: 0 +1 +2
    [Fraction(2, 7), Fraction(1, 7), Fraction(4, 7)],  # from 2: -1 0 +1
    [Fraction(1, 4), Fraction(2, 4), Fraction(1, 4)],  # from 3: -2 -1 0
]
WALKS = {
    (1, 2, 3): Fraction(4, 6) * Fraction(4, 6) * Fraction(4, 7),  # 64/252
    (1, 2, 1): Fraction(4, 6) * Fraction(4, 6) * Fraction(2, 7),  # 32/252
    (3, 2, 3): Fraction(1, 6) * Fraction(2, 4) * Fraction(4, 7),  # 12/252
    (3, 2, 1): Fraction(1, 6) * Fraction(2, 4) * Fraction(2, 7),  # 6/252
}


def toy(empty: float = 0, uniform: float = 1e-13) -> HMMAlignment:
    """The model of the example."""
    model = HMMAlignment(empty, uniform).fit([DAY], 0, 0)
    t = np.array([0.0, 0, 1, 0, 0, 1])  # (empty, day, after) × (jour, après)
    model.lexicon, model.jumps = model.lexicon.with_table(t), dict(S)
    return model


def babble(pairs: int, seed: int = 0, most: int = 5):
    """Pairs of e0, e1, … and f0, f1, …, of all lengths from 1 to most + 1."""
    dice, found = random.Random(seed), []
    for _ in range(pairs):
        source = [f"e{dice.randrange(6)}" for _ in range(dice.randint(1, most))]
        target = [f"f{w[1:]}" if dice.random() < 0.8 else "f0" for w in source]
        target = target[: dice.randint(1, most)] + ["f9"] * dice.randrange(2)
        found.append((tuple(source), tuple(target)))
    return found


def fitted(seed: int = 0, iterations: int = 3, **settings) -> HMMAlignment:
    return HMMAlignment(**settings).fit(babble(30, seed), iterations, 2)


def enumerated(model: HMMAlignment, source, target):
    """log P of every alignment."""
    places = range(len(source) + 1)
    return {
        a: model.log_joint(source, target, a)
        for a in product(places, repeat=len(target))
    }


# --- by hand -------------------------------------------------------------------------


def test_the_moves_by_hand():
    assert jump_matrix(S, 3) == pytest.approx(np.array(MOVES, float))
    mixed = jump_matrix(S, 3, uniform=0.25)
    assert mixed[0] == pytest.approx(np.array([4, 1, 1]) / 6 * 0.75 + 0.25 / 3)
    # From the last of two words only 0 and -1 stay inside; none of them is known.
    assert jump_matrix({1: 1.0}, 2).tolist() == [[1, 0], [0, 1], [0.5, 0.5]]


def test_the_sums_from_both_sides_by_hand():
    alpha, empty, sums = forward(T, np.array(MOVES, float), 0)
    # jour: 4/6 at the first day, 1/6 at the second: 5/6 in all. après: at after, which
    # is reached with 4/6 from the first and 2/4 from the second. jour: 2/7 and 4/7.
    at = [[1, 0, 0, 0], [0, 4 / 5, 0, 1 / 5], [0, 0, 1, 0], [0, 1 / 3, 0, 2 / 3]]
    assert alpha == pytest.approx(np.array(at))
    scale = [5 / 6, 4 / 5 * 4 / 6 + 1 / 5 * 2 / 4, 6 / 7]
    assert sums == pytest.approx(scale)
    assert math.prod(scale) == pytest.approx(float(sum(WALKS.values())))
    assert not empty.any()
    beta = backward(T, np.array(MOVES, float), 0, sums)
    assert (alpha * beta)[0] == pytest.approx([1, 0, 0, 0])
    assert (alpha * beta)[1] == pytest.approx([0, 96 / 114, 0, 18 / 114])
    posterior, xi, log_p = expectation(T, np.array(MOVES, float), 0)
    assert posterior[2] == pytest.approx([0, 38 / 114, 0, 76 / 114])
    assert xi[1] == pytest.approx([0, 96 / 114, 0])  # from the first day to after
    assert log_p == pytest.approx(math.log(114 / 252))


def test_the_posterior_by_hand():
    found = toy().posterior(*DAY)
    by_hand = [[0, 96 / 114, 0, 18 / 114], [0, 0, 1, 0], [0, 38 / 114, 0, 76 / 114]]
    assert found == pytest.approx(np.array(by_hand))
    for walk, p in WALKS.items():
        assert toy().log_joint(*DAY, walk) == pytest.approx(math.log(p))
    assert toy().log_joint(*DAY, (1, 2, 2)) == -math.inf
    assert toy().log_joint(*DAY, (1, 0, 3)) == -math.inf
    assert toy().align(*DAY) == {(0, 0), (1, 1), (2, 2)}
    model1 = IBMModel1().fit([DAY], 0).with_table(toy().lexicon.t)
    assert model1.posterior(*DAY)[0] == pytest.approx([0, 1 / 2, 0, 1 / 2])


def test_the_empty_word_by_hand():
    # One source word, two target words: x from e, y from the empty word. No jump but
    # 0 and +1 exists, and a sentence of one word has one way to go.
    model = HMMAlignment(0.2, 0.5).fit([(("e",), ("x", "y"))], 0, 0)
    model.lexicon = model.lexicon.with_table(np.array([0.25, 0.5, 0.5, 0.0625]))
    pair = ("e",), ("x", "y")
    p = {
        (1, 1): 0.8 * 0.5 * 0.8 * 0.0625,
        (1, 0): 0.8 * 0.5 * 0.2 * 0.5,
        (0, 1): 0.2 * 0.25 * 0.8 * 0.0625,
        (0, 0): 0.2 * 0.25 * 0.2 * 0.5,
    }
    for a, expected in p.items():
        assert model.log_joint(*pair, a) == pytest.approx(math.log(expected))
    assert model.posterior(*pair)[0, 0] == pytest.approx(
        (p[0, 1] + p[0, 0]) / sum(p.values())
    )
    assert max(p, key=p.get) == (1, 0)
    assert model.align(*pair) == {(0, 0)}


def test_the_empty_word_leaves_the_position_where_it_was():
    model = toy(empty=0.5)
    t = np.array([0.5, 0.5, 1, 0, 0, 1])
    model.lexicon = model.lexicon.with_table(t)
    # after at 2, an empty word, and then the jump is counted from 2, not from 0
    found = model.log_joint(*DAY, (2, 0, 3))
    assert found == -math.inf  # jour never comes from after
    pair = ("day", "after", "day"), ("après", "jour", "jour")
    p = 0.5 / 6 * 1 * 0.5 * 0.5 * 0.5 * 4 / 7 * 1
    assert model.log_joint(*pair, (2, 0, 3)) == pytest.approx(math.log(p))


def test_one_iteration_by_hand():
    """Counts of jumps from the four walks: shares of 114."""
    once = {("jour", "day"), ("après", "after"), ("jour", None), ("après", None)}
    words = product(("jour", "après"), (None, "day", "after"))
    t = {pair: float(pair in once) for pair in words}
    t, jumps, log_p = em_iteration([DAY], t, S, 1e-13, 1e-13)
    # +1: three times in (1, 2, 3), twice in (1, 2, 1), once in (3, 2, 3); -1: once in
    # (1, 2, 1), once in (3, 2, 3), twice in (3, 2, 1); +3: once in (3, 2, .)
    by_hand = {1: 3 * 64 + 2 * 32 + 12, -1: 32 + 12 + 2 * 6, 3: 12 + 6}
    for width in range(-2, 4):
        expected = by_hand.get(width, 0) / 114 / 3
        assert jumps[width] == pytest.approx(expected, abs=1e-9)
    assert t["jour", "day"] == t["après", "after"] == pytest.approx(1)
    assert log_p == pytest.approx(math.log(114 / 252))


# --- against the reference: all alignments of short sentences ------------------------


@pytest.mark.parametrize("settings", [{}, {"empty": 0.05, "uniform": 0.01}])
def test_sums_and_posteriors_equal_those_over_all_alignments(settings):
    model, total = fitted(**settings), 0.0
    for source, target in babble(30):
        p = enumerated(model, source, target)
        log_p = np.logaddexp.reduce(list(p.values()))
        total += log_p
        expected = np.zeros((len(target), len(source) + 1))
        for a, log in p.items():
            expected[range(len(target)), a] += math.exp(log - log_p)
        assert model.posterior(source, target) == pytest.approx(expected, abs=1e-12)
    assert model.log_likelihood[-1] == pytest.approx(total)


def test_the_best_alignment_equals_the_best_of_all():
    model, empties = fitted(seed=2), 0
    for source, target in babble(30, 2):
        p = enumerated(model, source, target)
        a = [0] * len(target)
        for i, j in model.align(source, target):
            a[j] = i + 1
        assert p[tuple(a)] == pytest.approx(max(p.values()))
        empties += a.count(0)
    assert empties


@pytest.mark.parametrize("settings", [{}, {"empty": 0.1, "uniform": 0.4}])
def test_many_sentences_at_once_equal_pair_by_pair(settings):
    pairs = babble(40, 6)
    p0, u = settings.get("empty", 0.2), settings.get("uniform", 0.2)
    start = HMMAlignment(**settings).fit(pairs, 0, 2)
    t = {
        (f, e): start.translation_prob(f, e)
        for source, target in pairs
        for f in target
        for e in (None, *source)
    }
    s, log_p = start.jumps, []
    for _ in range(3):
        t, s, before = em_iteration(pairs, t, s, p0, u)
        log_p.append(before)
    model = HMMAlignment(**settings).fit(pairs, 3, 2)
    assert model.log_likelihood[:3] == pytest.approx(log_p)
    assert model.jumps == pytest.approx(s)
    for (f, e), p in t.items():
        assert model.translation_prob(f, e) == pytest.approx(p)
    for source, target in pairs:
        table = np.array([[t[f, e] for e in (None, *source)] for f in target])
        posterior, _, _ = expectation(table, model.moves(len(source)), p0)
        assert model.posterior(source, target) == pytest.approx(posterior)


def test_where_all_jumps_are_uniform_none_is_learned():
    pairs = babble(10)
    t = defaultdict(lambda: 0.1)
    _, s, _ = em_iteration(pairs, t, {}, u=1.0)
    assert not any(s.values())


# --- laws ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [3, 4])
def test_the_likelihood_rises(seed):
    found = HMMAlignment().fit(babble(80, seed), 20, 2).log_likelihood
    assert len(found) == 21
    assert all(one <= two + 1e-9 for one, two in pairwise(found))


def test_rows_sum_to_one():
    model = fitted()
    for S in (1, 2, 7, 30):  # longer than any that was read
        assert model.moves(S).sum(axis=1) == pytest.approx(1)
        assert (model.moves(S) > 0).all()
    assert sum(model.jumps.values()) == pytest.approx(1)
    new = [(("e1", "?", "e2"), ("f1", "!", "f2", "f9")), (("e1",) * 40, ("f1",) * 50)]
    for source, target in [*babble(30), *new]:
        found = model.posterior(source, target)
        assert found.shape == (len(target), len(source) + 1)
        assert found.sum(axis=1) == pytest.approx(1)
        assert (found >= 0).all()


def test_many_pairs_at_once_equal_one_after_the_other(monkeypatch):
    model, pairs = fitted(), babble(40, 5)
    one = [model.align(*pair) for pair in pairs]
    assert model.align_all(pairs) == one
    before = model.log_likelihood
    monkeypatch.setattr(fast, "CELLS", 20)  # some sentences in each batch
    again = fitted()
    assert again.log_likelihood == pytest.approx(before)
    assert again.jumps == pytest.approx(model.jumps)


def test_before_any_iteration_jumps_are_alike_and_the_table_is_model_1s():
    pairs = babble(20)
    model, table = HMMAlignment().fit(pairs, 0, 4), IBMModel1().fit(pairs, 4)
    assert model.translation_prob("f1", "e3") == table.translation_prob("f1", "e3")
    assert model.moves(4) == pytest.approx(np.full((5, 4), 1 / 4))


def test_an_unknown_word_is_placed_by_jumps():
    model = HMMAlignment().fit(babble(200, 8), 5)
    source, target = ["e1", "new", "e3"], ["f1", "neu", "f3"]
    assert model.align(source, target) == {(0, 0), (1, 1), (2, 2)}
    assert model.translation_prob("neu", "new") == 0


def test_no_probability_underflows():
    pairs = [(("a",) * 300, ("x",) * 400), (("a", "b"), ("y", "x"))]
    model = HMMAlignment().fit(pairs, 3, 1)
    assert np.isfinite(model.log_likelihood).all()
    assert np.isfinite(model.posterior(*pairs[0])).all()


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: HMMAlignment(empty=1.0), r"empty must be ≥ 0 and < 1, got 1\.0"),
        (lambda: HMMAlignment(empty=-0.1), "empty must be ≥ 0 and < 1"),
        (lambda: HMMAlignment(uniform=0.0), "uniform must be > 0, got 0"),
        (lambda: HMMAlignment(uniform=1.5), r"uniform must be ≤ 1, got 1\.5"),
        (lambda: HMMAlignment().align(["a"], ["b"]), "call fit"),
        (lambda: HMMAlignment().fit([]), "expected sentence pairs, got none"),
        (lambda: toy().align_all([DAY, "ab"]), r"pair 1 is .*: expected \(source, tar"),
        (lambda: jump_matrix(S, 0), "S must be a whole number ≥ 1, got 0"),
        (lambda: toy().log_joint(*DAY, (1, 2)), "has 2 positions: expected 3, one for"),
        (lambda: toy().log_joint(*DAY, (1, 2, 4)), r"a\[2\] must be .* from 0 to 3"),
        (lambda: toy().lexicon.with_table(T[0]), r"t has shape \(4,\): expected \(6,"),
    ],
)
def test_refusals(call, says):
    with refuses(says):
        call()
