"""The neural language model: by hand, against the reference, laws, refusals.

Tried on it, each killed here: every term of equation 1 left out, negated or taken from
its neighbour; tanh left out or put around all; b, d, W, U, H, C frozen or shared; the
order of the context reversed; windows one place off, or padded with something else
than <s>; every sign and size of the formula; cosine without one of its two lengths.
"""

import itertools
import math
import re
from dataclasses import FrozenInstanceError
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from lookback.nplm import NPLM, NPLMConfig, contexts, nearest, uniform

pair = partial(zip, strict=True)

V, N, H = 7, 4, 5  # every axis has another size; n - 1 = 3 words are looked at
B, T = 2, 6
DIRECT = NPLMConfig(n=N, m=2, h=H, direct=True)
PLAIN = NPLMConfig(n=N, m=2, h=H, direct=False)
BOTH = pytest.mark.parametrize("config", [DIRECT, PLAIN], ids=["direct", "plain"])


def model(config, size=V, seed=0):
    """A model whose every number counts: the biases are not 0 either."""
    state = torch.get_rng_state()
    torch.manual_seed(seed)
    made = NPLM(config, size).double()
    with torch.no_grad():
        made.b.copy_(torch.randn(size))
        made.d.copy_(torch.randn(config.h))
    torch.set_rng_state(state)
    return made


def some_contexts(*shape, seed=1, size=V):
    chance = torch.Generator().manual_seed(seed)
    return torch.randint(size, shape, generator=chance)


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
    found = nearest("w3", words, same)
    assert len(found) == 5
    assert "w3" not in [word for word, _ in found]
    assert len(nearest("w3", words, same, k=8)) == 8


@pytest.mark.parametrize(
    ("config", "size", "numbers"),
    [
        # Two models of table 1, |V| = 16 383, counted on paper:
        # 16 383 · (1 + 5 · 60 + 50) + 50 · (1 + 4 · 60)
        (NPLMConfig(n=5, m=60, h=50, direct=True), 16_383, 5_762_483),
        # 16 383 · (1 + 30 + 100) + 100 · (1 + 4 · 30)
        (NPLMConfig(n=5, m=30, h=100, direct=False), 16_383, 2_158_273),
        (NPLMConfig(n=5, m=60, h=0, direct=True), 16_383, 4_931_283),
    ],
    ids=["MLP1", "MLP9", "MLP3"],
)
def test_the_papers_formula_by_hand(config, size, numbers):
    assert config.parameters(size) == numbers


# --- against the reference -----------------------------------------------------------


class Twin(nn.Module):
    """The same from torch's own parts."""

    def __init__(self, ours):
        super().__init__()
        size, m = ours.C.shape
        seen, h = ours.H.size(1), ours.H.size(0)
        self.table = nn.Embedding(size, m)
        self.hidden = nn.Sequential(nn.Linear(seen, h), nn.Tanh())
        self.out = nn.Linear(h, size)
        self.direct = None if ours.W is None else nn.Linear(seen, size, bias=False)
        self.double()
        with torch.no_grad():
            for theirs, mine in self.pairs(ours):
                theirs.copy_(mine)

    def pairs(self, ours):
        found = [
            (self.table.weight, ours.C),
            (self.hidden[0].weight, ours.H),
            (self.hidden[0].bias, ours.d),
            (self.out.weight, ours.U),
            (self.out.bias, ours.b),
        ]
        return found if ours.W is None else [*found, (self.direct.weight, ours.W)]

    def forward(self, context):
        x = self.table(context).reshape(*context.shape[:-1], -1)
        y = self.out(self.hidden(x))
        return y if self.direct is None else y + self.direct(x)


