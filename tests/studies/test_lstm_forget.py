"""A sign remembered over noise: the task, the forget bias, and what arrives."""

import pytest
import torch

from lookback.lstm import LSTMCell
from lookback.recurrent import jacobian_norms
from lookback.studies.lstm_forget import arriving, network, signs


def test_the_task_shows_a_sign_and_then_noise() -> None:
    ids = signs(3, 5, 4, 200, torch.Generator().manual_seed(1))
    assert ids.shape == (200, 4)
    assert set(ids[:, 0].tolist()) == {0, 1, 2}
    assert set(ids[:, 1:].flatten().tolist()) == {3, 4, 5, 6, 7}
    silent = signs(3, 1, 4, 200, torch.Generator().manual_seed(1))
    assert set(silent[:, 1:].flatten().tolist()) == {3}


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_what_arrives_is_the_norm_of_the_state_that_is_carried(cell: str) -> None:
    torch.manual_seed(0)
    model = network(cell, 8, 3, 8)
    ids = signs(3, 5, 4, 1, torch.Generator().manual_seed(1))
    norm = jacobian_norms(model.cell, model.C(ids)[0].detach(), part=cell == "lstm")[0]
    assert arriving(model, ids) == pytest.approx(norm.log10().item(), abs=1e-4)


def test_the_forget_bias_reaches_the_cell() -> None:
    by_bias = []
    for bias in (0.0, 3.0):
        torch.manual_seed(0)
        cell = network("lstm", 8, 3, 8, bias).cell
        assert isinstance(cell, LSTMCell)
        by_bias.append(cell.b.detach().view(4, 8))
    apart = by_bias[1] - by_bias[0]
    assert torch.allclose(apart[1], torch.full((8,), 3.0), atol=1e-6)
    assert not apart[[0, 2, 3]].any()
