"""Tokens a second of our cells and of torch.nn's, which run in C++; one thread.

Run it with `python bench/lstm.py`. The two take turns, and each figure is the best
run of several: once forward, and once forward and backward.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lookback.lstm import GRUCell, LSTMCell, ResetAfterGRUCell
from lookback.measure import timings
from lookback.recurrent import Cell, RNNCell, hidden, unroll

B, T, D, N = 32, 30, 64, 128

PAIRS: dict[str, tuple[Cell[Any], nn.Module]] = {
    "RNN": (RNNCell(D, N), nn.RNN(D, N, batch_first=True)),
    "LSTM": (LSTMCell(D, N), nn.LSTM(D, N, batch_first=True)),
    "GRU, Cho's reset": (GRUCell(D, N), nn.GRU(D, N, batch_first=True)),
    "GRU, cuDNN's reset": (
        ResetAfterGRUCell(D, N),
        nn.GRU(D, N, batch_first=True),
    ),
}


def learning(states: Callable[[], Tensor]) -> Callable[[], None]:
    """Forward, then backward from the sum of all hidden states."""
    return lambda: states().sum().backward()


def main() -> None:
    torch.set_num_threads(1)
    x = torch.randn(B, T, D)
    print(f"{B} sentences of {T} tokens, vectors of {D}, states of {N}; one thread")
    print(f"{'tokens a second':22}{'':10}{'ours':>12}{'torch.nn':>12}{'ratio':>8}")
    for name, (cell, twin) in PAIRS.items():
        works = [lambda c=cell: hidden(unroll(c, x)), lambda t=twin: t(x)[0]]
        with torch.no_grad():
            reading = timings(*works)
        for what, runs in (
            ("reading", reading),
            ("learning", timings(*map(learning, works))),
        ):
            ours, theirs = (B * T / run.best for run in runs)
            print(f"{name:22}{what:10}{ours:12,.0f}{theirs:12,.0f}{ours / theirs:8.2f}")


if __name__ == "__main__":
    main()
