"""Several processes that train one model, by torch's DistributedDataParallel.

All draw the same batches; each takes its rows. `fit` knows nothing of it, but its loss.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from .device import mapped
from .fit import Loss


@contextmanager
def together(on: torch.device) -> Iterator[None]:
    """Join the processes that torchrun started; alone without it.

    What `shared` returned has to be gone at the end: torch may hang when it is freed
    after the processes have parted.
    """
    if int(os.environ.get("WORLD_SIZE", 1)) == 1:
        yield
        return
    if on.type == "mps":
        raise ValueError("torchrun trains on CPUs or on CUDA, not on mps: --device cpu")
    if on.type == "cuda":
        torch.cuda.set_device(on)
    dist.init_process_group("nccl" if on.type == "cuda" else "gloo")
    try:
        yield
    finally:
        dist.destroy_process_group()


def world() -> int:
    """How many processes train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


def rank() -> int:
    """The number of this process; 0 writes files and shows the bar."""
    return dist.get_rank() if world() > 1 else 0


class Part(nn.Module):
    """The loss of some rows, as a module: DistributedDataParallel wraps one."""

    def __init__(self, model: nn.Module, loss: Loss) -> None:
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, batch: Any, rows: slice) -> tuple[Tensor, int]:
        return self.loss(self.model, mapped(batch, lambda tensor: tensor[rows]))


def shared(model: nn.Module, loss: Loss) -> Loss:
    """The loss of a batch whose rows all processes share; alone, `loss` itself.

    Value and tokens are those of the whole batch, and so is the gradient, once it is
    averaged: each process multiplies its part by their number.
    A process for which no row is left takes the first, which does not count.
    """
    if world() == 1:
        return loss
    # BERT's second head, for one, has no loss here.
    replica = DistributedDataParallel(Part(model, loss), find_unused_parameters=True)

    def whole(model: nn.Module, batch: Any) -> tuple[Tensor, int]:
        tensors = list[Tensor]()
        mapped(batch, tensors.append)
        counts = rank() < min(map(len, tensors))
        rows = slice(rank(), None, world()) if counts else slice(0, 1)
        total, tokens = replica(batch, rows)
        own = total * counts * world()
        sums = torch.stack([total.detach() * counts, total.new_tensor(tokens * counts)])
        dist.all_reduce(sums)
        return own + (sums[0] - own.detach()), int(sums[1])

    return whole


def of_first(number: float) -> float:
    """The number that the first process has: with it all stop at the same step."""
    box = [number]
    if world() > 1:
        dist.broadcast_object_list(box)
    return box[0]
