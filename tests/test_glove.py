"""GloVe: by hand, against the reference, its own laws."""

import math
import random

import numpy as np
import pytest
import torch

from kit import close, filled, randn
from lookback.glove import (
    GloVe,
    GloVeConfig,
    cooccurrence,
    count_neighbours,
    weighted_squares,
    weighting,
)

# A text of three words, a b a c and c b, numbered 0, 1, 2. Within two words of each
# other: a·b, b·a and a·c next door, a·a and b·c two apart; in the second sentence c·b.
TEXT = [[0, 1, 0, 2], [2, 1]]
BY_HAND = [
    [2 * 1 / 2, 2, 1],  # a sees an a two places on, and is seen from there
    [2, 0, 1 / 2 + 1],
    [1, 1 / 2 + 1, 0],
]
LEFT = [[1 / 2, 1, 0], [1, 0, 1], [1, 1 / 2, 0]]  # what stands on the left of the row's

# w, w̃, b, b̃ with m = 1, and what the model takes log X for, worked out on paper.
NUMBERS = {
    "w": [[1.0], [2.0], [-1.0]],
    "w_tilde": [[0.0], [1.0], [0.5]],
    "b": [0.0, 1.0, 0.0],
    "b_tilde": [1.0, 0.0, -1.0],
}
PREDICTED = [[1, 1, -0.5], [2, 3, 1], [1, -1, -1.5]]


def config(m=1, x_max=1.5, alpha=2.0, window=2):
    return GloVeConfig(m, x_max, alpha, window)


def by_hand():
    model = GloVe(config(), 3)
    model.load_state_dict({k: torch.tensor(v) for k, v in NUMBERS.items()})
    return model


def babble(V=9, sentences=40, seed=0):
    """Sentences of all lengths from 0 to 12."""
    dice = random.Random(seed)
    lengths = [*range(13), *(dice.randrange(13) for _ in range(sentences - 13))]
    return [[dice.randrange(V) for _ in range(n)] for n in lengths]


def tensors(X):
    return torch.from_numpy(X.i), torch.from_numpy(X.j), torch.from_numpy(X.X)


def objective(model, X):
    i, j, x = tensors(X)
    return weighted_squares(model(i, j), x, model.config.x_max, model.config.alpha)


# --- by hand -------------------------------------------------------------------------


def test_counts_by_hand():
    found = cooccurrence(TEXT, 3, 2)
    assert found.dense() == pytest.approx(np.array(BY_HAND))
    assert found.V == 3
    assert list(zip(found.i.tolist(), found.j.tolist(), strict=True)) == [
        (0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)
    ]  # fmt: skip
    assert found.totals() == pytest.approx([4, 3.5, 2.5])


def test_counts_on_the_left_by_hand():
    assert cooccurrence(TEXT, 3, 2, symmetric=False).dense() == pytest.approx(
        np.array(LEFT)
    )


def test_other_weights_by_hand():
    plain = cooccurrence(TEXT, 3, 2, weight=lambda d: 1)
    assert plain.dense().tolist() == [[2, 2, 1], [2, 0, 2], [1, 2, 0]]
    assert plain.X.dtype == np.float64
    next_door = cooccurrence(TEXT, 3, 1)
    assert next_door.dense().tolist() == [[0, 2, 1], [2, 0, 1], [1, 1, 0]]
    three = cooccurrence([[0, 1, 2, 1]], 3, 3, weight={1: 100, 2: 10, 3: 1}.get)
    assert three.dense().tolist() == [[0, 101, 10], [101, 20, 200], [10, 200, 0]]


def test_the_weighting_by_hand():
    x = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 100.0])
    found = weighting(x, x_max=1.5, alpha=2)
    assert found.tolist() == pytest.approx([0, 1 / 9, 4 / 9, 1, 1, 1])
    assert weighting(torch.tensor(16.0), 256, 0.75).item() == pytest.approx(1 / 8)
    assert weighting(torch.tensor(10.0), 100, 0.75).item() == pytest.approx(10**-0.75)


def test_predictions_by_hand():
    i, j = torch.arange(3).repeat_interleave(3), torch.arange(3).repeat(3)
    found = by_hand()(i, j)
    assert found.shape == (9,)
    assert found.unflatten(0, (3, 3)).tolist() == PREDICTED


