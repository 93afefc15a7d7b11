"""Timing: the median of some runs, since the mean believes every hiccup."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds of each run, in order."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        """The run that was disturbed least: to compare two ways of doing one thing."""
        return min(self.seconds)

    def per_second(self, amount: float) -> float:
        """How many of `amount` things done in each run the median run did a second."""
        return amount / self.median

    def __str__(self) -> str:
        spread = f"{min(self.seconds):.3g} to {max(self.seconds):.3g}"
        return f"{self.median:.3g} s (median of {len(self.seconds)}, {spread})"


def timing(
    work: Callable[[], object],
    *,
    repeats: int = 5,
    warmup: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> Timing:
    """Time `work()` `repeats` times, after `warmup` runs that do not count.

    Work on a GPU must end with its synchronisation, or the clock stops too soon.
    """
    return timings(work, repeats=repeats, warmup=warmup, clock=clock)[0]


def timings(
    *works: Callable[[], object],
    repeats: int = 5,
    warmup: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> list[Timing]:
    """Time several works that take turns: what disturbs one disturbs all; see timing.

    →  one Timing for each of `works`, in their order
    """
    if repeats < 1 or warmup < 0:
        raise ValueError(
            "timing needs repeats of 1 or more and warmup of 0 or more, "
            f"got {repeats} and {warmup}"
        )
    for work in works * warmup:
        work()
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for found, work in zip(seconds, works, strict=True):
            start = clock()
            work()
            found.append(clock() - start)
    return [Timing(tuple(found)) for found in seconds]
