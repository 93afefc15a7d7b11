"""Confidence intervals of the book's two corpus scores: BLEU and alignment error."""

from collections.abc import Sequence

import torch

from lookback.measure.alignment import Links, alignment_counts, rate
from lookback.measure.bleu import Sentence, bleu_counts, score_of
from lookback.measure.bootstrap import Interval, bootstrap, paired_bootstrap


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
