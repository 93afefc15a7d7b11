"""Counting n-grams: by hand, against the reference, its own laws."""

import math
import random
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
import torch
from nltk.lm import MLE, KneserNeyInterpolated, Lidstone, Vocabulary

from kit import generator
from lookback.ngram import (
    FALLBACK,
    AddK,
    JelinekMercer,
    KneserNey,
    MaximumLikelihood,
    NgramModel,
    OneDiscount,
    ngrams,
)

# Three sentences that are counted on paper in this file.
# pairs: <s> a 3, a b 2, a c 1, b </s> 2, c </s> 1;  words: a 3, b 2, c 1, </s> 3
ABC = [["a", "b"], ["a", "c"], ["a", "b"]]
ABC_WORDS = ["</s>", "a", "b", "c"]


def scores(model, context):
    """P(w | context) for each word of ABC."""
    return [model.score(word, context) for word in ABC_WORDS]


def babble(sentences, words=30, seed=0):
    """Sentences of w0, w1, …: the n-th word is drawn n + 1 times less often than w0."""
    dice, names = random.Random(seed), [f"w{i}" for i in range(words)]
    odds = [1 / (i + 1) for i in range(words)]
    return [
        ["w0", *dice.choices(names, odds, k=dice.randrange(6))]
        for _ in range(sentences)
    ]


# --- by hand -------------------------------------------------------------------------


def test_ngrams_are_padded_in_front_and_end_in_a_word_or_the_end():
    assert list(ngrams(["a", "b"], 1)) == [("a",), ("b",), ("</s>",)]
    assert list(ngrams(["a"], 3)) == [("<s>", "<s>", "a"), ("<s>", "a", "</s>")]
    assert list(ngrams([], 2)) == [("<s>", "</s>")]


def test_counts_by_hand():
    counts = NgramModel(2).fit(ABC).counts
    pairs = {"<s> a": 3, "a b": 2, "a c": 1, "b </s>": 2, "c </s>": 1}
    singles = {"a": 3, "b": 2, "c": 1, "</s>": 3}
    assert counts.count == {tuple(k.split()): c for k, c in (pairs | singles).items()}
    assert counts.total == {(): 9, ("<s>",): 3, ("a",): 3, ("b",): 2, ("c",): 1}
    assert counts.vocab == {"a", "b", "c", "</s>"}


def test_maximum_likelihood_by_hand():
    model = NgramModel(2, MaximumLikelihood()).fit(ABC)
    assert scores(model, ["a"]) == [0, 0, 2 / 3, 1 / 3]
    assert scores(model, []) == [3 / 9, 3 / 9, 2 / 9, 1 / 9]
    assert scores(model, ["<s>"]) == [0, 1, 0, 0]
    assert scores(model, ["z"]) == [0, 0, 0, 0]


def test_add_k_by_hand():
    model = NgramModel(2, AddK(0.5)).fit(ABC)  # 3 + 4 × ½ = 5 behind a
    assert scores(model, ["a"]) == [0.5 / 5, 0.5 / 5, 2.5 / 5, 1.5 / 5]
    assert scores(model, []) == [3.5 / 11, 3.5 / 11, 2.5 / 11, 1.5 / 11]
    assert scores(model, ["z"]) == [1 / 4] * 4
    assert NgramModel(1, AddK()).fit(ABC).score("c") == 2 / 13


def test_jelinek_mercer_by_hand():
    model = NgramModel(2, JelinekMercer((0.25, 0.75))).fit(ABC)
    by_hand = [
        Fraction(1, 4) * Fraction(3, 9),
        Fraction(1, 4) * Fraction(3, 9),
        Fraction(1, 4) * Fraction(2, 9) + Fraction(3, 4) * Fraction(2, 3),
        Fraction(1, 4) * Fraction(1, 9) + Fraction(3, 4) * Fraction(1, 3),
    ]
    assert scores(model, ["a"]) == pytest.approx([float(p) for p in by_hand])
    singles = pytest.approx([3 / 9, 3 / 9, 2 / 9, 1 / 9])
    assert scores(model, ["z"]) == singles  # never seen: the words alone
    assert scores(model, []) == singles  # not given: the words alone


