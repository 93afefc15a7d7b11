"""Tokens a second of our cells and of torch.nn's, which run in C++."""

from collections.abc import Callable
from typing import Any

import torch
from run import speeds
from torch import Tensor, nn

from lookback.lstm import GRUCell, LSTMCell, ResetAfterGRUCell
from lookback.recurrent import Cell, RNNCell, hidden, unroll

B, T, D, N = 32, 30, 64, 128

PAIRS: dict[str, tuple[Cell[Any], nn.Module]] = {
    "RNN": (RNNCell(D, N), nn.RNN(D, N, batch_first=True)),
    "LSTM": (LSTMCell(D, N), nn.LSTM(D, N, batch_first=True)),
    "GRU, Cho's reset": (GRUCell(D, N), nn.GRU(D, N, batch_first=True)),
    "GRU, cuDNN's reset": (ResetAfterGRUCell(D, N), nn.GRU(D, N, batch_first=True)),
}


def main() -> None:
    x = torch.randn(B, T, D)

    def reading(states: Callable[[], Tensor]) -> Callable[[], Tensor]:
        return torch.no_grad()(states)

    def learning(states: Callable[[], Tensor]) -> Callable[[], None]:
        return lambda: states().sum().backward()

    speeds(
        "tokens a second",
        {
            f"{name}, {way.__name__}": {
                "ours": way(lambda cell=cell: hidden(unroll(cell, x))),
                "torch.nn": way(lambda twin=twin: twin(x)[0]),
            }
            for name, (cell, twin) in PAIRS.items()
            for way in (reading, learning)
        },
        B * T,
    )
