"""Where a model trains: on which device, and among how many processes.

`torchrun` starts the same command several times and numbers the copies, the ranks. Each
trains on its share of every batch, and their gradients are summed.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

DEVICES = ("auto", "cpu", "cuda", "mps")
ALONE = ("0", "1")

T = TypeVar("T")


def device(name: str = "auto") -> torch.device:
    """The device of that name; "auto" is the fastest that is there.

    Under torchrun, "cuda" is the GPU of this process's number on this machine.
    """
    there = {"cuda": torch.cuda.is_available(), "cpu": True}
    there["mps"] = torch.backends.mps.is_available()
    if name == "auto":
        name = next(d for d in ("cuda", "mps", "cpu") if there[d])
    if name not in there:
        raise ValueError(f"a device is one of {', '.join(DEVICES)}, got {name!r}")
    if not there[name]:
        raise ValueError(
            f"this machine has no {name} that torch {torch.__version__} sees"
        )
    if name == "cuda":
        return torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
    return torch.device(name)


@dataclass(frozen=True)
class Ranks:
    """This process among those that train together: number `rank` of `world`."""

    rank: int = 0
    world: int = 1

    @property
    def first(self) -> bool:
        """Is this the one that writes files and shows the bar?"""
        return self.rank == 0

    def sums(self, *numbers: float, on: torch.device) -> list[float]:
        """Each number, summed over all ranks."""
        if self.world == 1:
            return list(numbers)
        # MPS has no doubles, but no process group either.
        tensor = torch.tensor(numbers, dtype=torch.float64, device=on)
        dist.all_reduce(tensor)
        return [float(number) for number in tensor.tolist()]

    def gathered(self, mine: T) -> list[T]:
        """What every rank holds, in the order of ranks, on every rank."""
        if self.world == 1:
            return [mine]
        gathered: list[Any] = [None] * self.world
        dist.all_gather_object(gathered, mine)
        return gathered

    def sum_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Replace the gradient of each parameter by its sum over all ranks.

        It is zero where this rank's rows did not need the parameter, so that all ranks
        sum the same ones.
        """
        for parameter in parameters if self.world > 1 else ():
            if parameter.requires_grad:
                if parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)
                dist.all_reduce(parameter.grad)


@contextmanager
def together(on: torch.device) -> Iterator[Ranks]:
    """Join the processes that torchrun started; alone without it."""
    rank, world = (
        int(os.environ.get(name, alone))
        for name, alone in zip(("RANK", "WORLD_SIZE"), ALONE, strict=True)
    )
    if world == 1:
        yield Ranks()
        return
    if on.type == "cuda":
        torch.cuda.set_device(on)
    elif on.type == "mps":
        raise ValueError("torchrun trains on CPUs or on CUDA, not on mps: --device cpu")
    dist.init_process_group("nccl" if on.type == "cuda" else "gloo")
    try:
        yield Ranks(rank, world)
    finally:
        dist.destroy_process_group()


def share(batch: Any, ranks: Ranks) -> tuple[Any, bool]:
    """This rank's rows of a batch, and whether they count.

    batch  a tensor (B, …), or tuples, lists, mappings, dataclasses of such; anything
           else in it stays as it is
    Row after row goes to rank 0, 1, … in turn. A rank for which no row is left takes
    the first, since no model takes empty batches; it must not count.
    """
    if ranks.world == 1:
        return batch, True
    lengths = set[int]()
    _mapped(batch, lambda tensor: lengths.add(len(tensor)))
    if len(lengths) != 1:
        raise ValueError(f"a batch's tensors need the same first axis, got {lengths}")
    counts = ranks.rank < lengths.pop()
    start = ranks.rank if counts else 0
    step = ranks.world if counts else 1
    stop = None if counts else 1
    return _mapped(batch, lambda rows: rows[start:stop:step]), counts


def moved(batch: Any, on: torch.device) -> Any:
    """The batch with its tensors on a device."""
    return _mapped(batch, lambda tensor: tensor.to(on))


def _mapped(batch: Any, change: Callable[[Tensor], Any]) -> Any:
    """The batch with each of its tensors changed."""
    match batch:
        case Tensor():
            return change(batch)
        case Mapping():
            return {key: _mapped(part, change) for key, part in batch.items()}
        case tuple() if hasattr(batch, "_fields"):
            return type(batch)(*(_mapped(part, change) for part in batch))
        case tuple() | list():
            return type(batch)(_mapped(part, change) for part in batch)
        case _ if is_dataclass(batch) and not isinstance(batch, type):
            parts = {f.name: getattr(batch, f.name) for f in fields(batch) if f.init}
            return replace(batch, **{k: _mapped(v, change) for k, v in parts.items()})
        case _:
            return batch
