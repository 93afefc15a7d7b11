"""Confidence intervals: of BLEU, of the alignment error rate, and of a share."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.measure.alignment import Links, alignment_counts, rate
from lookback.measure.bleu import Sentence, bleu_counts, score_of
from lookback.measure.bootstrap import Interval, bootstrap, paired_bootstrap

Shares = NDArray[np.float64]


def bleu_interval(
    *,
    hypotheses: Sequence[Sentence],
    references: Sequence[Sentence],
    generator: torch.Generator,
    samples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """`bleu(…).score`, with the interval that resampling its sentences gives."""
    counts = bleu_counts(hypotheses=hypotheses, references=references)
    return bootstrap(
        score_of, counts, generator=generator, samples=samples, level=level
    )


def bleu_difference(
    *,
    hypotheses: Sequence[Sentence],
    others: Sequence[Sentence],
    references: Sequence[Sentence],
    generator: torch.Generator,
    samples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """By how much the BLEU of `hypotheses` lies above that of `others`."""
    counts = bleu_counts(hypotheses=hypotheses, references=references)
    other = bleu_counts(hypotheses=others, references=references)
    return paired_bootstrap(
        score_of, counts, other, generator=generator, samples=samples, level=level
    )


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


def wilson_interval(
    share: Shares, trials: Shares, z: float = 1.96
) -> tuple[Shares, Shares]:
    """(p + z²/2n ± z √(p (1 - p)/n + z²/4n²)) / (1 + z²/n).   Wilson 1927.

    share   p, of the trials that succeeded;  trials  n, of the same shape
    z       1.96 for 95 %
    →  the lower and the upper end of each interval
    """
    extra = z * z / trials
    middle = (share + extra / 2) / (1 + extra)
    half = z * np.sqrt(share * (1 - share) / trials + extra / trials / 4) / (1 + extra)
    return middle - half, middle + half
