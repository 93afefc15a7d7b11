"""Chance: the one place of the library that seeds, and it leaves no trace."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor


def generator(seed: int) -> torch.Generator:
    """A source of chance of one's own."""
    return torch.Generator().manual_seed(seed)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Inside, torch's own chance starts at `seed`; outside, it is as if never used."""
    before = states()
    torch.manual_seed(seed)
    try:
        yield
    finally:
        restore(before)


def states() -> dict[str, Tensor]:
    """Where torch's own chance stands, on the CPU and the accelerator in use."""
    found = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        found["cuda"] = torch.cuda.get_rng_state()
    if torch.backends.mps.is_available():
        found["mps"] = torch.mps.get_rng_state()
    return found


def restore(found: Mapping[str, Tensor]) -> None:
    """Put torch's own chance back to where `states` found it."""
    for device, state in found.items():
        if device == "cpu":
            torch.set_rng_state(state)
        elif device == "cuda":
            torch.cuda.set_rng_state(state)
        else:
            torch.mps.set_rng_state(state)
