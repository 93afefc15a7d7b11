"""How good, how sure, how fast: the numbers by which the book compares its models."""

from lookback.measure.alignment import alignment_counts, alignment_error_rate
from lookback.measure.analogies import (
    AnalogyScore,
    Answers,
    analogy_answers,
    analogy_scores,
)
from lookback.measure.bleu import (
    Bleu,
    LengthBin,
    bleu,
    bleu_by_length,
    bleu_counts,
)
from lookback.measure.bootstrap import Interval, bootstrap, paired_bootstrap
from lookback.measure.intervals import (
    alignment_error_rate_interval,
    bleu_difference,
    bleu_interval,
)
from lookback.measure.neighbours import Agreement, neighbour_agreement
from lookback.measure.perplexity import log_probabilities, perplexity
from lookback.measure.timing import Timing, timing, timings

__all__ = [
    "Agreement",
    "AnalogyScore",
    "Answers",
    "Bleu",
    "Interval",
    "LengthBin",
    "Timing",
    "alignment_counts",
    "alignment_error_rate",
    "alignment_error_rate_interval",
    "analogy_answers",
    "analogy_scores",
    "bleu",
    "bleu_by_length",
    "bleu_counts",
    "bleu_difference",
    "bleu_interval",
    "bootstrap",
    "log_probabilities",
    "neighbour_agreement",
    "paired_bootstrap",
    "perplexity",
    "timing",
    "timings",
]
