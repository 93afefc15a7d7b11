"""What layers cost: cases, counts, bytes, the law fitted to them, the speed of systems.

Mutants that these tests were seen to kill, 24 of 24: n and d exchanged, another k, no
r, other weights each time; no gradient for what comes in, the way back counted as
forward, additions counted; weights kept, a storage twice, the largest alone; every
change to the clock's turns, the median of them; labels, sizes that do not fit; no
logarithm, a crossing at the beginning, between the wrong ends or on a straight line;
seconds a word, gates.
"""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from lookback.workshop.contenders import Attention, Convolution, Products, Recurrent
from lookback.workshop.costing import (
    Layer,
    cases,
    cost,
    counted,
    crossing,
    exponent,
    fastest,
    kept,
    label,
    speeds,
)
from lookback.workshop.studies import results
from torch import nn

from lookback.workshop import costing, translators

B, N, D = costing.B, 16, 6
FLOAT = 4  # bytes


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


@pytest.mark.parametrize("kind", costing.KINDS)
def test_multiplications_are_those_of_the_sums_on_paper(kind: str) -> None:
    size = SIZES.get(kind, 0)
    found = cost(Layer(kind, N, D, size), patience=0)
    assert found["products"] == B * products(kind, N, D, size)
    # The way back multiplies twice as often; before the first place stands no state
    # that wants a gradient.
    ways = {"rnn": 1, "lstm": 4, "gru": 2}.get(kind, 0) * B * D * D
    assert found["products, both"] == 3 * found["products"] - ways
    assert found["forward"] > 0
    assert found["both"] > 0


def test_every_measured_count_is_that_of_the_sums_on_paper() -> None:
    study = results("layer_costs")
    for name, layer in costing.STUDIES["layer_costs"].cases.items():
        on_paper = products(layer.kind, layer.n, layer.d, layer.size)
        assert study[name]["products"] == B * on_paper, name


def test_bytes_kept() -> None:
    """x, and what the way back needs of each operation; of the weights none."""
    vectors, weights = FLOAT * B * N * D, FLOAT * B * N * N
    # x is query, key and value, and stands there once; the shares are as many as pairs.
    assert cost(Layer("products", N, D), 0)["bytes"] == vectors + weights
    found = cost(Layer("convolution", N, D, 3), 0)["bytes"]
    assert found == vectors  # what came in, and nothing else


def test_no_weights_and_no_storage_twice() -> None:
    x = torch.randn(3, D, requires_grad=True)
    linear = nn.Linear(D, 7, bias=False)
    assert kept(linear, x) == FLOAT * 3 * D

    class Twice(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.sin() + x.cos() + x[:1].exp().mean()

    assert kept(Twice(), x) == FLOAT * (3 * D + D)  # x, and exp's own result


@pytest.mark.parametrize("name", ["rnn, n 16, d 128", "products, n 16, d 128",
    "attention, n 16, d 128", "convolution 3, n 16, d 128",
    "restricted 32, n 32, d 128", "lstm, n 128, d 16"])  # fmt: skip
def test_what_repeats_is_measured_again(name: str) -> None:
    again, row = cost(cases()[name], 0), results("layer_costs")[name]
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
    for kind, size in costing.MEASURED.items():
        asked = [layer for layer in found.values() if layer.kind == kind]
        usual = [layer for layer in asked if layer.size == size]
        most = {"restricted": 32}.get(kind, 0)
        fixed = costing.FIXED
        assert [a.n for a in usual if a.d == fixed] == [
            n for n in costing.PLACES if n >= most
        ]
        assert [a.d for a in usual if a.n == fixed][-1] == costing.NUMBERS[-1]
        assert {a.d for a in usual if a.n == fixed} >= {*costing.NUMBERS}
    widths = [found[label("convolution", 2048, 128, k)].size for k in costing.WIDTHS]
    assert widths == [*costing.WIDTHS]
    near = [found[label("restricted", 2048, 128, r)].size for r in costing.NEAR]
    assert near == [*costing.NEAR]
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
    monkeypatch.setattr(costing.time, "process_time", clock(0.25, 3, 1.5, 2))
    assert fastest(lambda: done.append(1), patience=0) == 1.5
    assert len(done) == 5  # before the clock, to choose the turns, three that count
    monkeypatch.setattr(costing.time, "process_time", clock(0.5, 3, 1, 2, 0.75, 4))
    assert fastest(lambda: done.append(1), patience=2.6) == 0.75
    assert len(done) == 5 + 7
    monkeypatch.setattr(costing.time, "process_time", clock(0, 3, 1, *[2] * 48))
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

    monkeypatch.setattr(costing, "lines", lambda: [line("b"), line("a")])
    monkeypatch.setattr(costing, "rows", rows)
    assert speeds() == [("b", 1, (30,)), ("a", 1, (100, 120))]


def test_speeds_of_the_book() -> None:
    found = speeds()
    assert [s.system for s in found] == [line.system for line in translators.lines()]
    assert min(min(s.each) for s in found) > 1000
