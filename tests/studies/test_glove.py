"""The study of GloVe: its probes, its fit, and its family, on counts made by hand."""

import numpy as np
import pytest
import torch

from lookback.glove import Cooccurrence, GloVe, GloVeConfig, cooccurrence
from lookback.measure import analogy_scores
from lookback.recipes.glove import cells_of
from lookback.studies.glove import (
    HALVES,
    analogies,
    by_sentence,
    by_side,
    fitted,
    largest,
    mutual,
    opposed,
    probes,
)
from lookback.text.analogies import ANALOGIES
from lookback.workshop import seeds


def full(matrix: list[list[float]]) -> Cooccurrence:
    X = np.array(matrix, dtype=float)
    i, j = X.nonzero()
    return Cooccurrence(len(X), i, j, X[i, j])


def test_probes_follow_their_rule():
    # rows x and y, and what occurs near them: the ratios are P_xk / P_yk
    words = ["x", "y", "top", "more", "high", "low", "none", "same", "odd", "few"]
    near = {  # near x, near y
        "top": (30, 0), "more": (8, 0), "high": (20, 2), "low": (3, 20),
        "none": (0, 12), "same": (25, 24), "odd": (4, 4), "few": (1, 1),
    }  # fmt: skip
    X = np.zeros((10, 10))
    for word, counts in near.items():
        X[[0, 1], words.index(word)] = X[words.index(word), [0, 1]] = counts
    found = probes(full(X.tolist()), words, "x", "y", least=3)
    ranked = [word for word, _, _ in found]
    assert ranked[:2] == ["top", "more"]  # two of ∞, the more frequent first
    assert ranked[2:] == ["none", "low"]
    total = np.array(list(near.values())).sum(axis=0)
    assert total.tolist() == [91, 63]
    for word, p, q in found:
        assert [p, q] == pytest.approx(np.array(near[word]) / total)
    assert "few" not in ranked  # occurs less than three times
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


def test_lsa_is_the_svd_of_words_by_sentences():
    rows = [[0, 1, 1], [2, 0], [3, 2, 1], [3, 3, 3]]
    A = np.zeros((4, 4))
    for d, row in enumerate(rows):
        for i in set(row):
            held = sum(i in other for other in rows)
            A[i, d] = np.log(1 + row.count(i)) * np.log(4 / held)
    U, S, _ = np.linalg.svd(A)
    wanted = U[:, :2] * np.sqrt(S[:2])
    found = by_sentence(rows, 4, 2).double().numpy()
    assert found @ found.T == pytest.approx(wanted @ wanted.T, abs=1e-5)


def test_hal_counts_both_sides_apart_and_near_words_for_more():
    found = by_side([[0, 1, 2]], 3, window=2)
    assert found.tolist() == [
        [0, 0, 0, 0, 2, 1],
        [2, 0, 0, 0, 0, 2],
        [1, 2, 0, 0, 0, 0],
    ]


def test_opposed_vectors_are_seen():
    torch.manual_seed(0)
    with_like, _ = torch.linalg.qr(torch.randn(20, 5))
    against, _ = torch.linalg.qr(torch.randn(20, 5) - with_like)
    against = torch.linalg.qr(torch.cat([with_like, against], 1))[0][:, 5:]
    w, w_tilde = torch.cat([with_like, against], 1), torch.cat([with_like, -against], 1)
    sums, differences = opposed(w, w_tilde)
    assert sums == pytest.approx([2 * 5**0.5, 0], abs=1e-3)
    assert differences == pytest.approx([0, 2 * 5**0.5], abs=1e-3)


def test_how_near_a_model_comes_to_log_x_and_what_its_biases_hold():
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
    found = fitted(model, X)
    assert found["cells"] == 36 == sum(row[1] for row in found["fit"])
    assert found["fit of all"] == pytest.approx(1, abs=1e-4)
    assert found["bias"] == pytest.approx([1, 2], abs=1e-4)
    for _, n, r, rms in found["fit"]:
        assert n > 1
        assert r == pytest.approx(1, abs=1e-3)
        assert rms < 1e-3


def test_biases_begin_where_mutual_information_has_them():
    """With w̃ᵀ w = PMI these biases make log X of it, cell by cell."""
    X = cooccurrence([[0, 1, 2, 3, 1], [2, 0, 1]], 4, 2)
    model = GloVe(GloVeConfig(m=4, x_max=10, alpha=0.5, window=2), 4)
    mutual(model, X)
    pmi = np.zeros((4, 4))
    pmi[X.i, X.j] = X.pmi()
    with torch.no_grad():
        model.w.copy_(torch.from_numpy(pmi))
        model.w_tilde.copy_(torch.eye(4))
    i, j, counts = cells_of(X)
    torch.testing.assert_close(model(i, j), counts.log(), atol=1e-5, rtol=1e-5)


def test_settings_are_chosen_on_one_half_of_the_pairs_and_reported_on_the_other():
    for kind, pairs in ANALOGIES.items():
        halves = [HALVES[half][kind] for half in ("chosen on", "reported on")]
        assert sorted([*halves[0], *halves[1]]) == sorted(pairs)
        assert not {*halves[0]} & {*halves[1]}
    words = sorted({word for pairs in ANALOGIES.values() for p in pairs for word in p})
    vectors = torch.randn(len(words), 9, generator=seeds.generator(0))
    row = analogies(words, {"one": vectors})["vectors"]["one"]
    for half, classes in HALVES.items():
        scores = analogy_scores(
            classes, words, vectors, generator=seeds.generator(1), samples=1
        )
        mean = np.mean([score.right.value for score in scores.values()])
        assert row[half] == pytest.approx(mean)
    assert row["chosen on"] != row["reported on"]
