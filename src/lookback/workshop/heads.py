"""Where single heads of a trained Transformer look: at what, and how far away."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lookback.measure import alignment_error_rate
from lookback.text.batches import pair_batches
from lookback.text.corpora.pair import Pair
from lookback.transformer import AttentionWeights

from .makers import Vocabularies
from .translating import TOKENS, most

Weights = NDArray[np.float64]

STEPS = (-2, -1, 0, 1, 2)
"""How far from itself a place looks."""


class Maps(NamedTuple):
    """Where N layers of h heads looked, for one pair; </s> is the last of either side.

    around  (N, h, S + 1, S + 1)  the source at itself
    back    (N, h, T + 1, T + 1)  the target at what was written, <s> first
    across  (N, h, T + 1, S + 1)  the target at the source
    """

    around: Weights
    back: Weights
    across: Weights


def maps(
    model: nn.Module, vocabularies: Vocabularies, pairs: Sequence[Pair]
) -> list[Maps]:
    """The weights of all heads on each pair, every word of the target as it stands."""
    found = dict[int, Maps]()
    roles = vocabularies["source"], vocabularies["target"]
    model.eval()
    with torch.no_grad():
        for batch in pair_batches(pairs, *roles, tokens=TOKENS):
            weights: AttentionWeights
            target = batch.target[:, :-1]
            _, weights = model(batch.source, batch.source_mask, target)
            kinds = (
                weights.encoder,
                [w.self_attention for w in weights.decoder],
                [w.cross_attention for w in weights.decoder],
            )
            stacks = [torch.stack([*kind], dim=1).numpy() for kind in kinds]
            for row, around, back, across in zip(
                batch.rows.tolist(), *stacks, strict=True
            ):
                S, T = len(pairs[row].source) + 1, len(pairs[row].target) + 1
                found[row] = Maps(
                    around[..., :S, :S], back[..., :T, :T], across[..., :T, :S]
                )
    return [found[row] for row in range(len(pairs))]


def error(weights: Sequence[Weights], pairs: Sequence[Pair]) -> float:
    """The alignment error rate of weights (T + 1, S + 1), each word at its largest."""
    links = [most(looked) for looked in weights]
    sure, possible = [p.sure for p in pairs], [p.possible for p in pairs]
    return alignment_error_rate(links, sure, possible)


def errors(found: Sequence[Maps], pairs: Sequence[Pair]) -> Weights:
    """Of each head that looks across: (N, h)."""
    N, h = found[0].across.shape[:2]
    rates = [[error([m.across[n, k] for m in found], pairs) for k in range(h)]
             for n in range(N)]  # fmt: skip
    return np.array(rates)


def distances(weights: Sequence[Weights]) -> Weights:
    """The mean weight at places STEPS away, of maps (N, h, S, S): (N, h, 5).

    A place whose neighbour would lie outside the sentence does not count for it.
    """
    N, h = weights[0].shape[:2]
    total, count = np.zeros((N, h, len(STEPS))), np.zeros(len(STEPS))
    for looked in weights:
        for at, step in enumerate(STEPS):
            diagonal = np.diagonal(looked, step, axis1=-2, axis2=-1)
            total[:, :, at] += diagonal.sum(axis=-1)
            count[at] += diagonal.shape[-1]
    means: Weights = total / count
    return means
