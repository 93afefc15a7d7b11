"""What multi-head attention costs, ours beside torch's.

Forward and backward, weights returned. The aim is at most 1.15 times
`nn.MultiheadAttention`, which returns the mean over its heads.
"""

from collections.abc import Callable

import torch
from run import costs
from torch import nn

from lookback.attention import causal_mask
from lookback.multihead import MultiHeadAttention

SIZES = ((32, 14, 96, 4), (16, 32, 96, 4), (4, 64, 512, 8))  # B, T, d_model, h


def learning(model: nn.Module, *given: object, **named: object) -> Callable[[], None]:
    def work() -> None:
        model.zero_grad()
        model(*given, **named)[0].sum().backward()

    return work


def main() -> None:
    rows = {}
    for B, T, d_model, h in SIZES:
        x = torch.randn(B, T, d_model, requires_grad=True)
        ours = MultiHeadAttention(d_model, h)
        theirs = nn.MultiheadAttention(d_model, h, bias=False, batch_first=True)
        for name, mask in (("", None), (", causal", causal_mask(T))):
            hidden = None if mask is None else ~mask
            rows[f"B {B}, T {T}, d {d_model}, h {h}{name}"] = {
                "ours": learning(ours, x, x, x, mask),
                "torch": learning(theirs, x, x, x, attn_mask=hidden),
            }
    costs("milliseconds", rows, turns=60)
