"""Where a translator looks while it writes: what many maps have in common."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .makers import Words
from .studies import Row

END = "</s>"
STEPS = (-2, -1, 0, 1, 2)  # the first and the last of them: that far or farther
NEGATIONS = ("not", "cannot", "no", "never", "nothing", "nobody")  # and don't, won't
LEAST, MOST = 20, 5  # how often a word must be written; how many source words are told


def looked(weights: Iterable[NDArray[np.float64]]) -> list[list[int]]:
    """For each sentence, and each word of it, the place that got most weight.

    weights  of each sentence (T + 1, S + 1), </s> the last of either side
    """
    return [[int(place) for place in rows[:-1].argmax(axis=1)] for rows in weights]


def sources_of(
    words: Sequence[str],
    read: Sequence[tuple[Words, Words]],
    places: Sequence[Sequence[int]],
) -> list[Row]:
    """For each of these French words: which English words it looked at, how often.

    read    sources and what was written;  places  as `looked` gives them
    Words written fewer than LEAST times are left out.
    """
    seen = {word: Counter[str]() for word in words}
    for (source, target), row in zip(read, places, strict=True):
        for word, place in zip(target, row, strict=True):
            if word in seen:
                seen[word][[*source, END][place]] += 1
    return [
        {
            "word": word,
            "times": count.total(),
            "at": [[w, n] for w, n in _often(count)[:MOST]],
            "at a negation": sum(n for w, n in count.items() if negates(w)),
        }
        for word, count in seen.items()
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
    moves, back = Counter[int](), Counter[str]()
    for (source, target), row in zip(read, places, strict=True):
        for t, (here, there) in enumerate(pairwise(row)):
            if len(source) in (here, there):
                continue
            moves[min(max(there - here, STEPS[0]), STEPS[-1])] += 1
            if there == here - 1:
                told = f"{source[there]} {source[here]} → {target[t]} {target[t + 1]}"
                back[told] += 1
    return {
        "steps": [[step, moves[step]] for step in STEPS],
        "back": [[told, n] for told, n in _often(back)[: 2 * MOST]],
    }


def _often(count: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent first; where two are alike, by the alphabet."""
    return sorted(count.items(), key=lambda pair: (-pair[1], pair[0]))
