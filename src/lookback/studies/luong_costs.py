"""What a score of Luong's costs, over the size of the states and the source."""

import time

import torch
from torch import Tensor

from lookback.luong import LuongAttention
from lookback.measure import timing
from lookback.workshop import Row, Study, case, seeds

SIZES, LENGTHS = (64, 128, 256, 512, 1024), (10, 20, 40, 80, 160, 320)
B, T = 4, 32  # sentences, and states of each


def cost(score: str, n: int, S: int, repeats: int = 40) -> Row:
    """CPU seconds of attention, and with its gradients, for which bytes are saved.

    T states attend to S, all of size n. Of several calls the fastest counts.
    """
    generator = seeds.generator(0)
    with seeds.seeded(0):
        attention = LuongAttention(n, score)
    h, states = (
        torch.randn(B, length, n, generator=generator, requires_grad=True)
        for length in (T, S)
    )
    mask = torch.ones(B, S, dtype=torch.bool)
    t = torch.ones(B, T, dtype=torch.long)

    def forward() -> Tensor:
        c, _ = attention(h, attention.project(states, mask), t)
        total: Tensor = c.sum()
        return total

    def both() -> None:
        forward().backward()  # type: ignore[no-untyped-call]

    saved = dict[int, int]()

    def keep(x: Tensor) -> Tensor:
        saved[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
        return x

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        total = forward()
    seconds = {
        name: timing(work, repeats=repeats, clock=time.process_time)
        for name, work in (("forward", forward), ("both", both))
    }
    return {**seconds, "bytes": sum(saved.values()), "value": total.item()}


SHAPES = dict.fromkeys([*((n, 40) for n in SIZES), *((256, S) for S in LENGTHS)])
STUDY = Study(
    about="CPU seconds of attention, over the size of the states and the source",
    cases={
        f"{score}, n {n}, S {S}": case(cost, score=score, n=n, S=S)
        for score in ("dot", "general", "concat")
        for n, S in SHAPES
    },
    times=("forward", "both"),
    check=case(cost, score="general", n=8, S=5),
)
