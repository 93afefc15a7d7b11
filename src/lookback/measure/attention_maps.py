"""Attention maps as numbers: which position gets most weight, how far, how evenly.

A map of a translator is (T + 1, S + 1), a row for each target word and a column for
each source word; </s> is the last of either side.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lookback.measure.alignment import Links, alignment_error_rate

Weights = NDArray[np.float64]
Words = Sequence[str]

OFFSETS = (-2, -1, 0, 1, 2)
END = "</s>"


def strongest_positions(weights: Weights) -> list[int]:
    """For each target word the source position with most weight; S is </s>.

    weights  (T + 1, S + 1)
    """
    return [int(s) for s in weights[:-1].argmax(axis=1)]


def strongest_links(weights: Weights) -> set[tuple[int, int]]:
    """A link (source, target) from each target word to the position with most weight.

    weights  (T + 1, S + 1); a word whose largest weight is at </s> gets no link
    """
    end = weights.shape[1] - 1
    return {(s, t) for t, s in enumerate(strongest_positions(weights)) if s != end}


def head_error_rates(
    maps: Sequence[Weights], sure: Sequence[Links], possible: Sequence[Links]
) -> Weights:
    """The alignment error rate of the `strongest_links` of each head: (N, h).

    maps            of each sentence pair (N, h, T + 1, S + 1): N layers, h heads
    sure, possible  as `alignment_error_rate` takes them
    """
    N, h = maps[0].shape[:2]
    rates = np.zeros((N, h))
    for n, k in np.ndindex(N, h):
        links = [strongest_links(weights[n, k]) for weights in maps]
        rates[n, k] = alignment_error_rate(links, sure, possible)
    return rates


def mean_by_offset(
    maps: Sequence[Weights], offsets: Sequence[int] = OFFSETS
) -> Weights:
    """The mean weight that a position gives to the one `offset` to its right.

    maps  of self-attention, of each sentence (N, h, S, S)
    →  (N, h, offsets). Positions whose neighbour lies outside the sentence are left out
    """
    N, h = maps[0].shape[:2]
    total, count = np.zeros((N, h, len(offsets))), np.zeros(len(offsets))
    for weights in maps:
        for k, offset in enumerate(offsets):
            diagonal = np.diagonal(weights, offset, axis1=-2, axis2=-1)
            total[:, :, k] += diagonal.sum(axis=-1)
            count[k] += diagonal.shape[-1]
    means: Weights = total / count
    return means


def normalised_entropy(weights: Tensor, positions: Tensor | None = None) -> Tensor:
    """H / ln n: 1 where n positions share the weight evenly, 0 where one has all.

    weights    (…, T, S)  each row sums to 1
    positions  (T,)  the n of each row, as 1, 2, …, T under a causal mask; None: S
    →  (…, T); NaN where n is 1, since nothing can be shared
    """
    entropy: Tensor = -torch.special.xlogy(weights, weights).sum(dim=-1)  # (…, T)
    if positions is None:
        positions = torch.tensor(weights.size(-1), device=weights.device)
    return entropy / positions.to(entropy.dtype).log()


def attended_words(
    words: Words,
    pairs: Sequence[tuple[Words, Words]],
    positions: Sequence[Sequence[int]],
) -> dict[str, Counter[str]]:
    """For each of these target words: at which source words most weight was, how often.

    pairs      (source, target)
    positions  `strongest_positions` of each pair
    """
    counts = {word: Counter[str]() for word in words}
    for (source, target), row in zip(pairs, positions, strict=True):
        for word, s in zip(target, row, strict=True):
            if word in counts:
                counts[word][[*source, END][s]] += 1
    return counts


def alignment_jumps(
    pairs: Sequence[tuple[Words, Words]], positions: Sequence[Sequence[int]]
) -> Counter[int]:
    """How far the strongest position moves from one target word to the next.

    1: to the next source word; -1: two words in the other order. What begins or ends
    at </s> is left out.
    """
    return Counter(there - here for *_, here, there in _jumps(pairs, positions))


def swapped_neighbours(
    pairs: Sequence[tuple[Words, Words]], positions: Sequence[Sequence[int]]
) -> Counter[str]:
    """Two neighbours of the source that were written in the other order, how often.

    "red cat → chat rouge": a jump of -1.
    """
    return Counter(
        f"{source[there]} {source[here]} → {target[t]} {target[t + 1]}"
        for source, target, t, here, there in _jumps(pairs, positions)
        if there == here - 1
    )


def _jumps(
    pairs: Sequence[tuple[Words, Words]], positions: Sequence[Sequence[int]]
) -> Iterator[tuple[Words, Words, int, int, int]]:
    """(source, target, t, position of word t, position of word t + 1)."""
    for (source, target), row in zip(pairs, positions, strict=True):
        for t, (here, there) in enumerate(pairwise(row)):
            if len(source) not in (here, there):
                yield source, target, t, here, there


def most_frequent(counts: Counter[str]) -> list[tuple[str, int]]:
    """The most frequent first; words of one frequency by the alphabet."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