def test_jelinek_mercer_repeats_the_longest_context_that_it_knows():
    model = NgramModel(3, JelinekMercer((0.5, 0.3, 0.2))).fit(ABC)
    # (c, a) was never seen, (a) was: ½ · 2/9 + 0.3 · 2/3 + 0.2 · 2/3
    assert model.score("b", ["c", "a"]) == pytest.approx(1 / 9 + 0.5 * 2 / 3)
    assert model.score("b", ["<s>", "a"]) == pytest.approx(1 / 9 + 0.5 * 2 / 3)


def test_one_step_of_expectation_maximisation_by_hand():
    # Held out: "c". Its n-grams are (<s> c), worth 1/9 as a word and 0 as a pair,
    # and (c </s>), worth 3/9 and 1. From ½, ½ the credit for the words alone is
    # 1 for the first, 1/3 / (1/3 + 1) = 1/4 for the second: 5/8 on average.
    smoothing = JelinekMercer.estimate(2, ABC, [["c"]], steps=1)
    assert smoothing.lambdas == pytest.approx((5 / 8, 3 / 8))
    assert JelinekMercer.estimate(4, ABC, [["c"]], steps=0).lambdas == (0.25,) * 4


def test_kneser_ney_by_hand():
    # Words before a: <s>; before b: a; before c: a; before </s>: b and c. Five pairs.
    # Each of the four words gives up ½, and the uniform 1/4 of these 2 gives it back.
    model = NgramModel(2, KneserNey(0.5)).fit(ABC)
    assert scores(model, []) == pytest.approx([2 / 5, 1 / 5, 1 / 5, 1 / 5])
    # behind a: b and c give up ½ each, 1 in all: (2 - ½ + 1/5) / 3 for b
    assert scores(model, ["a"]) == pytest.approx([2 / 15, 1 / 15, 17 / 30, 7 / 30])
    assert scores(model, ["z"]) == pytest.approx([2 / 5, 1 / 5, 1 / 5, 1 / 5])
    assert model.counts.discounts == {1: (0, 0.5, 0.5, 0.5), 2: (0, 0.5, 0.5, 0.5)}
    assert model.counts.freed == {
        (): 2, ("<s>",): 0.5, ("a",): 1, ("b",): 0.5, ("c",): 0.5
    }  # fmt: skip


def test_the_one_discount_by_hand():
    ten = [
        s.split() for s in ("San Francisco",) * 3 + ("new glasses", "reading glasses")
    ]
    model = NgramModel(2, OneDiscount()).fit(ten)
    assert model.counts.discounts[2] == (0, 2 / 3, 2 / 3, 2 / 3)  # n_1 = 4, n_2 = 1
    assert model.score("San", ["<s>"]) == pytest.approx(31 / 60)
    assert model.score("glasses", ["<s>"]) == pytest.approx(6 / 60)
    twice = NgramModel(1, OneDiscount()).fit([[*"xyppqq"]])  # n_1 = 3, n_2 = 2, n_3 = 0
    assert twice.counts.discounts[1][1] == 3 / 7
    same = NgramModel(2, OneDiscount()).fit([["a"], ["a"], ["a"]])
    assert same.counts.discounts[2][1] == 0.75  # nothing occurs once


