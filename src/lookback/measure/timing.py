"""Timing: of several runs the fastest counts, since it was disturbed least."""

import time
from collections.abc import Callable


def timing(
    work: Callable[[], object],
    *,
    repeats: int = 5,
    warmup: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Time `work()` `repeats` times, after `warmup` runs that do not count.

    →  seconds of the fastest run

    Work on a GPU must end with its synchronisation, or the clock stops too soon.
    """
    return timings(work, repeats=repeats, warmup=warmup, clock=clock)[0]


def timings(
    *works: Callable[[], object],
    repeats: int = 5,
    warmup: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """Time several works that take turns: what disturbs one disturbs all; see timing.

    →  seconds of the fastest run of each of `works`, in their order
    """
    for work in works * warmup:
        work()
    fastest = [float("inf")] * len(works)
    for _ in range(repeats):
        for i, work in enumerate(works):
            start = clock()
            work()
            fastest[i] = min(fastest[i], clock() - start)
    return fastest