@BOTH
def test_outputs_and_gradients_equal_those_of_torchs_parts(config):
    ours = model(config)
    twin = Twin(ours)
    context, target = some_contexts(B, T, N - 1), some_contexts(B, T, seed=2)
    mine, theirs = ours(context), twin(context)
    assert mine.shape == (B, T, V)
    torch.testing.assert_close(mine, theirs)
    for y in (mine, theirs):
        nn.functional.cross_entropy(y.flatten(0, 1), target.flatten()).backward()
    for reference, parameter in twin.pairs(ours):
        assert parameter.grad.abs().sum() > 0
        torch.testing.assert_close(parameter.grad, reference.grad)


@BOTH
def test_outputs_equal_loops_over_single_numbers(config):
    ours, context = model(config), some_contexts(N - 1)
    C, Hm, d, U, b = (getattr(ours, k).tolist() for k in "CHdUb")
    x = [number for word in context.tolist() for number in C[word]]
    a = [
        math.tanh(d[j] + sum(Hm[j][i] * x[i] for i in range(len(x)))) for j in range(H)
    ]
    y = [b[v] + sum(U[v][j] * a[j] for j in range(H)) for v in range(V)]
    if config.direct:
        y = [
            y[v] + sum(w * c for w, c in pair(ours.W[v].tolist(), x)) for v in range(V)
        ]
    assert ours(context).tolist() == pytest.approx(y)


@BOTH
def test_gradients_equal_differences(config):
    ours, context = model(config), some_contexts(2, N - 1)
    names = [name for name, _ in ours.named_parameters()]

    def scores(*given):
        return torch.func.functional_call(ours, dict(pair(names, given)), context)

    assert torch.autograd.gradcheck(scores, tuple(ours.parameters()))


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


@BOTH
def test_a_context_stands_for_itself_alone(config):
    ours, context = model(config), some_contexts(B, T, N - 1)
    together = ours(context)
    for b, t in itertools.product(range(B), range(T)):
        torch.testing.assert_close(ours(context[b, t]), together[b, t])


@BOTH
def test_every_place_of_the_context_matters_and_has_its_own_weights(config):
    ours = model(config)
    first = ours(torch.tensor([1, 2, 3]))
    for other in ([4, 2, 3], [1, 4, 3], [1, 2, 4], [2, 1, 3], [3, 2, 1]):
        assert not torch.allclose(ours(torch.tensor(other)), first)


@BOTH
def test_a_word_has_one_vector_at_all_places(config):
    ours = model(config)
    ours(torch.tensor([2, 5, 2])).sum().backward()
    touched = ours.C.grad.abs().sum(dim=1) > 0
    assert touched.tolist() == [False, False, True, False, False, True, False]
    swapped = model(config)
    with torch.no_grad():  # words 2 and 5 change names: nothing else does
        swapped.C[[2, 5]] = swapped.C[[5, 2]]
    torch.testing.assert_close(
        swapped(torch.tensor([5, 2, 5])), ours(torch.tensor([2, 5, 2]))
    )


@BOTH
def test_words_with_like_vectors_are_read_alike(config):
    ours = model(config)
    with torch.no_grad():
        ours.C[3] = ours.C[4]
    torch.testing.assert_close(
        ours(torch.tensor([3, 1, 3])), ours(torch.tensor([4, 1, 4]))
    )


def test_without_hidden_units_the_scores_are_linear_in_the_vectors():
    ours = model(NPLMConfig(n=3, m=2, h=0, direct=True))
    context = torch.tensor([2, 6])
    x = torch.cat([ours.C[2], ours.C[6]])
    torch.testing.assert_close(ours(context), ours.b + ours.W @ x)


def test_direct_weights_are_there_or_not():
    assert model(PLAIN).W is None
    assert set(model(PLAIN).state_dict()) == set("CHUbd")
    assert set(model(DIRECT).state_dict()) == set("CHUWbd")
    assert model(DIRECT).W.shape == (V, 2 * (N - 1))