def test_modified_discounts_by_hand():
    # n1 = 4 (x, y, z, </s>), n2 = 2 (p, q), n3 = 1 (r), n4 = 1 (t): Y = 4 / 8
    # D1 = 1 - 2·½·2/4, D2 = 2 - 3·½·1/2, D3+ = 3 - 4·½·1/1;  15 tokens
    # given up: 4·½ + 2·5/4 + 1 + 1 = 13/2, of which each of 8 words gets 13/16
    model = NgramModel(1, KneserNey()).fit([[*"xyzppqqrrrtttt"]])
    assert model.counts.discounts == {1: (0, 0.5, 1.25, 1)}
    assert model.score("x") == pytest.approx((1 / 2 + 13 / 16) / 15)
    assert model.score("p") == pytest.approx((3 / 4 + 13 / 16) / 15)
    assert model.score("r") == pytest.approx((2 + 13 / 16) / 15)
    assert model.score("t") == pytest.approx((3 + 13 / 16) / 15)


def level(n1, n2, n3, n4, n5=0):
    """N-grams of which n1 occur once, n2 twice, and so on."""
    sizes = enumerate((n1, n2, n3, n4, n5), start=1)
    return Counter({(f"{r}-{i}",): r for r, n in sizes for i in range(n)})


@pytest.mark.parametrize(
    "sizes",
    [
        (0, 2, 1, 1),  # a gap: nothing occurs once, twice, …
        (4, 0, 1, 1),
        (4, 2, 0, 1),
        (4, 2, 1, 0),
        (4, 2, 3, 1),  # D2 = 2 - 3 · ½ · 3/2 < 0
        (4, 2, 1, 2),  # D3 = 3 - 4 · ½ · 2/1 < 0
        (6, 3, 4, 1),  # D2 = 2 - 3 · ½ · 4/3 = 0
    ],
)
def test_discounts_fall_back_where_counts_of_counts_fail(sizes):
    assert KneserNey().discounts(level(*sizes)) == FALLBACK == (0, 0.5, 1, 1.5)


def test_entropy_and_perplexity_by_hand():
    model = NgramModel(2, MaximumLikelihood()).fit(ABC)
    # a b: 1 · 2/3 · 1;  a c: 1 · 1/3 · 1, six tokens with their ends
    bits = (math.log2(3 / 2) + math.log2(3)) / 6
    assert model.entropy([["a", "b"], ["a", "c"]]) == pytest.approx(bits)
    assert model.perplexity([["a", "b"], ["a", "c"]]) == pytest.approx(2**bits)
    assert model.logscore("c", ["a"]) == pytest.approx(-math.log2(3))
    assert type(model.entropy(ABC)) is type(model.perplexity(ABC)) is float


def test_an_impossible_sentence_is_infinitely_surprising():
    model = NgramModel(2, MaximumLikelihood()).fit(ABC)
    assert model.logscore("a", ["a"]) == -math.inf
    assert model.entropy([["a", "a"]]) == math.inf
    assert model.perplexity([["a", "a"]]) == math.inf


# --- against the reference -----------------------------------------------------------


class Predicted(Vocabulary):
    """NLTK counts <s> as a word that might come next; we do not."""

    def __len__(self):
        return super().__len__() - 1


def nltk_fitted(model, text, order):
    """NLTK's model, given the n-grams that ours counts: none that ends in <s>."""
    words = {word for sentence in text for word in sentence} - {"<unk>"}
    model.vocab = Predicted([*words, "<s>", "</s>"], unk_cutoff=1, unk_label="<unk>")
    model.fit([[g for n in range(1, order + 1) for g in ngrams(s, n)] for s in text])
    return model


@pytest.mark.parametrize(
    ("smoothing", "theirs", "orders"),
    [
        (MaximumLikelihood(), MLE, (1, 2, 3, 4)),
        (AddK(0.3), partial(Lidstone, 0.3), (1, 2, 3, 4)),
        (KneserNey(0.1), KneserNeyInterpolated, (2, 3, 4)),  # theirs needs pairs
        (KneserNey(0.75), partial(KneserNeyInterpolated, discount=0.75), (2, 3)),
    ],
    ids=["MLE", "Lidstone", "Kneser-Ney 0.1", "Kneser-Ney 0.75"],
)
def test_scores_equal_nltk(smoothing, theirs, orders):
    text = [["<unk>", "w1"], *babble(15, words=8, seed=3)]
    for order in orders:
        model = NgramModel(order, smoothing).fit(text)
        nltk = nltk_fitted(theirs(order), text, order)
        seen = {g[k:-1] for s in text for g in ngrams(s, order) for k in range(order)}
        unseen = {("w7",) * (order - 1), ("unheard-of",) * (order - 1)}
        words = ["</s>", "w0", "w7", "<unk>", "unheard-of"]
        for context, word in product(seen | unseen, words):
            expected = nltk.score(word, list(context))
            assert model.score(word, context) == pytest.approx(expected, rel=1e-12)


