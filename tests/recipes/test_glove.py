"""GloVe in the workshop: what it counts, how it is trained, and its study."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from lookback.workshop.factorising import MAKER, cells_of
from lookback.workshop.makers import MAKERS, Bench
from lookback.workshop.ranks import Ranks
from lookback.workshop.recipes import Budget, Data, Optimiser, Recipe
from lookback.workshop.resemblance import largest, learnt, opposed, probes

from lookback.glove import Cooccurrence, GloVe, GloVeConfig, cooccurrence
from lookback.text.corpora import Corpus
from lookback.workshop import RECIPES, STUDIES, resemblance

TRAIN = ["a b c d", "b a d", "c b a", "a b c d", "d rare b", "c d a b c"]
HELD_OUT = ["a b d", "b c"]
CORPUS = Corpus(
    "t", "1", 1, tuple(tuple(s.split()) for s in TRAIN),
    tuple(tuple(s.split()) for s in HELD_OUT), (), (), {},
)  # fmt: skip
RECIPE = Recipe(
    Data("t", min_count=2), 3, GloVeConfig(m=3, x_max=2, alpha=0.75, window=2),
    Optimiser("adagrad", 0.1), Budget(steps=60, tokens=5, evaluate_every=20),
)  # fmt: skip
WORDS = ("b", "a", "c", "d")  # the most frequent first; rare stands there once


def followed(tmp_path: Path, recipe: Recipe = RECIPE):
    bench = Bench(torch.device("cpu"), tmp_path / "state", Ranks(), False)
    return MAKER.train(recipe, CORPUS, bench)


def vocabularies():
    return MAKER.vocabularies(RECIPE, CORPUS)


def test_its_counts_are_those_of_each_sentence_once():
    words = vocabularies()
    assert words["words"].entries[4:] == WORDS
    number = {word: n for n, word in enumerate(WORDS)}
    once = [s.split() for s in dict.fromkeys(TRAIN)]  # a b c d stands there twice
    text = [[number[w] for w in s if w in number] for s in once]  # d b, next door
    found = MAKER.counts(RECIPE, words, CORPUS, "train")
    assert np.array_equal(found.dense(), cooccurrence(text, 4, 2).dense())
    held_out = MAKER.counts(RECIPE, words, CORPUS, "validation")
    assert held_out.X.sum() == 2 * (2 + 1 / 2 + 1)


def test_an_epoch_holds_each_cell_once_in_another_order():
    words, X = vocabularies(), MAKER.counts(RECIPE, vocabularies(), CORPUS, "train")
    chance = torch.Generator().manual_seed(0)
    batches = MAKER.batches(RECIPE, words, CORPUS, "train", chance)
    wanted = sorted(zip(X.i.tolist(), X.j.tolist(), X.X.tolist(), strict=True))
    orders = []
    for _ in range(2):
        epoch = list(batches)
        assert {len(i) for i, _, _ in epoch[:-1]} == {5}
        i, j, x = (torch.cat(parts).tolist() for parts in zip(*epoch, strict=True))
        cells = list(zip(i, j, x, strict=True))
        assert [c[:2] for c in sorted(cells)] == [c[:2] for c in wanted]
        assert sorted(x) == pytest.approx(sorted(X.X))
        orders.append(cells)
    assert orders[0] != orders[1]
    ((i, j, x),) = MAKER.batches(RECIPE, words, CORPUS, "validation", chance)
    assert (len(i), len(j), x.dtype) == (len(x), len(x), torch.float32)


def test_the_loss_is_the_papers():
    torch.manual_seed(0)
    model = MAKER.module(RECIPE.model, vocabularies())
    X = MAKER.counts(RECIPE, vocabularies(), CORPUS, "train")
    found, cells = MAKER.loss(model, cells_of(X))
    wanted = 0.0
    for i, j, x in zip(X.i, X.j, X.X, strict=True):
        said = model.w[i] @ model.w_tilde[j] + model.b[i] + model.b_tilde[j]
        wanted += min(1, x / 2) ** 0.75 * (said.item() - math.log(x)) ** 2
    assert found.item() == pytest.approx(wanted, rel=1e-5)
    assert cells == len(X.X)


def test_validation_asks_how_likely_the_neighbours_are():
    torch.manual_seed(1)
    model = MAKER.module(RECIPE.model, vocabularies())
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_()
    batches = MAKER.batches(
        RECIPE, vocabularies(), CORPUS, "validation", torch.Generator()
    )
    price = near = 0.0
    for i, j, X in batches:
        for one, other, x in zip(i, j, X, strict=True):
            scores = [
                math.exp((model.w[one] @ model.w_tilde[k] + model.b_tilde[k]).item())
                for k in range(4)
            ]
            price -= x.item() * math.log(scores[other] / sum(scores))
            near += x.item()
    assert MAKER.mean_loss(model, batches) == pytest.approx(price / near, rel=1e-5)
    with pytest.raises(ValueError, match="there is nothing to measure the loss on"):
        MAKER.mean_loss(model, [])


def test_training_repeats_and_brings_the_model_nearer(tmp_path: Path):
    first = followed(tmp_path / "one")
    again = followed(tmp_path / "two")
    for one, two in zip(
        first.model.parameters(), again.model.parameters(), strict=True
    ):
        assert torch.equal(one, two)
    other = followed(tmp_path / "three", replace(RECIPE, seed=4))
    assert not torch.equal(first.model.w, other.model.w)
    X = cells_of(MAKER.counts(RECIPE, first.vocabularies, CORPUS, "train"))
    torch.manual_seed(3)
    untrained = MAKER.module(RECIPE.model, first.vocabularies)
    assert MAKER.loss(first.model, X)[0] < 0.3 * MAKER.loss(untrained, X)[0]


def test_a_model_goes_through_tensors_and_back(tmp_path: Path):
    made = followed(tmp_path)
    tensors = MAKER.tensors(made.model, made.vocabularies)
    again = MAKER.build(RECIPE, tensors, made.vocabularies)
    both = torch.cat([made.model.w, made.model.w_tilde], dim=1)
    assert torch.equal(MAKER.vectors(again), both)
    assert MAKER.parameters(again) == 2 * 4 * (3 + 1)
    with pytest.raises(ValueError, match="w_tilde"):
        wrong = {**tensors, "w_tilde": torch.zeros(4, 9)}
        MAKER.build(RECIPE, wrong, made.vocabularies)


def test_the_recipes_read_what_word2vec_reads():
    for ours, theirs in (
        ("glove", "word2vec"),
        ("glove-tatoeba", "word2vec-tatoeba"),
    ):
        assert RECIPES[ours].data == RECIPES[theirs].data
        assert RECIPES[ours].model.window == RECIPES[theirs].model.window
        assert MAKERS[type(RECIPES[ours].model)] is MAKER
    assert resemblance.REAL.model.m == RECIPES["word2vec-tatoeba"].model.m
    assert RECIPES["glove"].model.m == RECIPES["word2vec"].model.m


# --- the study -----------------------------------------------------------------------


def full(matrix: list[list[float]]) -> Cooccurrence:
    X = np.array(matrix, dtype=float)
    i, j = X.nonzero()
    return Cooccurrence(len(X), i, j, X[i, j])


def test_probes_follow_their_rule():
    # rows x and y, and what is met near them: the ratios are P_xk / P_yk
    words = ["x", "y", "top", "more", "high", "low", "none", "same", "odd", "few"]
    met = {  # near x, near y
        "top": (30, 0), "more": (8, 0), "high": (20, 2), "low": (3, 20),
        "none": (0, 12), "same": (25, 24), "odd": (4, 4), "few": (1, 1),
    }  # fmt: skip
    X = np.zeros((10, 10))
    for word, counts in met.items():
        X[[0, 1], words.index(word)] = X[words.index(word), [0, 1]] = counts
    found = probes(full(X.tolist()), words, "x", "y", least=3)
    ranked = [word for word, _, _ in found]
    assert ranked[:2] == ["top", "more"]  # two of ∞, the more frequent first
    assert ranked[2:] == ["none", "low"]
    total = np.array(list(met.values())).sum(axis=0)
    assert total.tolist() == [91, 63]
    for word, p, q in found:
        assert [p, q] == pytest.approx(np.array(met[word]) / total)
    assert "few" not in ranked  # met less than three times
    # 4/91 : 4/63 = 0.69 and 25/91 : 24/63 = 0.72: none is near 1
    with pytest.raises(ValueError, match="z"):
        probes(full(X.tolist()), words, "x", "z")


def test_even_probes_are_the_most_and_the_least_frequent():
    n = 12
    X = np.zeros((n, n))
    X[0, 2:] = X[2:, 0] = X[1, 2:] = X[2:, 1] = np.arange(3, 13)
    words = [f"w{k}" for k in range(n)]
    ranked = [word for word, _, _ in probes(full(X.tolist()), words, "w0", "w1")]
    assert ranked[4:6] == ["w11", "w10"]
    assert ranked[6:] == ["w3", "w2"]


def test_the_largest_dimensions_are_those_of_numpy():
    dice = np.random.default_rng(0)
    text = [dice.integers(0, 9, size=8).tolist() for _ in range(30)]
    X = cooccurrence(text, 9, 2)
    positive = np.zeros((9, 9))
    positive[X.i, X.j] = np.maximum(X.pmi(), 0)
    U, S, _ = np.linalg.svd(positive)
    wanted = U[:, :4] * np.sqrt(S[:4])
    found = largest(X, 4).double().numpy()
    assert found.shape == (9, 4)
    assert found @ found.T == pytest.approx(wanted @ wanted.T, abs=1e-5)


def test_opposed_vectors_are_seen():
    torch.manual_seed(0)
    with_like, _ = torch.linalg.qr(torch.randn(20, 5))
    against, _ = torch.linalg.qr(torch.randn(20, 5) - with_like)
    against = torch.linalg.qr(torch.cat([with_like, against], 1))[0][:, 5:]
    w, w_tilde = torch.cat([with_like, against], 1), torch.cat([with_like, -against], 1)
    sums, differences = opposed(w, w_tilde)
    assert sums == pytest.approx([2 * 5**0.5, 0], abs=1e-3)
    assert differences == pytest.approx([0, 2 * 5**0.5], abs=1e-3)


def test_what_a_model_learnt():
    dice = np.random.default_rng(1)
    text = [dice.integers(0, 6, size=9).tolist() for _ in range(90)]
    X = cooccurrence(text, 6, 3)
    model = GloVe(GloVeConfig(m=6, x_max=10, alpha=0.5, window=3), 6)
    with torch.no_grad():  # an exact factorisation: w̃ = 1, w = log X - b
        often = torch.from_numpy(np.log(X.totals())).float()
        model.b.copy_(often), model.b_tilde.copy_(often)
        model.w_tilde.copy_(torch.eye(6))
        logs = torch.from_numpy(np.log(X.dense())).float()
        model.w.copy_(logs - often[:, None] - often[None])
    found = learnt(model, X)
    assert found["cells"] == 36 == sum(row[1] for row in found["fit"])
    assert found["fit of all"] == pytest.approx(1, abs=1e-4)
    assert found["bias"] == pytest.approx([1, 2], abs=1e-4)
    for _, n, r, rms in found["fit"]:
        assert n > 1
        assert r == pytest.approx(1, abs=1e-3)
        assert rms < 1e-3


def test_the_study_has_a_case_that_is_quick():
    study = STUDIES["glove"]
    row = study.measure(study.cases[study.check])
    assert row["cells"] == sum(fit[1] for fit in row["fit"])
    assert 0 < row["fit of all"] < 1
    assert "vectors" not in row
