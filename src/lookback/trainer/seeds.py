"""Random numbers: the one place of the library that seeds, and it leaves no trace."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor


def generator(seed: int) -> torch.Generator:
    """A random number generator of one's own."""
    return torch.Generator().manual_seed(seed)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Inside, torch's own generator starts at `seed`; outside, it is as if unused."""
    before = states()
    torch.manual_seed(seed)
    try:
        yield
    finally:
        restore(before)


def states() -> dict[str, Tensor]:
    """The states of torch's own generators, on the CPU and the accelerator in use."""
    current = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        current["cuda"] = torch.cuda.get_rng_state()
    if torch.backends.mps.is_available():
        current["mps"] = torch.mps.get_rng_state()
    return current


def restore(states: Mapping[str, Tensor]) -> None:
    """Put torch's own generators back to what `states` returned."""
    for device, state in states.items():
        if device == "cpu":
            torch.set_rng_state(state)
        elif device == "cuda":
            torch.cuda.set_rng_state(state)
        else:
            torch.mps.set_rng_state(state)
