"""A phrase table of a million pairs, in arrays.

`lookback.phrases.phrase_table` is the same in dictionaries, without a limit.
"""

import math
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = tuple[str, ...]


def counted(
    found: Iterable[tuple[Words, Words, list[float], list[float], Sequence[Any]]],
    at_most: int | None,
    at_least: int,
) -> tuple[dict[Words, tuple[int, int]], list[Words], NDArray[np.float64]]:
    """The options of all f: rows[f] = (first, after the last); each e; SCORES (P, 4).

    found     of each pair f and e, the factors of the lexical weights of their words,
              and its phrase pairs
    at_most   so many options of each f, by φ(e | f); None: all
    at_least  pairs that were seen less often are left out
    Raises ValueError where there is no phrase pair.
    """
    f_ids: dict[Words, int] = {}
    e_ids: dict[Words, int] = {}
    seen = array("q"), array("q")  # of each occurrence the ids of f and of e
    lex = array("d"), array("d")  # log lex(f | e), log lex(e | f)
    for f, e, on_f, on_e, phrases in found:
        sums_f, sums_e = running(on_f), running(on_e)
        for (i, end), (j, stop) in phrases:
            seen[0].append(f_ids.setdefault(f[i:end], len(f_ids)))
            seen[1].append(e_ids.setdefault(e[j:stop], len(e_ids)))
            lex[0].append(sums_f[end] - sums_f[i])
            lex[1].append(sums_e[stop] - sums_e[j])
    if not f_ids:
        raise ValueError("no pair has a phrase: expected alignments with links")
    f_of, e_of, scores, times = scored(
        np.array(seen, np.int64), np.array(lex), len(e_ids)
    )
    best = np.lexsort((e_of, -scores[:, 3], -scores[:, 2], f_of))
    best = best[times[best] >= at_least]
    many = np.bincount(f_of[best], minlength=len(f_ids))
    rank = np.arange(len(best)) - np.repeat(np.cumsum(many) - many, many)
    best = best[rank < (at_most or len(best))]
    ends = np.cumsum(np.bincount(f_of[best], minlength=len(f_ids))).tolist()
    spans = zip(f_ids, pairwise([0, *ends]), strict=True)
    rows = {f: (begin, end) for f, (begin, end) in spans if begin < end}
    words = list(e_ids)
    return rows, [words[n] for n in e_of[best].tolist()], scores[best]


def scored(
    seen: NDArray[np.int64], lex: NDArray[np.float64], E: int
) -> tuple[
    NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]
]:
    """The different phrase pairs: f (P,), e (P,), SCORES (P, 4), how often (P,)."""
    keys = seen[0] * E + seen[1]
    order = np.argsort(keys, kind="stable")
    keys, begin, count = np.unique(keys[order], return_index=True, return_counts=True)
    f, e = np.divmod(keys, E)
    phi = [np.log(count / np.bincount(side, count)[side]) for side in (e, f)]
    most = np.maximum.reduceat(lex[:, order], begin, axis=1).clip(max=0)
    return f, e, np.stack([phi[0], most[0], phi[1], most[1]], axis=1), count


def running(weights: Iterable[float]) -> list[float]:
    """0, and the sums of the logarithms of the first, of the first two, …"""
    return [0.0, *accumulate(map(math.log, weights))]
