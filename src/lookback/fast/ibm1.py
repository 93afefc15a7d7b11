"""EM of IBM Model 1 in arrays, for all sentence pairs at once.

`lookback.ibm1.em_iteration` is the same in dictionaries, and forty times slower.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Words = tuple[str, ...]
Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Cooccurrences:
    """Each target word with each source word of its pair, for all pairs at once.

    A pair has T rows, one per target word, of S + 1 cells, the empty word first. The
    rows of all pairs follow each other.

    word_pairs  (P,)      each e and f that occur in one pair, as e · V + f, increasing
    V                     how many different target words there are
    link        (cells,)  which of the P word pairs the cell holds
    prior       (cells,)  P(a_j = i), before the words are known
    width       (rows,)   how many cells each row has
    """

    word_pairs: Indices
    V: int
    link: Indices
    prior: Numbers
    width: Indices

    def expectation(self, t: Numbers) -> tuple[Numbers, float]:
        """Expected counts c(f | e), and log P of all targets under t, less log ε.

        t (P,) →  P(a_j = i | f, e) = t(f_j | e_i) P(a_j = i) / Σ_i' (the same for i')
        for each cell, summed over the cells that hold e and f: (P,)
        """
        cell = t[self.link]
        cell *= self.prior
        total = np.add.reduceat(cell, starts(self.width))  # (rows,), P(f_j | e)
        cell /= np.repeat(total, self.width)  # (4)
        counts = np.bincount(self.link, cell, minlength=len(t)).astype(float)  # (5)
        return counts, float(np.log(total).sum())

    def maximisation(self, counts: Numbers) -> Numbers:
        """t(f | e) = c(f | e) / Σ_f' c(f' | e), the likeliest t for these counts."""
        source = self.word_pairs // self.V
        return counts / np.bincount(source, counts)[source]  # (6)


def cooccurrences(
    pairs: Sequence[tuple[Words, Words]],
    source_ids: Mapping[str | None, int],
    target_ids: Mapping[str, int],
    prior: Callable[[int, int], Numbers],
) -> Cooccurrences:
    """The co-occurrences of these pairs.

    source_ids, target_ids  a number for each word; the empty word, None, has 0
    prior  S, T → P(a_j = i) (T, S + 1)
    """
    sources, targets = zip(*pairs, strict=True)
    S, T = (np.array([*map(len, side)]) for side in (sources, targets))
    V, prior = len(target_ids), cache(prior)
    e = np.array([source_ids[w] for s in sources for w in (None, *s)], np.int64)
    f = np.array([target_ids[w] for s in targets for w in s], np.int64)
    width = np.repeat(S + 1, T)
    begin = np.repeat(starts(S + 1), T)  # (rows,), positions in e
    position = np.arange(width.sum()) + np.repeat(begin - starts(width), width)
    keys = e[position] * V + np.repeat(f, width)  # (cells,)
    word_pairs, link = numbered(keys, len(source_ids) * V)
    shapes = zip(S.tolist(), T.tolist(), strict=True)
    priors = np.concatenate([prior(*shape).ravel() for shape in shapes])
    return Cooccurrences(word_pairs, V, link, priors, width)


def starts(width: Indices) -> Indices:
    """The index at which each row begins, the rows following each other."""
    return np.cumsum(width) - width


def numbered(keys: Indices, top: int) -> tuple[Indices, Indices]:
    """The different keys, increasing, and which of them each key is; 0 ≤ keys < top.

    That is `np.unique`, which sorts, unless a table of `top` entries is small enough.
    """
    if top > 8 * len(keys):
        return np.unique(keys, return_inverse=True)
    seen = np.zeros(top, dtype=bool)
    seen[keys] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[keys]
