"""How good, how sure, how fast: the numbers by which the book compares its models."""

from lookback.measure.alignment import alignment_counts, alignment_error_rate
from lookback.measure.analogies import (
    AnalogyScore,
    Answers,
    analogy_answers,
    analogy_scores,
)
from lookback.measure.attention_maps import (
    alignment_jumps,
    attended_words,
    head_error_rates,
    mean_by_offset,
    most_frequent,
    normalised_entropy,
    strongest_links,
    strongest_positions,
    swapped_neighbours,
)
from lookback.measure.bleu import Bleu, bleu, bleu_counts
from lookback.measure.bootstrap import Interval, bootstrap, paired_bootstrap
from lookback.measure.brackets import bracket_counts, bracket_f1, brackets
from lookback.measure.by_length import LengthBin, bleu_by_length
from lookback.measure.components import principal_components
from lookback.measure.intervals import (
    alignment_error_rate_interval,
    bleu_difference,
    bleu_interval,
    wilson_interval,
)
from lookback.measure.neighbours import Agreement, neighbour_agreement
from lookback.measure.paths import (
    path_length,
    receptive_field,
    sequential_operations,
)
from lookback.measure.perplexity import log_probabilities, perplexity
from lookback.measure.tagging import accuracy, tag_counts, unknown_accuracy
from lookback.measure.timing import timing, timings

__all__ = [
    "Agreement",
    "AnalogyScore",
    "Answers",
    "Bleu",
    "Interval",
    "LengthBin",
    "accuracy",
    "alignment_counts",
    "alignment_error_rate",
    "alignment_error_rate_interval",
    "alignment_jumps",
    "analogy_answers",
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
    "head_error_rates",
    "log_probabilities",
    "mean_by_offset",
    "most_frequent",
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
    "swapped_neighbours",
    "tag_counts",
    "timing",
    "timings",
    "unknown_accuracy",
    "wilson_interval",
]
