"""The layers of table 1: what they compute, and what they cost, by sums on paper."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lookback.attention import scaled_dot_product_attention
from lookback.studies import cost as study
from lookback.studies.cost import (
    Attention,
    Convolution,
    Layer,
    Products,
    Recurrent,
    Step,
    cost,
    crossing,
    exponent,
    fastest,
    restricted,
    saved_bytes,
)

B, N, D = study.B, 16, 6
LENGTH = 12  # of the sequences that layers are tried on
FLOAT = 4  # bytes


# --- the layers ----------------------------------------------------------------------


@pytest.fixture
def x() -> Tensor:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, LENGTH, D, generator=generator, dtype=torch.float64)
    return x.requires_grad_()


def seeded(layer: Callable[..., nn.Module], *sizes: int | str) -> nn.Module:
    torch.manual_seed(1)
    return layer(*sizes).double()


def equal(one: Tensor, two: Tensor, x: Tensor) -> None:
    """Outputs and gradients."""
    assert one.shape == two.shape == (2, LENGTH, D)
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
    for t in range(LENGTH):
        state = layer.cell(x[:, t], state)
        states.append(state[0] if kind == "lstm" else state)
    equal(layer(x), torch.stack(states, dim=1), x)


@pytest.mark.parametrize("dilation", [1, 3])
def test_the_convolution_maps_k_positions_around_each(dilation: int, x: Tensor) -> None:
    layer = seeded(Convolution, D, 3, dilation)
    zeros = x.new_zeros(2, dilation, D)
    longer = torch.cat([zeros, x, zeros], dim=1)
    parts = [longer[:, i * dilation : i * dilation + LENGTH] for i in range(3)]
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
    positions = torch.arange(LENGTH)
    band = (positions[:, None] - positions).abs() <= r // 2
    whole, _ = scaled_dot_product_attention(x, x, x, band)
    equal(Products(r)(x), whole, x)
    equal(restricted(x, r), whole, x)


def test_r_is_even_and_divides_n_and_k_is_odd(x: Tensor) -> None:
    for r in (0, -2, 3, 8):
        with pytest.raises(ValueError, match=f"r is {r} and n 12: expected r even"):
            restricted(x, r)
    for k in (0, 2, -1):
        with pytest.raises(ValueError, match=f"k must be odd and ≥ 1, got {k}"):
            Convolution(D, k)


def test_a_step_hands_on_what_the_position_before_held(x: Tensor) -> None:
    layer = seeded(Step, "rnn", D)
    steps = [layer.cell(x[:, t], x[:, t - 1] if t else None) for t in range(LENGTH)]
    equal(layer(x), torch.stack(steps, dim=1), x)


# --- what they cost ------------------------------------------------------------------


def products(kind: str, n: int, d: int, size: int) -> int:
    """How many multiplications the sums on paper say."""
    gates = {"rnn": 1, "gru": 3, "lstm": 4}
    if kind in gates:
        return gates[kind] * 2 * n * d * d
    return {
        "convolution": size * n * d * d,
        "attention": 4 * n * d * d + 2 * n * n * d,
        "products": 2 * n * n * d,
        "restricted": 2 * (2 * size) * n * d,
    }[kind]


@pytest.mark.parametrize("kind", study.KINDS)
def test_multiplications_are_those_of_the_sums_on_paper(kind: str) -> None:
    size = {"convolution": 3, "restricted": 4}.get(kind, 0)
    found = cost(Layer(kind, N, D, size), patience=0)
    assert found["products"] == B * products(kind, N, D, size)
    # The way back multiplies twice as often; before the first position there is no
    # state that wants a gradient.
    ways = {"rnn": 1, "lstm": 4, "gru": 2}.get(kind, 0) * B * D * D
    assert found["products, both"] == 3 * found["products"] - ways


def test_bytes_kept() -> None:
    """x, and what the way back needs of each operation; of the weights none."""
    vectors, weights = FLOAT * B * N * D, FLOAT * B * N * N
    # x is query, key and value, and is kept once; the weights are as many as pairs.
    assert cost(Layer("products", N, D), 0)["bytes"] == vectors + weights
    found = cost(Layer("convolution", N, D, 3), 0)["bytes"]
    assert found == vectors  # what came in, and nothing else


def test_no_weights_and_no_storage_twice() -> None:
    x = torch.randn(3, D, requires_grad=True)
    linear = nn.Linear(D, 7, bias=False)
    assert saved_bytes(linear, x) == FLOAT * 3 * D

    class Twice(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.sin() + x.cos() + x[:1].exp().mean()

    assert saved_bytes(Twice(), x) == FLOAT * (3 * D + D)  # x, and exp's own result


def clock(*turns: float) -> Callable[[], float]:
    """A clock on which turns take so long, with a second between them."""
    ticks = list[float]()
    for seconds in turns:
        began = ticks[-1] + 1 if ticks else 0.0
        ticks += [began, began + seconds]
    told = iter(ticks)
    return lambda: next(told)


def test_the_fastest_turn_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    done = list[int]()
    monkeypatch.setattr(study.time, "process_time", clock(0.25, 3, 1.5, 2))
    assert fastest(lambda: done.append(1), patience=0) == 1.5
    assert len(done) == 5  # before the clock, to choose the turns, three that count
    monkeypatch.setattr(study.time, "process_time", clock(0.5, 3, 1, 2, 0.75, 4))
    assert fastest(lambda: done.append(1), patience=2.6) == 0.75
    assert len(done) == 5 + 7
    monkeypatch.setattr(study.time, "process_time", clock(0, 3, 1, *[2] * 48))
    assert fastest(lambda: None, patience=5e-5) == 1  # a clock too coarse for it


def test_exponents() -> None:
    sizes = [1, 2, 4, 8]
    assert exponent(sizes, [5, 20, 80, 320]) == pytest.approx(2)
    assert exponent(sizes, [7, 7, 7, 7]) == pytest.approx(0)
    assert exponent([1, 10, 100], [3, 30, 3000]) == pytest.approx(1.5)


def test_where_one_begins_to_exceed_the_other() -> None:
    sizes = np.array([16, 32, 64, 128])
    square, line = sizes**2, 50 * sizes  # n² = 50 n at n = 50
    assert crossing(sizes, square, line) == pytest.approx(50)
    assert crossing(sizes, line, square) is None  # from the beginning
    assert crossing(sizes, sizes, 2 * sizes) is None  # never
    assert crossing(sizes, [1, 1, 4, 9], [2, 2, 2, 2]) == pytest.approx(32 * 2**0.5)