@pytest.mark.parametrize("direct", [True, False])
def test_the_first_loss_is_the_logarithm_of_the_vocabulary(direct):
    state, size = torch.get_rng_state(), 1000
    torch.manual_seed(3)
    ours = NPLM(NPLMConfig(n=5, m=30, h=50, direct=direct), size)
    torch.set_rng_state(state)
    assert ours.b.abs().max() == ours.d.abs().max() == 0
    context, target = some_contexts(400, 4, size=size), some_contexts(400, size=size)
    loss = nn.functional.cross_entropy(ours(context), target).item()
    assert loss == pytest.approx(math.log(size), abs=0.15)


def test_weights_are_drawn_evenly_between_two_bounds():
    state = torch.get_rng_state()
    torch.manual_seed(4)
    weights = uniform(300, 25)
    torch.set_rng_state(state)
    assert weights.shape == (300, 25)
    assert 0.199 < weights.max() <= 0.2
    assert -0.2 <= weights.min() < -0.199
    assert weights.mean().item() == pytest.approx(0, abs=0.01)
    assert weights.std().item() == pytest.approx(0.2 / math.sqrt(3), rel=0.03)
    assert uniform(4, 0).shape == (4, 0)


def test_a_model_draws_from_torchs_chance_and_from_nothing_else():
    first, again, other = model(DIRECT), model(DIRECT), model(DIRECT, seed=1)
    for name, tensor in first.state_dict().items():
        assert torch.equal(tensor, again.state_dict()[name])
        assert not torch.equal(tensor, other.state_dict()[name])


def test_the_future_does_not_matter_and_the_past_only_so_far():
    ids = some_contexts(B, 8)
    seen = contexts(ids, N)
    assert seen.shape == (B, 8, N - 1)
    for t in range(8):
        later, earlier = ids.clone(), ids.clone()
        later[:, t + 1 :] = 99
        earlier[:, 1 : max(1, t - N + 2)] = 99
        assert torch.equal(contexts(later, N)[:, t], seen[:, t])
        assert torch.equal(contexts(earlier, N)[:, t], seen[:, t])


def test_arguments_stay_as_they_came():
    ids, vectors = some_contexts(B, 5), torch.randn(3, 2, generator=torch.Generator())
    before = ids.clone(), vectors.clone()
    contexts(ids, 3)[..., 0] += 1
    nearest("a", ["a", "b", "c"], vectors, k=1)
    assert torch.equal(ids, before[0])
    assert torch.equal(vectors, before[1])


def test_nearest_equals_numpy_and_forgets_lengths():
    vectors = torch.randn(12, 5, generator=torch.Generator().manual_seed(5))
    words = [f"w{i}" for i in range(12)]
    v = vectors.double().numpy()
    cosine = v @ v[4] / np.linalg.norm(v, axis=1) / np.linalg.norm(v[4])
    order = [i for i in np.argsort(-cosine) if i != 4][:5]
    scaled = vectors * torch.arange(1, 13).unsqueeze(1)
    for given in (vectors, scaled, nn.Parameter(vectors)):
        found = nearest("w4", words, given)
        assert [word for word, _ in found] == [f"w{i}" for i in order]
        assert [c for _, c in found] == pytest.approx(cosine[order], abs=1e-5)


# --- refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"n": 1}, "n must be a whole number ≥ 2"),
        ({"n": 2.0}, "n must be a whole number ≥ 2"),
        ({"m": 0}, "m must be a whole number ≥ 1"),
        ({"h": -1}, "h must be a whole number ≥ 0"),
        ({"h": True}, "h must be a whole number ≥ 0"),
        ({"h": 0, "direct": False}, "h must be a whole number ≥ 1, got 0"),
    ],
)
def test_sizes_that_make_no_model(sizes, words):
    with pytest.raises(ValueError, match=words):
        NPLMConfig(**{"n": 3, "m": 2, "h": 4, "direct": True, **sizes})


def test_the_least_sizes_make_one():
    assert NPLM(NPLMConfig(n=2, m=1, h=0, direct=True), 1).b.shape == (1,)
    assert NPLM(NPLMConfig(n=2, m=1, h=1, direct=False), 1).b.shape == (1,)


def test_a_configuration_is_frozen():
    with pytest.raises(FrozenInstanceError):
        DIRECT.n = 9


