"""Digits reversed: the network with one vector, and what is measured."""

from dataclasses import replace

import pytest
import torch

from lookback.bahdanau import RNNSearch
from lookback.studies.bahdanau_digits import (
    CONFIG,
    LENGTHS,
    OneVector,
    Reversal,
    learned,
    measured,
)
from lookback.workshop import results

QUICK = Reversal(True, seed=0, shortest=2, longest=3, steps=2)


def test_one_vector_is_the_last_state_of_either_direction() -> None:
    torch.manual_seed(0)
    model = RNNSearch(CONFIG, 12, 12)
    model.decoder = OneVector(CONFIG, 12)
    source = torch.tensor([[3, 1, 4, 1], [5, 9, 0, 0]])
    mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]).bool()
    state = model.start(source, mask)
    short = model.start(source[1:, :2], mask[1:, :2])
    assert state.annotations.shape == (2, 1, 64)
    assert torch.allclose(state.annotations[1], short.annotations[0], atol=1e-6)
    h = model.encoder(source, mask)
    assert torch.equal(state.annotations[0, 0, :32], h[0, 3, :32])
    assert torch.equal(state.annotations[:, 0, 32:], h[:, 0, 32:])
    target = torch.tensor([[10, 1, 4], [10, 9, 5]])
    _, weights = model(source, mask, target)
    assert torch.equal(weights, torch.ones(2, 3, 1))


@pytest.mark.parametrize("attends", [True, False])
def test_what_is_measured_repeats_itself(attends: bool) -> None:
    task = replace(QUICK, attends=attends)
    found = measured(task)
    assert found == measured(task)
    assert found["lengths"] == [*LENGTHS]
    assert all(0 <= share <= 1 for share in found["exact"])
    assert isinstance(learned(task).decoder, OneVector) is not attends


def test_both_networks_have_the_same_size_and_attention_reverses_longer_ones() -> None:
    stored = results("bahdanau_digits")
    assert len({row["parameters"] for row in stored.rows.values()}) == 1
    at_8 = LENGTHS.index(8)
    attention, one = (
        [row["exact"][at_8] for row in stored.seeds(name)]
        for name in ("attention", "one vector")
    )
    assert min(attention) > 2 * max(one)