def test_perplexity_equals_nltk():
    text, other = babble(40, seed=3), babble(10, seed=4)
    model = NgramModel(3, AddK(0.3)).fit([["<unk>"], *text])
    nltk = nltk_fitted(Lidstone(0.3, 3), [["<unk>"], *text], 3)
    theirs = nltk.perplexity([g for s in other for g in ngrams(s, 3)])
    assert model.perplexity(other) == pytest.approx(theirs)


# --- laws ----------------------------------------------------------------------------

SMOOTHINGS = [AddK(0.01), JelinekMercer((0.2, 0.3, 0.5)), KneserNey(), KneserNey(0.4)]


@pytest.mark.parametrize("smoothing", SMOOTHINGS, ids=str)
@pytest.mark.parametrize("text", [babble(80, seed=7), ABC], ids=["babble", "abc"])
def test_probabilities_sum_to_one_behind_every_context(smoothing, text):
    model = NgramModel(3, smoothing).fit(text)
    seen = {g[k:-1] for s in text for g in ngrams(s, 3) for k in range(3)}
    unseen = {("w9", "?"), ("?", "w9"), ("?",), ("</s>", "w0"), ("w0", "<s>")}
    longer = {("w0", "w1", "w0", "w0"), ("<s>", "<s>", "<s>", "w0")}
    for context in seen | unseen | longer:
        total = math.fsum(model.score(w, context) for w in model.counts.vocab)
        assert total == pytest.approx(1, abs=1e-12)


def test_only_the_last_words_of_a_context_count():
    model = NgramModel(3, KneserNey()).fit(babble(30, seed=10))
    assert model.score("w0", ["w2", "w0", "w1"]) == model.score("w0", ["w0", "w1"])
    assert model.score("w0", None) == model.score("w0", ()) == model.score("w0")
    assert NgramModel(1).fit(ABC).score("a", ["b"]) == 3 / 9


def test_unknown_words_are_read_as_unk_if_the_text_holds_it():
    model = NgramModel(2, KneserNey()).fit([*ABC, ["a", "<unk>", "b"]])
    assert model.score("new", ["a"]) == model.score("<unk>", ["a"]) > 0
    assert model.score("b", ["new"]) == model.score("b", ["<unk>"])
    assert model.score("a", ["<s>"]) > model.score("a", ["<unk>"])  # <s> is known
    assert model.entropy([["a", "new"]]) == model.entropy([["a", "<unk>"]])
    assert list(model.ngrams([["new"]])) == [("<s>", "<unk>"), ("<unk>", "</s>")]
    model = NgramModel(2, KneserNey()).fit(ABC)
    assert list(model.ngrams([["new"]])) == [("<s>", "new"), ("new", "</s>")]


@pytest.mark.parametrize("smoothing", [MaximumLikelihood(), *SMOOTHINGS], ids=str)
def test_without_unk_unknown_words_are_impossible(smoothing):
    model = NgramModel(3, smoothing).fit(ABC)
    for context in ["a", "b"], ["<s>", "a"], ["a"], []:
        assert model.score("new", context) == 0
        assert model.score("<s>", context) == 0
    assert model.perplexity([["a", "new"]]) == math.inf