def test_the_objective_by_hand():
    # cells of 1: aa 1², ac ½², ca 1², each with f = (1 / 1.5)² = 4/9: 4/9 (1 + ¼ + 1);
    # ab, ba (X = 2) and bc, cb (X = 1.5) have f = 1
    wanted = (
        1
        + (1 - math.log(2)) ** 2
        + (2 - math.log(2)) ** 2
        + (1 - math.log(1.5)) ** 2
        + (-1 - math.log(1.5)) ** 2
    )
    found = objective(by_hand(), cooccurrence(TEXT, 3, 2))
    assert found.shape == ()
    assert found.item() == pytest.approx(wanted)


def test_mutual_information_by_hand():
    # ΣX = 10, X_a = 4, X_b = 3.5, X_c = 2.5
    wanted = {
        (0, 0): 1 * 10 / 16, (0, 1): 2 * 10 / 14, (0, 2): 1 * 10 / 10,
        (1, 2): 1.5 * 10 / 8.75,
    }  # fmt: skip
    X = cooccurrence(TEXT, 3, 2)
    found = dict(
        zip(zip(X.i.tolist(), X.j.tolist(), strict=True), X.pmi(), strict=True)
    )
    assert len(found) == 7
    for (i, j), ratio in wanted.items():
        assert found[i, j] == pytest.approx(math.log(ratio))
        assert found[j, i] == pytest.approx(math.log(ratio))


def test_the_vectors_are_sums():
    model = by_hand()
    assert model.vectors().tolist() == [[1.0], [3.0], [-0.5]]
    assert not model.vectors().requires_grad


# --- against the reference -----------------------------------------------------------


def test_estimates_and_gradients_are_those_of_whole_matrices():
    model = filled(GloVe(config(m=3), 5))
    i, j = torch.tensor([[0, 4, 4, 2, 0, 1, 4, 0], [1, 1, 0, 2, 3, 4, 1, 0]])
    every = model.w @ model.w_tilde.T + model.b[:, None] + model.b_tilde
    close(model(i, j), every[i, j])
    found, expected = (
        torch.autograd.grad((y * randn(8)).sum(), [*model.parameters()])
        for y in (model(i, j), every[i, j])
    )
    close(found, expected)


@pytest.mark.parametrize("window", [1, 4, 11, 12, 50])
def test_the_plain_counts_are_those_of_the_arrays(window):
    text = babble(seed=2)
    fast, slow = cooccurrence(text, 9, window), count_neighbours(text, window)
    places = zip(fast.i.tolist(), fast.j.tolist(), strict=True)
    assert slow == pytest.approx(dict(zip(places, fast.X, strict=True)))
    left = cooccurrence(text, 9, window, symmetric=False).dense()
    assert left + left.T == pytest.approx(fast.dense())


def test_a_large_vocabulary_is_counted_alike():
    text = [[100_000 * word for word in sentence] for sentence in babble(seed=3)]
    found = cooccurrence(text, 900_000, 4)
    small = cooccurrence(babble(seed=3), 9, 4)
    assert (found.i // 100_000).tolist() == small.i.tolist()
    assert (found.j // 100_000).tolist() == small.j.tolist()
    assert found.X.tolist() == pytest.approx(small.X.tolist())


# --- laws ----------------------------------------------------------------------------


def test_twice_the_text_twice_the_counts():
    text = babble(seed=9)
    once, twice = cooccurrence(text, 9, 3), cooccurrence(iter(text + text), 9, 3)
    assert twice.dense() == pytest.approx(2 * once.dense())
    assert twice.pmi() == pytest.approx(once.pmi())


def test_sentences_do_not_see_each_other():
    apart, whole = cooccurrence([[0, 1], [2]], 3, 2), cooccurrence([[0, 1, 2]], 3, 2)
    assert apart.dense().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert len(whole.X) == 6
    for nothing in ([], [[]], [[2]], [[], [1], []]):
        found = cooccurrence(nothing, 3, 5)
        assert found.X.shape == found.i.shape == found.j.shape == (0,)
        assert found.dense().tolist() == [[0] * 3] * 3


def test_what_a_new_model_is():
    torch.manual_seed(0)
    model = GloVe(config(m=40), 500)
    sizes = {name: tuple(p.shape) for name, p in model.named_parameters()}
    assert sizes == {
        "w": (500, 40), "w_tilde": (500, 40), "b": (500,), "b_tilde": (500,)
    }  # fmt: skip
    for parameter in model.parameters():
        assert 0.98 / 80 < parameter.abs().max() <= 1 / 80
        assert abs(parameter.mean()) < 0.1 / 80
    assert not torch.equal(model.w, model.w_tilde)
    assert not torch.equal(model.b, model.b_tilde)
