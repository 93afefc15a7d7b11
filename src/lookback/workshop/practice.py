"""Practice: a small network learns a toy task, whose batches are drawn at each step."""

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import Tensor, nn

from . import seeds

M = TypeVar("M", bound=nn.Module)


def practise(
    make: Callable[[], M],
    loss: Callable[[M, torch.Generator], Tensor],
    *,
    seed: int,
    steps: int,
    rate: float,
    falls: bool = False,
    clip: float | None = None,
    generator: torch.Generator | None = None,
) -> tuple[M, list[float]]:
    """The network that `make` makes, after its training by Adam; the loss of each step.

    loss   (network, generator) → the mean loss of a batch that it draws
    seed       that of the initial values
    falls      does the rate fall to 0, in a straight line?
    clip       the norm that a gradient may have; None: any
    generator  draws the batches; None: one that begins at `seed`
    Parameters that need no gradient are left alone.
    """
    draws = seeds.generator(seed) if generator is None else generator
    with seeds.seeded(seed):
        model = make()
    learnt = [p for p in model.parameters() if p.requires_grad]
    adam, losses = torch.optim.Adam(learnt, rate), list[float]()
    for step in range(steps):
        if falls:
            adam.param_groups[0]["lr"] = rate * (1 - step / steps)
        cost = loss(model, draws)
        adam.zero_grad()
        cost.backward()  # type: ignore[no-untyped-call]
        if clip is not None:
            nn.utils.clip_grad_norm_(learnt, clip)
        adam.step()
        losses.append(cost.item())
    return model.eval(), losses
