"""IBM Model 1: by hand, against the reference, its own laws."""

import math
import random
from collections import defaultdict, namedtuple
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest
from nltk.translate import AlignedSent
from nltk.translate import IBMModel1 as Nltk

from kit import refuses
from lookback.fast.ibm1 import numbered
from lookback.ibm1 import IBMModel1, em_iteration

# Two pairs that are worked out on paper in this file. Every t begins as 1/3.
HOUSE = [
    (("the", "house"), ("la", "maison")),
    (("the", "flower"), ("la", "fleur")),
]
FRENCH = ["la", "maison", "fleur"]
# Iteration 1. Each row has three cells, so each cell gets 1/3. c(la | the) = 2/3 (both
# pairs), c(maison | the) = c(fleur | the) = 1/3, the empty word likewise;
# c(la | house) = c(maison | house) = 1/3. Divided by their sums 4/3 and 2/3:
ONE = {
    None: [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)],
    "the": [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)],
    "house": [Fraction(1, 2), Fraction(1, 2), 0],
    "flower": [Fraction(1, 2), 0, Fraction(1, 2)],
}
# Iteration 2. Row la: (½, ½, ½), 1/3 each. Row maison: (¼, ¼, ½), that is ¼, ¼, ½.
# c(la | the) = 2/3, c(maison | the) = c(fleur | the) = 1/4: sum 7/6.
# c(la | house) = 1/3, c(maison | house) = 1/2: sum 5/6.
TWO = {
    None: [Fraction(4, 7), Fraction(3, 14), Fraction(3, 14)],
    "the": [Fraction(4, 7), Fraction(3, 14), Fraction(3, 14)],
    "house": [Fraction(2, 5), Fraction(3, 5), 0],
    "flower": [Fraction(2, 5), 0, Fraction(3, 5)],
}
# P(f | e) of either pair before, and after one and two: ∏_j of the row's mean.
LIKELIHOODS = [
    Fraction(1, 3) ** 2,
    Fraction(1, 2) * Fraction(1, 3),
    Fraction(18, 35) * Fraction(12, 35),
]


def table(model, target=FRENCH, source=(None, "the", "house", "flower")):
    return {e: [model.translation_prob(f, e) for f in target] for e in source}


def close(found, by_hand):
    assert found.keys() == by_hand.keys()
    for word, row in by_hand.items():
        assert found[word] == pytest.approx([float(p) for p in row], abs=1e-12)


def babble(pairs, seed=0, repeats=True):
    """Pairs of e0, e1, … and f0, f1, …, of all lengths from 1 to 7; no two alike."""
    dice, found = random.Random(seed), []
    for _ in range(pairs):
        source = [f"e{min(dice.randrange(12), 8)}" for _ in range(dice.randint(1, 7))]
        target = [f"f{dice.randrange(int(w[1:]) + 1, 11)}" for w in source]
        target = target[: dice.randint(1, 6)] + ["f0"] * dice.randrange(2)
        if not repeats:
            target = list(dict.fromkeys(target))
        found.append((tuple(source), tuple(target)))
    return found


# --- by hand -------------------------------------------------------------------------


def test_nothing_is_known_at_first():
    model = IBMModel1().fit(HOUSE, 0)
    assert model.translation_prob("fleur", "house") == 1 / 3  # though they never met
    close(table(model), dict.fromkeys((None, "the", "house", "flower"), [1 / 3] * 3))
    assert model.posterior(*HOUSE[0]) == pytest.approx(np.full((2, 3), 1 / 3))


@pytest.mark.parametrize(("iterations", "by_hand"), [(1, ONE), (2, TWO)])
def test_iterations_by_hand(iterations, by_hand):
    close(table(IBMModel1().fit(HOUSE, iterations)), by_hand)


def test_the_log_likelihood_by_hand():
    # rows of the first pair after one: la (½+½+½)/3, maison (¼+¼+½)/3;
    # after two: la (4/7+4/7+2/5)/3 = 18/35, maison (3/14+3/14+3/5)/3 = 12/35
    by_hand = [2 * math.log(p) for p in LIKELIHOODS]
    assert IBMModel1().fit(HOUSE, 2).log_likelihood == pytest.approx(by_hand)
    assert IBMModel1().fit(HOUSE, 0).log_likelihood == pytest.approx(by_hand[:1])


