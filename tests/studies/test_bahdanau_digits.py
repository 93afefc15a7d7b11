"""Digits reversed: the network with one vector."""

import torch

from lookback.bahdanau import RNNSearch
from lookback.studies.bahdanau_digits import CONFIG, OneVector


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
