"""The layers of table 1: what they compute, how long their chain is, how far they see.

Mutants that these tests were seen to kill: dilation or padding forgotten, a bias;
another number of heads; each check of k and r; the band narrower, open at either end,
shifted; a step's input and state exchanged, the first place not stepped.
"""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from lookback.workshop.contenders import (
    Attention,
    Convolution,
    Products,
    Recurrent,
    Step,
    chain,
    reach,
    restricted,
)
from torch import Tensor, nn

from lookback.attention import scaled_dot_product_attention

B, N, D, R = 2, 12, 5, 4


@pytest.fixture
def x() -> Tensor:
    chance = torch.Generator().manual_seed(0)
    x = torch.randn(B, N, D, generator=chance, dtype=torch.float64)
    return x.requires_grad_()


def seeded(layer: Callable[..., nn.Module], *sizes: int | str) -> nn.Module:
    torch.manual_seed(1)
    return layer(*sizes).double()


def equal(one: Tensor, two: Tensor, x: Tensor) -> None:
    """Outputs and gradients."""
    assert one.shape == two.shape == (B, N, D)
    torch.testing.assert_close(one, two)
    way = torch.arange(one.numel(), dtype=one.dtype).sin().view_as(one)
    grads = (
        torch.autograd.grad((y * way).sum(), x, retain_graph=True)[0]
        for y in (one, two)
    )
    torch.testing.assert_close(*grads)


@pytest.mark.parametrize("kind", ["rnn", "lstm", "gru"])
def test_the_recurrent_layer_gives_its_states(kind: str, x: Tensor) -> None:
    layer = seeded(Recurrent, kind, D)
    state, states = None, []
    for t in range(N):
        state = layer.cell(x[:, t], state)
        states.append(state[0] if kind == "lstm" else state)
    equal(layer(x), torch.stack(states, dim=1), x)


@pytest.mark.parametrize("dilation", [1, 3])
def test_the_convolution_maps_k_places_around_each(dilation: int, x: Tensor) -> None:
    layer = seeded(Convolution, D, 3, dilation)
    zeros = x.new_zeros(B, dilation, D)
    longer = torch.cat([zeros, x, zeros], dim=1)
    parts = [longer[:, i * dilation : i * dilation + N] for i in range(3)]
    taps = layer.conv.weight.unbind(dim=-1)  # k × (d out, d in)
    expected = sum(part @ tap.T for part, tap in zip(parts, taps, strict=True))
    equal(layer(x), expected, x)


def test_attention_is_its_four_maps_around_the_products(x: Tensor) -> None:
    layer = seeded(Attention, D)
    head = layer.head
    Q, K, V = head.W_Q(x), head.W_K(x), head.W_V(x)
    found = scaled_dot_product_attention(Q, K, V)[0]
    equal(layer(x), head.W_O(found), x)
    equal(Products()(x), (x @ x.mT / D**0.5).softmax(dim=-1) @ x, x)


@pytest.mark.parametrize("r", [2, 4, 6, 12])
def test_restricted_attention_is_a_band_of_the_whole(r: int, x: Tensor) -> None:
    places = torch.arange(N)
    band = (places[:, None] - places).abs() <= r // 2
    whole, _ = scaled_dot_product_attention(x, x, x, band)
    equal(Products(r)(x), whole, x)
    equal(restricted(x, r), whole, x)


@pytest.mark.parametrize("r", [0, -2, 3, 8])
def test_r_is_even_and_divides_n(r: int, x: Tensor) -> None:
    with pytest.raises(ValueError, match=f"r is {r} and n 12: expected r even"):
        restricted(x, r)


@pytest.mark.parametrize("k", [0, 2, -1])
def test_k_is_odd(k: int) -> None:
    with pytest.raises(ValueError, match=f"k must be odd and ≥ 1, got {k}"):
        Convolution(D, k)


def test_a_recurrence_is_a_chain_as_long_as_its_text() -> None:
    def length(layer: nn.Module, n: int) -> int:
        return chain(layer(torch.ones(1, n, D, dtype=torch.float64)))

    rnn, flat = seeded(Recurrent, "rnn", D), (Convolution(D, 3), Attention(D))
    one, two, four = (length(rnn, n) for n in (10, 20, 40))
    assert two - one == (four - two) / 2 == 10 * ((two - one) // 10) > 0
    for layer in flat:
        layer.double()
        assert length(layer, 10) == length(layer, 40) < 30


def test_reach() -> None:
    places = np.arange(N)
    away = np.abs(places[:, None] - places)
    before = places <= places[:, None]
    assert (reach(Attention(D), N, D)).all()
    assert (reach(Products(), N, D)).all()
    assert (reach(nn.LayerNorm(D), N, D) == (away == 0)).all()
    assert (reach(Convolution(D, 3), N, D) == (away <= 1)).all()
    assert (reach(Convolution(D, 5), N, D) == (away <= 2)).all()
    assert (reach(Convolution(D, 3, 4), N, D) == np.isin(away, (0, 4))).all()
    assert (reach(Products(R), N, D) == (away <= R // 2)).all()
    assert (reach(Recurrent("rnn", D), N, D) == before).all()
    assert (reach(Step("rnn", D), N, D) == before & (away <= 1)).all()


def test_a_step_hands_on_what_the_place_before_held(x: Tensor) -> None:
    layer = seeded(Step, "rnn", D)
    steps = [layer.cell(x[:, t], x[:, t - 1] if t else None) for t in range(N)]
    equal(layer(x), torch.stack(steps, dim=1), x)
