"""An LSTM with one gate open for good: which gate."""

import pytest
import torch
from torch import Tensor

from lookback.lstm import LSTMCell
from lookback.studies.lstm_gates import OPEN

PARTS = ("input", "forget", "candidate", "output")


def step(
    parameters: dict[str, Tensor], wide: str | None, x: Tensor, c: Tensor
) -> Tensor:
    """The cell state after a step from h = 0, the gate `wide` having a large bias."""
    cell = LSTMCell(3, 4)
    cell.load_state_dict(parameters)
    if wide is not None:
        k = PARTS.index(wide)
        with torch.no_grad():
            cell.b[4 * k : 4 * k + 4] = 1e4
    h, c = cell(x, (torch.zeros_like(c), c))
    return torch.cat([h, c])


@pytest.mark.parametrize("gate", OPEN)
def test_an_open_gate_is_one_and_the_others_are_as_before(gate: str) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        cell, x, c = OPEN[gate](3, 4), torch.randn(2, 3), torch.randn(2, 4)
    h, new = cell(x, (torch.zeros_like(c), c))
    parameters = {k: v.clone() for k, v in cell.state_dict().items()}
    assert torch.allclose(torch.cat([h, new]), step(parameters, gate, x, c))
    assert not torch.allclose(torch.cat([h, new]), step(parameters, None, x, c))
