"""Hold panels against a run of what they show."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import torch
from torch import Tensor, nn

from lookback.diagrams.truth_tape import record, with_random_weights
from lookback.diagrams.truth_wiring import Claim, hold
from lookback.figures.diagram import Panel

P = ParamSpec("P")
T = TypeVar("T")


def preserves_rng(draw: Callable[P, T]) -> Callable[P, T]:
    """Run a function with a forked random state.

    New modules draw their weights; a page that shows a diagram computes what it would
    compute without.
    """

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> T:
        with torch.random.fork_rng(devices=[]):
            return draw(*args, **kwargs)

    return drawn


def held(
    panel: Panel,
    root: nn.Module,
    run: Callable[[Any], object],
    sizes: Mapping[str, int],
) -> Panel:
    """Return the panel if it shows what happens in `run`, which gets the root.

    The root gets random weights in double precision first. sizes: of the letters in
    the panel's shapes. Raises ValueError for every box, arrow or shape that is wrong.
    """
    with_random_weights(root)
    tape, claims = record(root, lambda: run(root)), panel.claims
    hold(
        tape,
        {name: Claim(*claim) for name, claim in claims.boxes.items()},
        claims.arrows,
        sizes=sizes,
        omits=claims.omits,
        unboxed=claims.unboxed,
    )
    return panel


def fixed_normal(*shape: int) -> Tensor:
    """Draw normal random numbers of this shape, the same each time."""
    return torch.randn(shape, generator=torch.Generator(), dtype=torch.float64)
