"""A training step of one layer of attention with each kind of positions, and none."""

from functools import partial

import torch
from run import costs

from lookback.attention import causal_mask
from lookback.multihead import MultiHeadAttention
from lookback.rotary import AlibiAttention, RelativeAttention, RotaryAttention

KINDS = {
    "none": MultiHeadAttention,
    "rotary": RotaryAttention,
    "ALiBi": AlibiAttention,
    "relative": partial(RelativeAttention, reach=8),
}


def main() -> None:
    rows = {}
    for T in (32, 256):
        x, mask = torch.randn(4, T, 64), causal_mask(T)

        def step(attention, x=x, mask=mask) -> None:
            attention(x, x, x, mask)[0].square().mean().backward()

        rows[f"T {T}"] = {k: partial(step, make(64, 4)) for k, make in KINDS.items()}
    costs("milliseconds", rows)
