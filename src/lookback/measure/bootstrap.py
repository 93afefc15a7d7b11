"""Confidence intervals: the bootstrap of a score, and Wilson's of a share."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

Counts = NDArray[np.float64]
Score = Callable[[Counts], float]


@dataclass(frozen=True)
class Interval:
    """A measured value, and the range that holds `level` of the resamples."""

    value: float
    low: float
    high: float
    level: float
    samples: int

    def __str__(self) -> str:
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"


def bootstrap(
    score: Score,
    counts: Counts,
    *,
    generator: torch.Generator,
    samples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """Percentile interval of a score of summed counts.   Efron 1979; Koehn 2004.

    score      what the sums of counts (K,) come to
    counts     (N, K), a row for each sentence
    generator  draws each resample: N sentences out of N, with repetition
    level      which share of the resamples lies between `low` and `high`
    """
    drawn = [
        score(counts[r].sum(axis=0)) for r in draws(len(counts), samples, generator)
    ]
    return interval(score(counts.sum(axis=0)), drawn, level)


def paired_bootstrap(
    score: Score,
    counts: Counts,
    other: Counts,
    *,
    generator: torch.Generator,
    samples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """Interval of score(counts) - score(other), two systems on the same sentences.

    Both are resampled alike, so that what makes a sentence hard for both cancels. An
    interval that excludes 0 says that the difference is unlikely to be due to chance.
    """
    if counts.shape != other.shape:
        raise ValueError(
            "a paired comparison needs the same sentences twice, "
            f"got counts {counts.shape} and {other.shape}"
        )

    def difference(rows: NDArray[np.int64]) -> float:
        return score(counts[rows].sum(axis=0)) - score(other[rows].sum(axis=0))

    drawn = [difference(rows) for rows in draws(len(counts), samples, generator)]
    return interval(difference(np.arange(len(counts))), drawn, level)


def draws(n: int, samples: int, generator: torch.Generator) -> list[NDArray[np.int64]]:
    return [torch.randint(n, (n,), generator=generator).numpy() for _ in range(samples)]


def interval(value: float, drawn: list[float], level: float) -> Interval:
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high), level, len(drawn))


def wilson_interval(
    share: Counts, trials: Counts, z: float = 1.96
) -> tuple[Counts, Counts]:
    """(p + z²/2n ± z √(p (1 - p)/n + z²/4n²)) / (1 + z²/n).   Wilson 1927.

    share   p, of the trials that succeeded;  trials  n, of the same shape
    z       1.96 for 95 %
    →  the lower and the upper end of each interval
    """
    extra = z * z / trials
    middle = (share + extra / 2) / (1 + extra)
    half = z * np.sqrt(share * (1 - share) / trials + extra / trials / 4) / (1 + extra)
    return middle - half, middle + half