def test_the_posterior_by_hand():
    found = IBMModel1().fit(HOUSE, 2).posterior(["the", "house"], ["la", "maison"])
    # la: 4/7, 4/7, 2/5 of 54/35; maison: 3/14, 3/14, 3/5 of 36/35
    assert found == pytest.approx(
        np.array([[10 / 27, 10 / 27, 7 / 27], [5 / 24, 5 / 24, 14 / 24]])
    )
    (row,) = IBMModel1().fit(HOUSE, 2).posterior(["house", "the", "flower"], ["maison"])
    assert row == pytest.approx(np.array([3 / 14, 3 / 5, 3 / 14, 0]) * 35 / 36)


def test_a_repeated_word_counts_each_time():
    # one iteration, all cells alike: (a, a) beside (x, x, y) are 6 cells of 1/3 each,
    # of which a has c(x) = 4/3, c(y) = 2/3 and the empty word c(x) = 2/3, c(y) = 1/3
    model = IBMModel1().fit([(("a", "a"), ("x", "x", "y"))], 1)
    half = {"a": [2 / 3, 1 / 3], None: [2 / 3, 1 / 3]}
    close(table(model, ["x", "y"], ["a", None]), half)
    assert model.log_likelihood[1] == pytest.approx(math.log(2 / 3 * 2 / 3 * 1 / 3))


def test_align_by_hand():
    model = IBMModel1().fit(HOUSE, 2)
    # la: the empty word and the are equally likely, and a word goes before the empty
    assert model.align(["the", "house"], ["la", "maison"]) == {(0, 0), (1, 1)}
    assert model.align(["house", "the"], ["maison", "la"]) == {(0, 0), (1, 1)}
    assert model.align(["the", "the"], ["la"]) == {(0, 0)}  # the leftmost
    assert model.align(["house"], ["fleur", "maison"]) == {(0, 1)}  # fleur: empty


def test_translations_stand_in_order():
    model = IBMModel1().fit(HOUSE, 2)
    found = model.translations("house")
    assert [word for word, _ in found] == ["maison", "la"]  # and no fleur
    assert [p for _, p in found] == pytest.approx([3 / 5, 2 / 5])
    assert [word for word, _ in model.translations(None)] == FRENCH
    assert model.translations("cat") == []


# --- against the reference -----------------------------------------------------------


def nltk(pairs, iterations):
    return Nltk([AlignedSent([*f], [*e]) for e, f in pairs], iterations)


def vocabularies(pairs):
    e = [None, *dict.fromkeys(word for source, _ in pairs for word in source)]
    return e, [*dict.fromkeys(word for _, target in pairs for word in target)]


@pytest.mark.parametrize("iterations", [0, 1, 2, 7])
def test_every_probability_equals_nltks(iterations):
    pairs = babble(60, seed=1, repeats=False)
    ours, theirs = IBMModel1().fit(pairs, iterations), nltk(pairs, iterations)
    sources, targets = vocabularies(pairs)
    met = {(e, f) for source, target in pairs for e in source for f in target}
    for e, f in product(sources, targets):
        if iterations and e is not None and (e, f) not in met:
            assert ours.translation_prob(f, e) == 0  # theirs keeps a floor of 1e-12
        else:
            expected = theirs.translation_table[f][e]
            assert ours.translation_prob(f, e) == pytest.approx(expected, rel=1e-9)


def test_em_in_loops_by_hand():
    t = em_iteration(HOUSE, defaultdict(lambda: 1 / 3))
    for by_hand in (ONE, TWO):
        assert len(t) == sum(p > 0 for row in by_hand.values() for p in row)
        for e, row in by_hand.items():
            for f, p in zip(FRENCH, row, strict=True):
                assert t.get((f, e), 0) == pytest.approx(float(p), abs=1e-12)
        t = em_iteration(HOUSE, t)


def test_em_in_arrays_equals_em_in_loops():
    pairs = babble(40, seed=6)
    assert any(len(set(s)) < len(s) and len(set(t)) < len(t) for s, t in pairs)
    _, targets = vocabularies(pairs)
    t = dict.fromkeys(
        ((f, e) for s, target in pairs for f in target for e in (None, *s)),
        1 / len(targets),
    )
    for iterations in range(5):
        model = IBMModel1().fit(pairs, iterations)
        for (f, e), p in t.items():
            assert abs(model.translation_prob(f, e) - p) <= 1e-12
        t = em_iteration(pairs, t)
    assert model.translations(None)[0][1] > 2 / len(targets)  # it has moved


