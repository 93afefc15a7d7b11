"""What multi-head attention costs, ours beside torch's, and h heads beside one.

Run it with `python bench/multihead.py`. Forward and backward, weights returned, on
one thread; all take turns in one process, and of each the best turn counts. The aim is
at most 1.15 times `nn.MultiheadAttention`, which returns the mean over its heads.
"""

import time
from collections.abc import Callable

import torch
from torch import nn

from lookback.attention import causal_mask
from lookback.measure import timings
from lookback.multihead import MultiHeadAttention

TURNS, AIM = 60, 1.15
SIZES = ((32, 14, 96, 4), (16, 32, 96, 4), (4, 64, 512, 8))  # B, T, d_model, h
HEADS = (1, 2, 4, 8, 16)


def learning(model: nn.Module, *given: object, **named: object) -> Callable[[], None]:
    """One forward and one backward pass."""

    def work() -> None:
        model.zero_grad()
        model(*given, **named)[0].sum().backward()

    return work


def best(*works: Callable[[], None]) -> list[float]:
    """The least seconds of CPU that each took, all of them taking turns."""
    runs = timings(*works, repeats=TURNS, clock=time.process_time)
    return [run.best for run in runs]


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print("forward and backward, milliseconds")
    print(f"{'B':>3}{'T':>4}{'d_model':>9}{'h':>3}  {'mask':8}{'ours':>8}{'torch':>8}")
    for B, T, d_model, h in SIZES:
        x = torch.randn(B, T, d_model, requires_grad=True)
        ours = MultiHeadAttention(d_model, h)
        theirs = nn.MultiheadAttention(d_model, h, bias=False, batch_first=True)
        for name, mask in (("none", None), ("causal", causal_mask(T))):
            hidden = None if mask is None else ~mask
            one, two = best(
                learning(ours, x, x, x, mask),
                learning(theirs, x, x, x, attn_mask=hidden),
            )
            told = (
                f"{B:3}{T:4}{d_model:9}{h:3}  {name:8}{1e3 * one:8.2f}{1e3 * two:8.2f}"
            )
            print(f"{told}   ratio {one / two:.2f}, at most {AIM}")
    B, T, d_model, _ = SIZES[-1]
    x = torch.randn(B, T, d_model, requires_grad=True)
    models = [MultiHeadAttention(d_model, h) for h in HEADS]
    spent = best(*(learning(model, x, x, x) for model in models))
    print(f"B {B}, T {T}, d_model {d_model}, divided among h heads")
    for h, seconds in zip(HEADS, spent, strict=True):
        print(
            f"h {h:2}{1e3 * seconds:8.2f} ms, {seconds / spent[0]:.2f} times one head"
        )


if __name__ == "__main__":
    main()
