"""The neural language model: by hand, against the reference, its own laws."""

import math

import pytest
import torch
from torch import nn
from torch.nn.functional import embedding, linear

from kit import close, filled, randint, randn
from lookback.nplm import NPLM, NPLMConfig, contexts, nearest, uniform

V, N, H = 7, 4, 5  # every axis has another size; n - 1 = 3 words are looked at
B, T = 2, 6
DIRECT = NPLMConfig(n=N, m=2, h=H, direct=True)
PLAIN = NPLMConfig(n=N, m=2, h=H, direct=False)
BOTH = pytest.mark.parametrize("config", [DIRECT, PLAIN], ids=["direct", "plain"])


def model(config):
    return filled(NPLM(config, V))


# --- by hand -------------------------------------------------------------------------


def test_equation_1_on_paper():
    """Two words before, vectors of one number, one hidden unit, three words."""
    made = NPLM(NPLMConfig(n=3, m=1, h=1, direct=True), 3).double()
    given = {
        "C": [[2.0], [-1.0], [0.5]],
        "H": [[1.0, 3.0]],
        "d": [0.5],
        "U": [[2.0], [0.0], [-4.0]],
        "W": [[1.0, 0.0], [0.0, 10.0], [100.0, 1.0]],
        "b": [0.1, 0.2, 0.3],
    }
    made.load_state_dict({k: torch.tensor(v).double() for k, v in given.items()})
    # the nearest word is 0, the one before it 2: x = (2, 0.5)
    a = math.tanh(0.5 + 1 * 2 + 3 * 0.5)
    by_hand = [0.1 + 2 * a + 2, 0.2 + 5, 0.3 - 4 * a + 200.5]
    assert made(torch.tensor([0, 2])).tolist() == pytest.approx(by_hand)


def test_contexts_are_the_words_before_the_nearest_first():
    ids = torch.tensor([[9, 1, 2, 3]])
    assert contexts(ids, 4).tolist() == [[[9, 9, 9], [1, 9, 9], [2, 1, 9], [3, 2, 1]]]
    assert contexts(ids, 2).tolist() == [[[9], [1], [2], [3]]]
    assert contexts(ids[0], 3).tolist() == [[9, 9], [1, 9], [2, 1], [3, 2]]
    assert contexts(torch.tensor([9]), 6).tolist() == [[9] * 5]


def test_nearest_by_hand():
    words = ["north", "east", "north-east", "south", "far-north"]
    vectors = torch.tensor([[0, 1], [2, 0], [1, 1], [0, -3], [0.1, 40]])
    found = nearest("north", words, vectors, k=4)
    assert [word for word, _ in found] == ["far-north", "north-east", "east", "south"]
    cosines = [40 / math.hypot(0.1, 40), math.sqrt(0.5), 0, -1]
    assert [c for _, c in found] == pytest.approx(cosines, abs=1e-6)
    assert nearest("south", words, vectors, k=1) == [("east", pytest.approx(0))]


def test_nearest_gives_five_and_never_the_word_itself():
    words = [f"w{i}" for i in range(9)]
    same = torch.ones(9, 2)  # all as near as can be: the word itself among them
    assert len(nearest("w3", words, same)) == 5
    assert "w3" not in dict(nearest("w3", words, same, k=8))


def test_the_papers_formula_by_hand():
    # MLP1 of table 1, |V| = 16 383: 16 383 · (1 + 5 · 60 + 50) + 50 · (1 + 4 · 60)
    assert NPLMConfig(n=5, m=60, h=50, direct=True).parameters(16_383) == 5_762_483


# --- against the reference -----------------------------------------------------------


def reference(p, context):
    """The same from torch's own functions, on the parameters of ours."""
    x = embedding(context, p.C).flatten(-2)
    y = linear(torch.tanh(linear(x, p.H, p.d)), p.U, p.b)
    return y if p.W is None else y + linear(x, p.W)


@BOTH
def test_outputs_and_gradients_equal_those_of_torchs_functions(config):
    ours, context, pull = model(config), randint(V, B, T, N - 1), randn(B, T, V)
    mine, theirs = ours(context), reference(ours, context)
    close(mine, theirs)
    found, expected = (
        torch.autograd.grad((y * pull).sum(), [*ours.parameters()])
        for y in (mine, theirs)
    )
    close(found, expected)
    assert all(grad.any() for grad in found)


# --- laws ----------------------------------------------------------------------------


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize(("n", "m", "h", "size"), [(2, 1, 3, 5), (4, 3, 2, 11)])
def test_the_papers_formula_counts_what_is_there(direct, n, m, h, size):
    config = NPLMConfig(n, m, h, direct)
    there = sum(parameter.numel() for parameter in NPLM(config, size).parameters())
    # |V| (1 + nm + h) + h (1 + (n - 1) m), as it is printed, and without W
    printed = size * (1 + n * m + h) + h * (1 + (n - 1) * m)
    without = printed - size * (n - 1) * m
    assert there == config.parameters(size) == (printed if direct else without)


def test_without_hidden_units_the_scores_are_linear_in_the_vectors():
    ours = model(NPLMConfig(n=3, m=2, h=0, direct=True))
    context = torch.tensor([2, 6])
    x = torch.cat([ours.C[2], ours.C[6]])
    torch.testing.assert_close(ours(context), ours.b + ours.W @ x)


def test_biases_begin_at_zero_and_weights_small():
    with torch.random.fork_rng():
        torch.manual_seed(3)
        ours = NPLM(NPLMConfig(n=5, m=30, h=50, direct=True), 1000)
    assert not ours.b.any() and not ours.d.any()
    context, target = randint(1000, 400, 4), randint(1000, 400, seed=2)
    loss = nn.functional.cross_entropy(ours(context), target).item()
    assert loss == pytest.approx(math.log(1000), abs=0.15)


def test_weights_are_drawn_evenly_between_two_bounds():
    with torch.random.fork_rng():
        torch.manual_seed(4)
        weights = uniform(300, 25)
    assert weights.shape == (300, 25)
    assert 0.199 < weights.max() <= 0.2
    assert -0.2 <= weights.min() < -0.199
    assert weights.mean().item() == pytest.approx(0, abs=0.01)
    assert weights.std().item() == pytest.approx(0.2 / math.sqrt(3), rel=0.03)
    assert uniform(4, 0).shape == (4, 0)
