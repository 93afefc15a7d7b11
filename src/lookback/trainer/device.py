"""The device on which a model trains, and batches on their way to it."""

import os
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

DEVICES = ("auto", "cpu", "cuda", "mps")


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


def moved(batch: Any, on: torch.device) -> Any:
    """The batch with its tensors on a device."""
    return mapped(batch, lambda tensor: tensor.to(on))


def mapped(batch: Any, change: Callable[[Tensor], Any]) -> Any:
    """The batch, a tensor or a tuple, list or dataclass of them, each changed."""
    if isinstance(batch, Tensor):
        return change(batch)
    if isinstance(batch, tuple | list):
        return type(batch)([mapped(part, change) for part in batch])
    if is_dataclass(batch) and not isinstance(batch, type):
        parts = [getattr(batch, field.name) for field in fields(batch)]
        return type(batch)(*[mapped(part, change) for part in parts])
    return batch
