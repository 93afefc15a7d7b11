"""Products and hops of digits: the tasks, the probe, what the page says of them."""

import pytest
import torch

from lookback.studies.encoder import LAYERS, PARTS
from lookback.studies.encoder_digits import (
    HOPS,
    LONGER,
    PRODUCT,
    RATES,
    SEEDS,
    STEPS,
    Answerer,
    Digits,
    answers,
    measured,
    product,
    readable,
)
from lookback.workshop import results


def test_neighbours_are_multiplied_and_digits_point_to_positions() -> None:
    x = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6, 8, 7]])
    own, left, found = answers(x, "product")
    assert own.tolist() == x.tolist()
    assert left.tolist() == [[7, 3, 1, 4, 1, 5, 9, 2, 6, 8]]
    assert found.tolist() == [[7, 2, 1, 0, 9, 0, 4, 6, 2, 4]]
    own, there, found = answers(x, "hops")
    assert own.tolist() == x.tolist()
    assert there.tolist() == [[1, 1, 5, 1, 9, 7, 4, 2, 8, 6]]
    assert found.tolist() == [[1, 1, 9, 1, 7, 6, 5, 4, 8, 2]]


@pytest.mark.parametrize("parts", PARTS)
def test_an_answerer_has_the_layers_it_is_told(parts: str) -> None:
    model = Answerer(Digits(task="hops", parts=parts, N=2, seed=0, rate=0.1))
    logits, levels = model(torch.randint(10, (3, 10)))
    assert logits.shape == (3, 10, 10) and len(levels) == 3
    assert all(isinstance(layer, LAYERS[parts]) for layer in model.layers)


def test_a_probe_reads_what_is_there_and_only_that() -> None:
    torch.manual_seed(0)
    wanted = torch.randint(10, (200, 10))
    there = torch.nn.functional.one_hot(wanted, 10).float() @ torch.randn(10, 12)
    assert readable(there, wanted) == 1
    assert readable(torch.randn(200, 10, 12), wanted) < 0.2


def test_what_is_measured_repeats_itself() -> None:
    task = Digits(task="hops", parts="both", N=1, seed=0, rate=0.01, steps=2)
    found = measured(task)
    assert found == measured(task)
    assert len(found["probes"]) == 2
    assert all(0 <= share <= 1 for level in found["probes"] for share in level)


def test_other_tasks_and_parts_are_refused() -> None:
    with pytest.raises(ValueError, match="hop"):
        Digits(task="hop", parts="both", N=1, seed=0, rate=0.1)
    with pytest.raises(ValueError, match="bot"):
        Digits(task="hops", parts="bot", N=1, seed=0, rate=0.1)


def test_sizes_are_as_the_page_says() -> None:
    stored = results("encoder_digits")

    def size(label: str) -> int:
        return int(stored[f"{label}, seed 0"]["parameters"])

    both = size(product("both", RATES[0]))
    for name in PRODUCT:
        assert abs(size(product(name, RATES[0])) / both - 1) < 0.04
    two, wide = size("hops, two layers"), size("hops, one layer, wider")
    assert abs(wide / two - 1) < 0.01


def test_two_layers_go_two_hops_and_one_layer_does_not() -> None:
    stored = results("encoder_digits")
    for name in HOPS:
        for row in stored.seeds(f"hops, {name}"):
            assert (row["right"] > 0.99) == name.startswith("two")
    for row in stored.seeds("hops, two layers"):
        assert row["probes"][1][1] > 0.9 > 0.5 > row["probes"][1][2]


def test_more_steps_are_what_more_seeds_had() -> None:
    stored = results("encoder_digits")
    name = product("attention alone, six heads", RATES[0])
    assert 2 * STEPS == LONGER
    assert len(stored.seeds(name + ", longer")) < len(stored.seeds(name)) == len(SEEDS)
