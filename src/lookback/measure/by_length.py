"""BLEU by the length of the source: where does a translator begin to fail?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from lookback.measure.bleu import Bleu, Sentence, bleu, bleu_counts, score_of
from lookback.measure.bootstrap import Interval, bootstrap

EDGES = (10, 20, 30, 40, 50, 60, 70)


@dataclass(frozen=True)
class LengthBin:
    """The sentences of `shortest` to `longest` source words; None is any length.

    sentences  how many they are
    ratio      words of the hypotheses per word of the references
    interval   bootstrap interval of the score; None where no generator was given
    """

    shortest: int
    longest: int | None
    sentences: int
    bleu: Bleu
    ratio: float
    interval: Interval | None = None


def bleu_by_length(
    *,
    hypotheses: Sequence[Sentence],
    references: Sequence[Sentence],
    lengths: Sequence[int],
    edges: Sequence[int] = EDGES,
    generator: torch.Generator | None = None,
    samples: int = 1000,
) -> tuple[LengthBin, ...]:
    """BLEU of the sentences of 1–10, 11–20, … source words, and of all longer ones.

    lengths    how many words each source sentence has
    edges      the longest length of each bin, increasing
    generator  draws the resamples of an interval; each bin starts from its state at
               the call, so that no bin depends on which others there are
    A bin without sentences is left out. Raises `ValueError` where not every sentence
    has a length of 1 or more.
    """
    if len(lengths) != len(hypotheses) or min(lengths) < 1:
        raise ValueError(
            f"expected {len(hypotheses)} lengths of 1 or more, got {len(lengths)}: "
            f"{list(lengths[:5])}"
        )
    counts = bleu_counts(hypotheses=hypotheses, references=references)  # (N, 10)
    state = generator.get_state() if generator else None
    bins = []
    for low, high in zip((0, *edges), (*edges, None), strict=True):
        rows = [k for k, n in enumerate(lengths) if n > low and (not high or n <= high)]
        if not rows:
            continue
        interval = None
        if generator is not None and state is not None:
            generator.set_state(state)
            interval = bootstrap(
                score_of, counts[rows], generator=generator, samples=samples
            )
        score = bleu(
            hypotheses=[hypotheses[k] for k in rows],
            references=[references[k] for k in rows],
        )
        written, wanted = counts[rows, :2].sum(axis=0).tolist()
        ratio = written / wanted if wanted else math.nan
        bins.append(LengthBin(low + 1, high, len(rows), score, ratio, interval))
    return tuple(bins)