@pytest.mark.parametrize("size", [0, -3, 2.0, None])
def test_a_vocabulary_needs_a_size(size):
    with pytest.raises(ValueError, match=f"V must be a whole number ≥ 1, got {size}"):
        NPLM(PLAIN, size)


@pytest.mark.parametrize(
    "shape", [(), (2,), (4,), (5, 2), (5, 4), (3, 1), (0,), (0, 3)]
)
def test_contexts_too_short_or_too_long_or_none(shape):
    message = f"context has shape {shape}: expected (…, 3)"
    with pytest.raises(ValueError, match=re.escape(message)):
        model(PLAIN)(torch.zeros(shape, dtype=torch.long))


@pytest.mark.parametrize("word", [-1, 7, 100])
def test_words_outside_the_vocabulary(word):
    low, high = min(0, word), max(1, word)
    with pytest.raises(ValueError, match=f"context .* from {low} to {high}: .* 0 to 6"):
        model(PLAIN)(torch.tensor([[0, 1, 1], [1, word, 0]]))


@pytest.mark.parametrize("kind", [torch.bool, torch.uint8])
def test_a_context_holds_ids_and_is_no_mask(kind):
    with pytest.raises(ValueError, match=f"context is {kind}: expected ids"):
        model(PLAIN)(torch.zeros(2, 3, dtype=kind))


def test_ids_of_32_bits_will_do():
    context = some_contexts(2, N - 1)
    torch.testing.assert_close(model(PLAIN)(context.int()), model(PLAIN)(context))


@pytest.mark.parametrize("n", [1, 0, 2.0, True])
def test_windows_need_an_order(n):
    with pytest.raises(ValueError, match=f"n must be a whole number ≥ 2, got {n}"):
        contexts(torch.tensor([1, 2]), n)


@pytest.mark.parametrize("shape", [(0,), (3, 0), ()])
def test_an_empty_sequence_has_no_windows(shape):
    message = re.escape(f"ids has shape {shape}: expected (…, T)")
    with pytest.raises(ValueError, match=message):
        contexts(torch.zeros(shape, dtype=torch.long), 3)


def test_an_unknown_word_has_no_neighbours():
    vectors = torch.eye(3)
    with pytest.raises(ValueError, match=r"'lisst' has no vector; .* is 'list'"):
        nearest("lisst", ["tuple", "list", "set"], vectors)
    with pytest.raises(ValueError, match="'zq' has no vector; the nearest spelling"):
        nearest("zq", ["tuple", "list", "set"], vectors)


@pytest.mark.parametrize(
    ("words", "shape", "message"),
    [
        (["a", "b"], (3, 2), "vectors has shape (3, 2): expected (2, m)"),
        (["a", "b", "a"], (3, 2), "got 3 words, 2 different"),
        (["a", "b"], (2,), "vectors has shape (2,): expected (2, m)"),
        (["a", "b"], (2, 2, 2), "vectors has shape (2, 2, 2): expected (2, m)"),
        (["a", "b"], (2, 0), "vectors has shape (2, 0): expected (2, m)"),
        ([], (0, 2), "vectors has shape (0, 2): expected (0, m)"),
    ],
)
def test_words_and_vectors_must_fit(words, shape, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        nearest("a", words, torch.ones(shape), k=1)


@pytest.mark.parametrize("k", [0, -1, 3, 2.0, True])
def test_there_must_be_so_many_neighbours(k):
    with pytest.raises(ValueError, match=f"k must be .* from 1 to 2, got {k}"):
        nearest("a", ["a", "b", "c"], torch.eye(3), k=k)


@pytest.mark.parametrize("nothing", [0.0, math.nan])
def test_a_vector_of_zero_points_nowhere(nothing):
    vectors = torch.eye(3)
    vectors[2] = nothing
    with pytest.raises(ValueError, match="the vector of 'c' is 0"):
        nearest("a", ["a", "b", "c"], vectors, k=1)
