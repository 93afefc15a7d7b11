"""Where a translator looks while it writes: what many maps have in common."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from lookback.measure import (
    alignment_jumps,
    attended_words,
    strongest_positions,
    swapped_neighbours,
)
from lookback.measure.attention_maps import most_frequent

from .makers import Words
from .studies import Row

STEPS = (-2, -1, 0, 1, 2)  # the first and the last of them: that far or farther
NEGATIONS = ("not", "cannot", "no", "never", "nothing", "nobody")  # and don't, won't
LEAST, MOST = 20, 5  # how often a word must be written; how many source words are told


def looked(weights: Iterable[NDArray[np.float64]]) -> list[list[int]]:
    """For each sentence, and each word of it, the place that got most weight.

    weights  of each sentence (T + 1, S + 1), </s> the last of either side
    """
    return [strongest_positions(rows) for rows in weights]


def sources_of(
    words: Sequence[str],
    read: Sequence[tuple[Words, Words]],
    places: Sequence[Sequence[int]],
) -> list[Row]:
    """For each of these French words: which English words it looked at, how often.

    read    sources and what was written;  places  as `looked` gives them
    Words written fewer than LEAST times are left out.
    """
    return [
        {
            "word": word,
            "times": count.total(),
            "at": [[w, n] for w, n in most_frequent(count)[:MOST]],
            "at a negation": sum(n for w, n in count.items() if negates(w)),
        }
        for word, count in attended_words(words, read, places).items()
        if count.total() >= LEAST
    ]


def negates(word: str) -> bool:
    """Is it an English word that negates?"""
    return word in NEGATIONS or word.endswith("n't")


def steps_of(
    read: Sequence[tuple[Words, Words]], places: Sequence[Sequence[int]]
) -> Row:
    """How far the gaze moves from one word to the next, and what made it step back.

    One step to the right is reading on; one to the left, two words in the other order.
    Words that look at </s> are no part of it.
    """
    moves = Counter[int]()
    for step, n in alignment_jumps(read, places).items():
        moves[min(max(step, STEPS[0]), STEPS[-1])] += n
    back = most_frequent(swapped_neighbours(read, places))[: 2 * MOST]
    return {
        "steps": [[step, moves[step]] for step in STEPS],
        "back": [[told, n] for told, n in back],
    }
