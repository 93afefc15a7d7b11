"""Neighbours: is the word nearest to a word of the same kind?"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike

from lookback.measure.analogies import unit
from lookback.measure.bootstrap import Interval, bootstrap


@dataclass(frozen=True)
class NeighbourAgreement:
    """How often the nearest word is of the same kind.

    right   the share of words, with interval: of a bootstrap over words
    chance  the share that another word drawn at random would give
    words   how many words there were
    """

    right: Interval
    chance: float
    words: int


def neighbour_agreement(
    kinds: Mapping[str, Hashable],
    words: Sequence[str],
    vectors: ArrayLike,
    *,
    generator: torch.Generator,
    samples: int = 1000,
) -> NeighbourAgreement:
    """For each word that has a kind, the nearest by cosine among those that have one.

    kinds    word → what it is; those without a vector are left out
    words    of the rows of vectors (V, m)
    Raises `ValueError` where fewer than two words have both.
    """
    rows = unit(vectors, words)
    known = [n for n, word in enumerate(words) if word in kinds]
    if len(known) < 2:
        raise ValueError(f"expected two words with a kind or more, got {len(known)}")
    label = [kinds[words[n]] for n in known]
    cosine = rows[known] @ rows[known].T
    np.fill_diagonal(cosine, -np.inf)
    near = cosine.argmax(axis=1).tolist()
    same = np.array(
        [[label[n] == label[i], 1] for i, n in enumerate(near)], dtype=float
    )
    right = bootstrap(
        lambda sums: float(sums[0] / sums[1]),
        same,
        generator=generator,
        samples=samples,
    )
    total = len(known)
    pairs = sum(count * (count - 1) for count in Counter(label).values())
    return NeighbourAgreement(right, pairs / (total * (total - 1)), total)
