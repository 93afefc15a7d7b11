"""What positions cost: attention with each kind of them, beside attention without.

Run it with `python bench/rotary.py`. Milliseconds of a training step of one layer,
forward and backward; each figure is the best of three.
"""

from functools import partial

import torch

from lookback.attention import causal_mask
from lookback.measure import timings
from lookback.multihead import MultiHeadAttention
from lookback.rotary import AlibiAttention, RelativeAttention, RotaryAttention

B, D, H, REACH, TURNS = 4, 64, 4, 8, 3
KINDS = {
    "none": MultiHeadAttention,
    "rotary": RotaryAttention,
    "ALiBi": AlibiAttention,
    "relative": partial(RelativeAttention, reach=REACH),
}


def main() -> None:
    lengths = (32, 256)
    print(f"{'ms a step':12}" + "".join(f"{f'T {T}':>10}" for T in lengths))
    rows = {name: [] for name in KINDS}
    for T in lengths:
        torch.manual_seed(0)
        x, mask = torch.randn(B, T, D), causal_mask(T)

        def step(attention, x=x, mask=mask) -> None:
            attention(x, x, x, mask)[0].square().mean().backward()

        steps = [partial(step, make(D, H)) for make in KINDS.values()]
        for name, run in zip(KINDS, timings(*steps, repeats=TURNS), strict=True):
            rows[name].append(1e3 * run.best)
    for name, found in rows.items():
        print(f"{name:12}" + "".join(f"{ms:10.2f}" for ms in found))


if __name__ == "__main__":
    main()
