"""Tokens a second of our cells and of torch.nn's, which run in C++; one thread.

Run it with `python bench/recurrent.py`. The two take turns, and each figure is the best
run of several: once forward, and once forward and backward.
"""

import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

from lookback.recurrent import Cell, GRUCell, LSTMCell, RNNCell, hidden, unroll

B, T, D, N = 32, 30, 64, 128
TURNS = 5

PAIRS: dict[str, tuple[Cell, nn.Module]] = {
    "RNN": (RNNCell(D, N), nn.RNN(D, N, batch_first=True)),
    "LSTM": (LSTMCell(D, N), nn.LSTM(D, N, batch_first=True)),
    "GRU, Cho's reset": (GRUCell(D, N), nn.GRU(D, N, batch_first=True)),
    "GRU, cuDNN's reset": (
        GRUCell(D, N, reset_after=True),
        nn.GRU(D, N, batch_first=True),
    ),
}


def seconds(*works: Callable[[], object]) -> list[float]:
    """The shortest time that each of `works` took."""
    best = [float("inf")] * len(works)
    for i, work in list(enumerate(works)) * TURNS:
        start = time.perf_counter()
        work()
        best[i] = min(best[i], time.perf_counter() - start)
    return best


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
            reading = seconds(*works)
        for what, best in (
            ("reading", reading),
            ("learning", seconds(*map(learning, works))),
        ):
            ours, theirs = (B * T / s for s in best)
            print(f"{name:22}{what:10}{ours:12,.0f}{theirs:12,.0f}{ours / theirs:8.2f}")


if __name__ == "__main__":
    main()
