"""Paths through layers: chains counted by hand, fields of layers that are known.

Mutants that these tests were seen to kill: the shortest chain, the sum of chains; the
gradient of a plain sum, of the first output alone; the first layer repeated, one layer
less, from the last position to the first, no end.
"""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lookback.measure import path_length, receptive_field, sequential_operations

N, D = 12, 5


def test_a_chain_is_as_long_as_its_longest_path() -> None:
    x = torch.ones(3, requires_grad=True)  # x itself counts: there its gradient ends
    assert sequential_operations(x * 2) == 2
    assert sequential_operations(((x * 2).exp() + x).sin() * x) == 6
    fourfold = x * 2
    for _ in range(60):  # 2⁶⁰ paths, one length
        fourfold = fourfold + fourfold
    assert sequential_operations(fourfold) == 62


def test_a_chain_needs_a_graph() -> None:
    with pytest.raises(ValueError, match=r"expected y\.requires_grad"):
        sequential_operations(torch.ones(3) * 2)


def distance() -> np.ndarray:
    """(N, N): how far position s is from position t."""
    positions = np.arange(N)
    return np.abs(positions[:, None] - positions)


def convolution(x: Tensor) -> Tensor:
    """Each position plus its two neighbours."""
    longer = nn.functional.pad(x, (0, 0, 1, 1))
    return longer[:, :-2] + longer[:, 1:-1] + longer[:, 2:]


def test_receptive_fields_that_are_known() -> None:
    positions = np.arange(N)
    assert (receptive_field(nn.LayerNorm(D), N, D) == (distance() == 0)).all()
    assert (receptive_field(convolution, N, D) == (distance() <= 1)).all()
    past = receptive_field(lambda x: x.cumsum(dim=1), N, D)
    assert (past == (positions <= positions[:, None])).all()
    ahead = receptive_field(lambda x: x.roll(-1, dims=1), N, D)
    assert (ahead == ((positions[:, None] + 1) % N == positions)).all()


def test_the_input_of_a_receptive_field_is_drawn_from_the_generator() -> None:
    inputs = []

    def layer(x: Tensor) -> Tensor:
        inputs.append(x.detach())
        return x * 1

    for seed in (1, 1, 2):
        receptive_field(layer, N, D, generator=torch.Generator().manual_seed(seed))
    receptive_field(layer, N, D)
    receptive_field(layer, N, D)
    assert inputs[0].shape == (N, N, D)
    assert torch.equal(inputs[0], inputs[1])
    assert not torch.equal(inputs[1], inputs[2])
    assert torch.equal(inputs[3], inputs[4])


def test_path_length() -> None:
    def band(far: int) -> np.ndarray:
        return distance() <= far

    near = band(1)
    assert path_length(lambda layer: near) == N - 1
    assert path_length(lambda layer: band(4)) == 3
    assert path_length(lambda layer: band(11)) == 1
    assert path_length(lambda layer: band((1, 2, 4, 8)[layer])) == 4
    assert (
        path_length(lambda layer: np.tril(near)) == N - 1
    )  # from the first to the last
    with pytest.raises(ValueError, match="2 layers, and one more reaches no further"):
        path_length(lambda layer: near if layer < 2 else band(0))
