"""Where single heads of a trained Transformer look: at what, and how far away."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lookback.measure import (
    alignment_error_rate,
    head_error_rates,
    mean_by_offset,
    strongest_links,
)
from lookback.measure.attention_maps import OFFSETS
from lookback.text.batches import pair_batches
from lookback.text.corpora import Pair
from lookback.transformer import Looks

from .makers import Vocabularies
from .translating import TOKENS

Weights = NDArray[np.float64]

STEPS = OFFSETS
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
            looks: Looks
            target = batch.target[:, :-1]
            _, looks = model(batch.source, batch.source_mask, target)
            kinds = (
                looks.encoder,
                [layer.back for layer in looks.decoder],
                [layer.across for layer in looks.decoder],
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
    links = [strongest_links(looked) for looked in weights]
    sure, possible = [p.sure for p in pairs], [p.possible for p in pairs]
    return alignment_error_rate(links, sure, possible)


def errors(found: Sequence[Maps], pairs: Sequence[Pair]) -> Weights:
    """Of each head that looks across: (N, h)."""
    sure, possible = [p.sure for p in pairs], [p.possible for p in pairs]
    return head_error_rates([m.across for m in found], sure, possible)


distances = mean_by_offset