def test_numbered_is_unique():
    for top, size in ((40, 300), (40_000, 300), (9, 1), (8, 1)):
        keys = np.random.default_rng(size).integers(0, top, size)
        keys[0] = top - 1
        expected = np.unique(keys, return_inverse=True)
        for ours, theirs in zip(numbered(keys, top), expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)

    sparse = np.array([2**50 - 1, 3, 2**50 - 1])  # a table for these has no room
    assert [a.tolist() for a in numbered(sparse, 2**50)] == [[3, 2**50 - 1], [1, 0, 1]]


# --- laws ----------------------------------------------------------------------------


def test_the_likelihood_never_falls():
    found = IBMModel1().fit(babble(80, seed=3), 40).log_likelihood
    assert len(found) == 41
    assert all(one <= two + 1e-9 for one, two in pairwise(found))
    assert found[1] > found[0] + 1


def test_rows_of_the_posterior_sum_to_one():
    pairs = babble(80, seed=6)
    model = IBMModel1().fit(pairs, 5)
    for source, target in [*pairs, (("e1", "?", "e2"), ("f1", "!", "f2", "f9"))]:
        found = model.posterior(source, target)
        assert found.shape == (len(target), len(source) + 1)
        assert found.sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_pairs_may_be_objects():
    both = namedtuple("both", "target source")  # its names count, not its order
    close(table(IBMModel1().fit([both(f, e) for e, f in HOUSE], 2)), TWO)


def test_unknown_words_translate_nothing():
    model = IBMModel1().fit(HOUSE, 2)
    assert model.translation_prob("chat", "the") == 0
    assert model.translation_prob("la", "cat") == 0
    assert model.translation_prob("chat", "cat") == 0
    # the numbers of an unknown word must not be taken for those of another pair
    assert IBMModel1().fit(HOUSE, 0).translation_prob("chat", "the") == 0
    assert IBMModel1().fit(HOUSE, 0).translation_prob("la", "cat") == 0


def test_what_nothing_explains_is_put_down_to_the_empty_word():
    model = IBMModel1().fit(HOUSE, 2)
    found = model.posterior(["the", "cat"], ["chat", "la"])
    assert found[0].tolist() == [1, 0, 0]
    assert found[1] == pytest.approx([1 / 2, 1 / 2, 0])
    assert model.align(["the", "cat"], ["chat", "la"]) == {(0, 1)}


class Leftmost(IBMModel1):
    """All target words look at the first source word twice as often."""

    def prior(self, S, T):
        odds = np.array([1.0, 2.0, *[1.0] * (S - 1)])
        return np.tile(odds / odds.sum(), (T, 1))


def test_another_prior_is_obeyed():
    # one iteration from 1/3: each row has (¼, ½, ¼), so c(la | the) = 1, c(maison |
    # the) = ½, c(fleur | the) = ½; the likelihood of a row is 1/3 whatever the prior
    model = Leftmost().fit(HOUSE, 1)
    expected = {"the": [1 / 2, 1 / 4, 1 / 4], "house": [1 / 2, 1 / 2, 0]}
    close(table(model, source=["the", "house"]), expected)
    assert model.log_likelihood[0] == pytest.approx(4 * math.log(1 / 3))
    # maison: ¼ · ¼, ½ · ¼, ¼ · ½ of 5/16
    found = model.posterior(["the", "house"], ["maison"])
    assert found == pytest.approx(np.array([[1 / 5, 2 / 5, 2 / 5]]))


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        *(
            (partial(IBMModel1().fit, pairs, 1), says)
            for pairs, says in (
                ([], "expected sentence pairs, got none"),
                ("the house", "expected a list of sentence pairs, got 'the house'"),
                (["ab"], r"pair 0 is 'ab': expected \(source, target\)"),
                ([*HOUSE, (("a",),)], "pair 2 is .*expected"),
                ([SimpleNamespace(source=["a"])], "pair 0 is .*expected"),
                ([("the house", "la maison")], "expected a list of words"),
                ([(("a", 1), ("b",))], "expected a list of words"),
                ([*HOUSE, ((), ("a",))], r"pair 2 has a sentence without words: \(\("),
                ([(("a",), [])], "pair 0 has a sentence without words"),
            )
        ),
        (lambda: IBMModel1().posterior(["a"], ["b"]), "no table yet: call fit"),
        (lambda: IBMModel1().translations("a"), "no table yet: call fit"),
    ],
)
def test_refusals(call, says):
    with refuses(says):
        call()
