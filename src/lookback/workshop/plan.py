"""How long to train, and when to look up."""

from collections.abc import Callable
from dataclasses import dataclass


def constant(step: int) -> float:
    """The schedule that leaves the learning rate as the optimiser has it."""
    return 1.0


@dataclass(frozen=True)
class Plan:
    """What `fit` does when.

    steps           how many batches
    schedule        step, counted from 1 → what the learning rate is multiplied with
    clip            the norm that the gradient may have; None: any
    evaluate_every  after how many steps `evaluate` is asked; the end always is
    patience        stop after so many evaluations in a row without a better one
    save_every      seconds after which the state is written again
    """

    steps: int
    schedule: Callable[[int], float] = constant
    clip: float | None = None
    evaluate_every: int = 100
    patience: int | None = None
    save_every: float = 30.0

    def __post_init__(self) -> None:
        whole = ["steps", "evaluate_every"]
        for name in whole if self.patience is None else [*whole, "patience"]:
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number ≥ 1, got {value!r}")
        if self.clip is not None and not self.clip > 0:
            raise ValueError(f"clip must be above 0 or None, got {self.clip!r}")
        if not self.save_every >= 0:
            raise ValueError(f"save_every must be ≥ 0, got {self.save_every!r}")
