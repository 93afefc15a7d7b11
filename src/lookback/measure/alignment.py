"""Alignment error rate: how much links between words differ from gold links."""

from collections.abc import Collection, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.measure.bootstrap import Interval, bootstrap

Links = Collection[tuple[int, int]]


def alignment_error_rate(
    links: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links]
) -> float:
    """1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|).   Och and Ney 2003.

    links     A: for each sentence pair the predicted links, (source, target) indices
    sure      S: gold links that are certain
    possible  P: gold links that are acceptable, S among them
    →  0 where A holds all of S and nothing outside P; 1 where it shares nothing

    The sizes are summed over all sentences first, so that each link weighs the same.
    Raises `ValueError` where the lists differ in length, a sure link is not possible,
    or there are neither links nor sure ones.
    """
    return rate(alignment_counts(links, sure, possible).sum(axis=0))


def alignment_counts(
    links: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links]
) -> NDArray[np.float64]:
    """|A ∩ S|, |A ∩ P|, |A|, |S| of each sentence: (N, 4)."""
    rows = []
    for row, (a, s, p) in enumerate(zip(links, sure, possible, strict=True)):
        a, s, p = frozenset(a), frozenset(s), frozenset(p)
        if not s <= p:
            raise ValueError(
                f"sure links must also be possible, in sentence {row} {sorted(s - p)}"
                " are not"
            )
        rows.append((len(a & s), len(a & p), len(a), len(s)))
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


def rate(counts: NDArray[np.float64]) -> float:
    """The error rate of summed counts (4,)."""
    in_sure, in_possible, links, sure = map(float, counts)
    if links + sure == 0:
        raise ValueError("an error rate needs links, got none predicted and none sure")
    return 1 - (in_sure + in_possible) / (links + sure)


def alignment_error_rate_interval(
    links: Sequence[Links],
    sure: Sequence[Links],
    possible: Sequence[Links],
    *,
    generator: torch.Generator,
    samples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """`alignment_error_rate(…)`, with the interval that resampling sentences gives."""
    counts = alignment_counts(links, sure, possible)
    return bootstrap(rate, counts, generator=generator, samples=samples, level=level)
