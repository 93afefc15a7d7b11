"""How good, how sure, how fast: the numbers by which the book compares its models."""

from lookback.measure.alignment import (
    alignment_counts,
    alignment_error_rate,
    alignment_error_rate_interval,
)
from lookback.measure.analogies import AnalogyScore, analogy_scores
from lookback.measure.attention_maps import (
    attended_words,
    normalised_entropy,
    strongest_links,
    strongest_positions,
)
from lookback.measure.bleu import bleu, bleu_counts, bleu_difference, bleu_interval
from lookback.measure.bootstrap import (
    Interval,
    bootstrap,
    paired_bootstrap,
    wilson_interval,
)
from lookback.measure.brackets import bracket_counts, bracket_f1, brackets
from lookback.measure.by_length import LengthBin, bleu_by_length
from lookback.measure.components import principal_components
from lookback.measure.neighbours import neighbour_agreement
from lookback.measure.paths import (
    path_length,
    receptive_field,
    sequential_operations,
)
from lookback.measure.perplexity import log_probabilities, perplexity
from lookback.measure.tagging import accuracy, tag_counts, unknown_accuracy
from lookback.measure.timing import timing, timings

__all__ = [
    "AnalogyScore",
    "Interval",
    "LengthBin",
    "accuracy",
    "alignment_counts",
    "alignment_error_rate",
    "alignment_error_rate_interval",
    "analogy_scores",
    "attended_words",
    "bleu",
    "bleu_by_length",
    "bleu_counts",
    "bleu_difference",
    "bleu_interval",
    "bootstrap",
    "bracket_counts",
    "bracket_f1",
    "brackets",
    "log_probabilities",
    "neighbour_agreement",
    "normalised_entropy",
    "paired_bootstrap",
    "path_length",
    "perplexity",
    "principal_components",
    "receptive_field",
    "sequential_operations",
    "strongest_links",
    "strongest_positions",
    "tag_counts",
    "timing",
    "timings",
    "unknown_accuracy",
    "wilson_interval",
]
