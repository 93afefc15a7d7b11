"""How Transformers are trained."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import Pair
from lookback.trainer.attending import HeadsLearner
from lookback.trainer.learner import Tensors, Vocabularies, Weights
from lookback.trainer.recipe import Budget, Optimiser, Recipe
from lookback.trainer.translation import (
    CAPTIONS,
    PAIRS,
    AttentionLearner,
    teacher_forced,
)
from lookback.training import BETAS, EPS, label_smoothed_loss, noam_rate
from lookback.transformer import (
    AttentionWeights,
    Transformer,
    TransformerConfig,
)

ADAM = (("betas", BETAS), ("eps", EPS))
MAP_TOKENS = 4000  # a batch's, when nothing is learned from it


@dataclass(frozen=True, kw_only=True)
class SmoothedConfig(TransformerConfig):
    """A Transformer, and the ε of label smoothing in training."""

    smoothing: float = 0.0


class Maps(NamedTuple):
    """The attention weights of N layers of h heads on one pair.

    </s> is the last of either side, and in `decoder` <s> the first.

    encoder  (N, h, S + 1, S + 1)  self-attention of the source
    decoder  (N, h, T + 1, T + 1)  masked self-attention of the target
    cross    (N, h, T + 1, S + 1)  of the target to the source
    """

    encoder: Weights
    decoder: Weights
    cross: Weights


class TransformerLearner(HeadsLearner, AttentionLearner):
    """Learns all positions of a batch at once; its loss may be smoothed."""

    network: Transformer

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return Transformer(self.recipe.model, *map(len, vocabularies.values()))

    def attentions(self) -> Mapping[str, Sequence[nn.Module]]:
        below: Iterable[Any] = self.network.encoder.layers
        above: Sequence[Any] = [*self.network.decoder.layers]
        return {
            "encoder": [layer.self_attention for layer in below],
            "self": [layer.self_attention for layer in above],
            "cross": [layer.cross_attention for layer in above],
        }

    def tensors(self) -> Tensors:
        """A table that both languages share is stored once."""
        tensors = dict(super().tensors())
        if self.recipe.model.shared:
            del tensors["e_source.table"]
        return tensors

    def restore(self, tensors: Tensors, vocabularies: Vocabularies) -> None:
        if self.recipe.model.shared:
            tensors = {**tensors, "e_source.table": tensors["e_target.table"]}
        super().restore(tensors, vocabularies)

    def loss(self, network: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        """Smoothed in training only: validation measures the probability of words."""
        config: SmoothedConfig = network.config  # type: ignore[assignment]
        losses = label_smoothed_loss(
            teacher_forced(network, batch),
            batch.target[:, 1:],
            batch.target_mask[:, 1:],
            config.smoothing if network.training else 0.0,
        )
        return losses.sum(), batch.tokens

    def batch_weights(self, network: nn.Module, batch: Batch) -> Tensor:
        """The mean of the heads of the decoder's last layer: (B, T, S).

        On validation it aligns better than the mean of all layers, and than any head.
        """
        return self.stacked(network, batch)[2][:, -1].mean(dim=1)

    def stacked(self, network: nn.Module, batch: Batch) -> tuple[Tensor, ...]:
        """The weights of all heads of all layers, (B, N, h, …) of each kind in Maps."""
        weights: AttentionWeights
        _, weights = network(batch.source, batch.source_mask, batch.target[:, :-1])
        kinds = (
            weights.encoder,
            [layer.self_attention for layer in weights.decoder],
            [layer.cross_attention for layer in weights.decoder],
        )
        return tuple(torch.stack([*kind], dim=1) for kind in kinds)

    def maps(self, pairs: Sequence[Pair]) -> list[Maps]:
        """The weights of all heads on each pair, by teacher forcing."""
        maps, network = dict[int, Maps](), self.network.eval()
        sources = [pair.source for pair in pairs]
        with torch.no_grad():
            for batch in pair_batches(pairs, *self.sides, tokens=MAP_TOKENS):
                batch = self.masked(batch, sources)
                kinds = (kind.numpy() for kind in self.stacked(network, batch))
                for row, own, causal, cross in zip(
                    batch.rows.tolist(), *kinds, strict=True
                ):
                    S, T = len(pairs[row].source) + 1, len(pairs[row].target) + 1
                    maps[row] = Maps(
                        own[..., :S, :S], causal[..., :T, :T], cross[..., :T, :S]
                    )
        return [maps[row] for row in range(len(pairs))]


def adam(rate: float, warmup: int = 400) -> Optimiser:
    """The paper's Adam and warm-up; from there the rate falls in a straight line."""
    return Optimiser("adam", rate, ADAM, warmup=warmup, decay="linear")


def noam(d_model: int, warmup: int = 400) -> Optimiser:
    """The paper's Adam and its schedule, `noam_rate`, step for step."""
    peak = noam_rate(warmup, d_model, warmup)
    return Optimiser("adam", peak, ADAM, warmup=warmup, decay="inverse-sqrt")


RECIPES: dict[str, Recipe[TransformerLearner]] = {
    "transformer": Recipe(
        TransformerLearner,
        data=PAIRS,
        seed=0,
        model=SmoothedConfig(N=2, d_model=96, h=4, d_ff=384, smoothing=0.1),
        optimiser=adam(3e-3),
        budget=Budget(steps=4000, tokens=900, evaluate_every=500),
    ),
    "transformer-multi30k": Recipe(
        TransformerLearner,
        data=CAPTIONS,
        seed=0,
        model=SmoothedConfig(
            N=2, d_model=128, h=4, d_ff=384, dropout=0.2, smoothing=0.1
        ),
        optimiser=adam(3e-3),
        budget=Budget(steps=7000, tokens=700, evaluate_every=500),
    ),
}
