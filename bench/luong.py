"""What a score of attention costs, over the size n of the states and their number S.

The study luong stores some of these; here the keys are made anew in each call, too.
"""

import torch
from run import costs
from torch import Tensor

from lookback.luong import LuongAttention

B, T = 4, 32


def main() -> None:
    rows = {}
    for n, S in ((64, 40), (1024, 40), (256, 320)):
        for score in ("dot", "general", "concat"):
            attention = LuongAttention(n, score)
            h, states = torch.randn(B, T, n), torch.randn(B, S, n, requires_grad=True)
            mask, t = torch.ones(B, S).bool(), torch.ones(B, T).long()

            def forward(a=attention, h=h, states=states, mask=mask, t=t) -> Tensor:
                return a(h, a.project(states, mask), t)[0].sum()

            rows[f"{score}, n {n}, S {S}"] = {
                "forward": forward,
                "and back": lambda forward=forward: forward().backward(),
            }
    costs("milliseconds", rows, turns=20)
