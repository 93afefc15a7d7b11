"""What a score of Luong's costs, over the size of the states and the source."""

import time
from dataclasses import dataclass

import torch
from torch import Tensor

from lookback.luong import LuongAttention
from lookback.measure import timing
from lookback.workshop import Row, Study, case, each, seeds


@dataclass(frozen=True)
class Size:
    """B sentences in which T states attend to S, all of size n."""

    score: str
    n: int
    S: int
    T: int = 32
    B: int = 4


SIZES, LENGTHS = (64, 128, 256, 512, 1024), (10, 20, 40, 80, 160, 320)
CASES = {
    f"{score}, n {n}, S {S}": Size(score, n, S)
    for score in ("dot", "general", "concat")
    for n, S in dict.fromkeys([*((n, 40) for n in SIZES), *((256, S) for S in LENGTHS)])
}


def cost(size: Size, repeats: int = 40) -> Row:
    """CPU seconds of attention, and with its gradients, for which bytes are saved.

    Of several calls the fastest counts.
    """
    generator = seeds.generator(0)
    with seeds.seeded(0):
        attention = LuongAttention(size.n, size.score)
    h, states = (
        torch.randn(size.B, length, size.n, generator=generator, requires_grad=True)
        for length in (size.T, size.S)
    )
    mask = torch.ones(size.B, size.S, dtype=torch.bool)
    t = torch.ones(size.B, size.T, dtype=torch.long)

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
        name: round(timing(work, repeats=repeats, clock=time.process_time).best, 7)
        for name, work in (("forward", forward), ("both", both))
    }
    return {**seconds, "bytes": sum(saved.values()), "value": round(total.item(), 3)}


STUDY = Study(
    about="CPU seconds of attention, over the size of the states and the source",
    cases=each(cost, size=CASES),
    times=("forward", "both"),
    check=case(cost, size=Size("general", 8, 5)),
)
