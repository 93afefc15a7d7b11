"""Attention maps as numbers: which position gets most weight, and how evenly.

A map of a translator is (T + 1, S + 1), a row for each target word and a column for
each source word; </s> is the last of either side.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Weights = NDArray[np.float64]
Words = Sequence[str]

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