def test_unknown_held_out_words_do_not_disturb_the_estimate():
    # (<s> c) credits the words alone; (c </s>) 1/3, 1 and, (<s> c) being new, 1 again;
    # (<s> z) is left out; (z </s>), z being unknown, credits all lengths alike
    found = JelinekMercer.estimate(3, ABC, [["c"], ["z"]], steps=1)
    longer = (3 / 7 + 1 / 3) / 3
    by_hand = ((1 + 1 / 7 + 1 / 3) / 3, longer, longer)
    assert found.lambdas == pytest.approx(by_hand)


def test_the_estimate_takes_fifty_steps():
    given = 3, babble(30, words=8, seed=5), babble(20, words=8, seed=6)
    found = [JelinekMercer.estimate(*given, steps=n).lambdas for n in (49, 50, 51)]
    assert JelinekMercer.estimate(*given).lambdas == found[1]
    assert len({*found}) == 3


def test_generate_begins_where_it_is_told_to():
    sure = NgramModel(3, MaximumLikelihood()).fit([["a", "b", "c"], ["d"] * 5])
    assert sure.generate(5, ["a"], generator=generator(3))[:3] == ["b", "c", "</s>"]
    assert sure.generate(2, ["q", "a", "b"], generator=generator(3)) == ["c", "</s>"]
    long = NgramModel(4, MaximumLikelihood()).fit([["a", "b", "c", "d", "e"]])
    again = ["a", "b", "c", "d", "e", "</s>"] * 6  # by chance once in 8 000 seeds
    assert long.generate(36, generator=generator(0)) == again


def cumulative(model, context):
    """The words in order, and the sums of their probabilities up to each."""
    words = sorted(model.counts.vocab)
    return words, np.cumsum([model.score(word, context) for word in words])


def test_generate_takes_the_word_that_chance_points_at():
    model = NgramModel(2, KneserNey(0.5)).fit(babble(30, seed=17))
    words, sums = cumulative(model, ["<s>"])
    for seed in range(100):
        point = torch.rand((), generator=generator(seed), dtype=torch.float64).item()
        expected = next(w for w, p in zip(words, sums, strict=True) if p > point)
        assert model.generate(1, generator=generator(seed)) == [expected]


def test_generate_can_bear_the_least_and_the_greatest_chance(monkeypatch):
    def rand(size, *, generator, dtype):
        assert (size, dtype) == ((), torch.float64)  # fine enough for rare words
        return torch.tensor(point, dtype=dtype)

    monkeypatch.setattr(torch, "rand", rand)
    point = 0.0
    model = NgramModel(2).fit(ABC)
    assert model.generate() == ["a"]  # </s> comes first, but has probability 0
    point = greatest = 1 - 2**-53
    text = babble(30, seed=18)
    models = [NgramModel(2, AddK(k / 10)).fit(text) for k in range(1, 30)]
    ends = [(model, *cumulative(model, ["<s>"])) for model in models]
    short = [(model, words) for model, words, p in ends if p[-1] < greatest]
    assert short  # rounding left some sums below the greatest chance
    assert all(model.generate() == words[-1:] for model, words in short)


def test_generate_looks_less_far_back_where_maximum_likelihood_is_at_a_loss():
    model = NgramModel(4, MaximumLikelihood()).fit([["a", "b", "c"], ["x", "b", "y"]])
    assert model.generate(1, ["c", "c", "a"], generator=generator(0)) == ["b"]
    assert model.generate(1, ["y", "a", "b"], generator=generator(0)) == ["c"]
    assert model.generate(1, ["q"] * 3, generator=generator(0))[0] in model.counts.vocab


def test_generate_reads_unknown_words_of_the_seed_as_unk():
    model = NgramModel(2).fit([["<unk>", "b"], ["c", "d"]])
    assert model.generate(1, ["new"], generator=generator(0)) == ["b"]


def test_words_of_numpy_are_words():
    model = NgramModel(2).fit([np.array(["a", "b"]), [np.str_("c"), "d"]])
    assert model.score(np.str_("b"), ["a"]) == 1
