"""How often a tagger is right: over all words, and over those it never read."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]
Tags = Sequence[str]


def tag_counts(
    words: Sequence[Sequence[str]],
    gold: Sequence[Tags],
    guessed: Sequence[Tags],
    known: Collection[str],
) -> Counts:
    """What `accuracy` needs to know of each sentence.

    words, gold, guessed  N sentences, their right tags, and those of a tagger
    known                 the words that the tagger read in training
    →  (N, 4): words, words tagged rightly, unknown words, unknown ones tagged rightly
    """
    rows = []
    for sentence in zip(words, gold, guessed, strict=True):
        right, new, both = 0, 0, 0
        for word, tag, guess in zip(*sentence, strict=True):
            right += tag == guess
            new += word not in known
            both += tag == guess and word not in known
        rows.append([len(sentence[0]), right, new, both])
    return np.array(rows, dtype=float).reshape(-1, 4)


def accuracy(sums: Counts) -> float:
    """Percent of words that are tagged rightly; `sums` (4,) adds up `tag_counts`."""
    return percent(sums[1], sums[0])


def unknown_accuracy(sums: Counts) -> float:
    """Percent of unknown words that are tagged rightly; NaN where there is none."""
    return percent(sums[3], sums[2])


def percent(part: float, whole: float) -> float:
    return float(100 * part / whole) if whole else float("nan")
