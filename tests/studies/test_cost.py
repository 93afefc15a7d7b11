"""The layers of table 1: what they compute, how far they see, and what they cost.

Cases, counts, bytes, the law fitted to them, the speed of systems.

Mutants that these tests were seen to kill, 24 of 24: n and d exchanged, another k, no
r, other weights each time; no gradient for what comes in, the way back counted as
forward, additions counted; weights kept, a storage twice, the largest alone; every
change to the clock's turns, the median of them; labels, sizes that do not fit; no
logarithm, a crossing at the beginning, between the wrong ends or on a straight line;
seconds a word, gates. Of the layers: dilation or padding forgotten, a bias; another
number of heads; each check of k and r; the band narrower, open at either end, shifted;
a step's input and state exchanged, the first position not stepped.
"""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lookback.attention import scaled_dot_product_attention
from lookback.measure import receptive_field, sequential_operations
from lookback.studies import cost as study
from lookback.studies import translators
from lookback.studies.cost import (
    STUDY,
    Attention,
    Convolution,
    Layer,
    Products,
    Recurrent,
    Step,
    cases,
    cost,
    counted,
    crossing,
    exponent,
    fastest,
    label,
    restricted,
    saved_bytes,
    speeds,
)
from lookback.workshop import results

B, N, D = study.B, 16, 6
FLOAT = 4  # bytes


LENGTH = 12  # of the sequences that layers are tried on


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
        return sequential_operations(layer(torch.ones(1, n, D, dtype=torch.float64)))

    rnn, flat = seeded(Recurrent, "rnn", D), (Convolution(D, 3), Attention(D))
    one, two, four = (length(rnn, n) for n in (10, 20, 40))
    assert two - one == (four - two) / 2 == 10 * ((two - one) // 10) > 0
    for layer in flat:
        layer.double()
        assert length(layer, 10) == length(layer, 40) < 30


def test_receptive_fields() -> None:
    def field(layer: nn.Module) -> np.ndarray:
        return receptive_field(layer, LENGTH, D)

    positions = np.arange(LENGTH)
    away = np.abs(positions[:, None] - positions)
    before = positions <= positions[:, None]
    assert (field(Attention(D))).all()
    assert (field(Products())).all()
    assert (field(nn.LayerNorm(D)) == (away == 0)).all()
    assert (field(Convolution(D, 3)) == (away <= 1)).all()
    assert (field(Convolution(D, 5)) == (away <= 2)).all()
    assert (field(Convolution(D, 3, 4)) == np.isin(away, (0, 4))).all()
    assert (field(Products(4)) == (away <= 2)).all()
    assert (field(Recurrent("rnn", D)) == before).all()
    assert (field(Step("rnn", D)) == before & (away <= 1)).all()


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


SIZES = {"convolution": 3, "restricted": 4}


@pytest.mark.parametrize("kind", study.KINDS)
def test_multiplications_are_those_of_the_sums_on_paper(kind: str) -> None:
    size = SIZES.get(kind, 0)
    found = cost(Layer(kind, N, D, size), patience=0)
    assert found["products"] == B * products(kind, N, D, size)
    # The way back multiplies twice as often; before the first position there is no
    # state that wants a gradient.
    ways = {"rnn": 1, "lstm": 4, "gru": 2}.get(kind, 0) * B * D * D
    assert found["products, both"] == 3 * found["products"] - ways
    assert found["forward"] > 0
    assert found["both"] > 0


def test_every_measured_count_is_that_of_the_sums_on_paper() -> None:
    found = results("cost")
    for name, case in STUDY.cases.items():
        layer = case.arguments["layer"]
        on_paper = products(layer.kind, layer.n, layer.d, layer.size)
        assert found[name]["products"] == B * on_paper, name


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


@pytest.mark.parametrize("name", ["rnn, n 16, d 128", "products, n 16, d 128",
    "attention, n 16, d 128", "convolution 3, n 16, d 128",
    "restricted 32, n 32, d 128", "lstm, n 128, d 16"])  # fmt: skip
def test_what_repeats_is_measured_again(name: str) -> None:
    again, row = cost(cases()[name], 0), results("cost")[name]
    for key in ("products", "products, both", "bytes"):
        assert again[key] == row[key]


def test_a_product_is_counted_once() -> None:
    one, two = torch.ones(3, 5), torch.ones(5, 7)
    assert counted(lambda: one @ two) == 3 * 5 * 7
    assert counted(lambda: (one @ two) * 2 + 1) == 3 * 5 * 7


def test_layers_are_what_they_are_called_and_the_same_each_time() -> None:
    kinds = {"rnn": Recurrent, "convolution": Convolution, "attention": Attention,
             "products": Products, "restricted": Products}  # fmt: skip
    before = torch.get_rng_state()
    for kind, sort in kinds.items():
        layer = Layer(kind, N, D, SIZES.get(kind, 0))
        one, two = layer.made(), layer.made()
        assert type(one) is sort
        pairs = zip(one.parameters(), two.parameters(), strict=True)
        assert all(torch.equal(a, b) for a, b in pairs)
        assert torch.equal(layer.given(), layer.given())
    assert torch.equal(before, torch.get_rng_state())
    assert Layer("gru", N, D).made().cell.n == D
    assert Layer("convolution", N, D, 5).made().conv.kernel_size == (5,)
    assert Layer("restricted", N, D, 4).made().r == 4
    assert Layer("products", N, D).made().r is None
    assert Layer("rnn", N, D).given().shape == (B, N, D)
    with pytest.raises(ValueError, match="no layer 'rn': did you mean 'rnn'"):
        Layer("rn", N, D).made()


def test_cases_vary_one_size_at_a_time() -> None:
    found = cases()
    for name, layer in found.items():
        assert name == label(layer.kind, layer.n, layer.d, layer.size)
        assert layer.kind != "gru"
    for kind, size in study.MEASURED.items():
        asked = [layer for layer in found.values() if layer.kind == kind]
        usual = [layer for layer in asked if layer.size == size]
        most = {"restricted": 32}.get(kind, 0)
        fixed = study.FIXED
        assert [a.n for a in usual if a.d == fixed] == [
            n for n in study.POSITIONS if n >= most
        ]
        assert [a.d for a in usual if a.n == fixed][-1] == study.NUMBERS[-1]
        assert {a.d for a in usual if a.n == fixed} >= {*study.NUMBERS}
    widths = [found[label("convolution", 2048, 128, k)].size for k in study.WIDTHS]
    assert widths == [*study.WIDTHS]
    near = [found[label("restricted", 2048, 128, r)].size for r in study.NEAR]
    assert near == [*study.NEAR]
    assert found["lstm, n 1024, d 64"] == Layer("lstm", 1024, 64)
    assert label("restricted", 64, 8) == "restricted 32, n 64, d 8"


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


def test_speeds_are_of_all_that_the_table_has(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = {"a": [(1000, 10), (1200, 10)], "b": [(90, 3)]}

    def line(system: str) -> SimpleNamespace:
        return SimpleNamespace(system=system, parameters=len(system))

    def rows(system: str) -> list[dict[str, float]]:
        return [{"target tokens": t, "seconds": s} for t, s in measured[system]]

    monkeypatch.setattr(study, "lines", lambda: [line("b"), line("a")])
    monkeypatch.setattr(study, "rows", rows)
    assert speeds() == [("b", 1, (30,)), ("a", 1, (100, 120))]


def test_speeds_of_the_book() -> None:
    found = speeds()
    assert [s.system for s in found] == [line.system for line in translators.lines()]
    assert min(min(s.each) for s in found) > 1000
