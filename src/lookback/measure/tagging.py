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
    if not len(words) == len(gold) == len(guessed):
        raise ValueError(
            f"{len(words)} sentences, {len(gold)} of right tags and {len(guessed)} of "
            "guessed ones: expected equal numbers"
        )
    rows = []
    for number, (w, g, t) in enumerate(zip(words, gold, guessed, strict=True)):
        if not len(w) == len(g) == len(t):
            raise ValueError(
                f"sentence {number} has {len(w)} words, {len(g)} right tags and "
                f"{len(t)} guessed ones: expected equal numbers"
            )
        right = [a == b for a, b in zip(g, t, strict=True)]
        new = [word not in known for word in w]
        both = sum(r and n for r, n in zip(right, new, strict=True))
        rows.append([len(w), sum(right), sum(new), both])
    return np.array(rows, dtype=float).reshape(-1, 4)


def accuracy(sums: Counts) -> float:
    """Percent of words that are tagged rightly; `sums` (4,) adds up `tag_counts`."""
    return percent(sums[1], sums[0])


def unknown_accuracy(sums: Counts) -> float:
    """Percent of unknown words that are tagged rightly; NaN where there is none."""
    return percent(sums[3], sums[2])


def percent(part: float, whole: float) -> float:
    return float(100 * part / whole) if whole else float("nan")
