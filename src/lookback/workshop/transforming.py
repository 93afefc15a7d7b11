"""The maker of Transformers, and their recipes."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from lookback.text.batches import Batch
from lookback.training import BETAS, EPS, label_smoothed_loss, noam_rate
from lookback.transformer import AttentionWeights, Transformer, TransformerConfig

from .makers import MAKERS, Vocabularies
from .recipes import RECIPES, Budget, Optimiser, Recipe
from .translating import AttentionMaker, logits_of
from .translators import PAIRS, enter

ADAM = (("betas", BETAS), ("eps", EPS))


@dataclass(frozen=True, kw_only=True)
class TrainedConfig(TransformerConfig):
    """A Transformer and what it is asked for: smoothing is the ε of `training`."""

    smoothing: float = 0.0


class TransformerMaker(AttentionMaker):
    """Learns all places of a batch at once; what it is asked for may be smoothed."""

    def module(self, config: Any, vocabularies: Vocabularies) -> nn.Module:
        source, target = vocabularies["source"], vocabularies["target"]
        return Transformer(config, len(source), len(target))

    def loss(self, module: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        """Smoothed in training only: validation asks for the probability of words."""
        config: Any = getattr(module, "module", module).config
        smoothing = config.smoothing if module.training else 0.0
        logits = logits_of(
            module(batch.source, batch.source_mask, batch.target[:, :-1])
        )
        losses = label_smoothed_loss(
            logits, batch.target[:, 1:], batch.target_mask[:, 1:], smoothing
        )
        return losses.sum(), batch.tokens

    def seen(self, model: nn.Module, batch: Batch) -> Tensor:
        """The mean of the heads of the decoder's last layer: (B, T, S).

        On validation it aligns better than the mean of all layers, and than any head.
        """
        return self.heads(model, batch)[:, -1].mean(dim=1)

    def heads(self, model: nn.Module, batch: Batch) -> Tensor:
        """The cross-attention weights of all layers: (B, N, h, T, S)."""
        weights: AttentionWeights
        _, weights = model(batch.source, batch.source_mask, batch.target[:, :-1])
        return torch.stack([w.cross_attention for w in weights.decoder], dim=1)


def adam(rate: float, warmup: int = 400) -> Optimiser:
    """The paper's Adam and warm-up; from there the rate falls in a straight line."""
    return Optimiser("adam", rate, ADAM, warmup=warmup, decay="linear")


def noam(d_model: int, warmup: int = 400) -> Optimiser:
    """The paper's Adam and its schedule, `noam_rate`, step for step."""
    peak = noam_rate(warmup, d_model, warmup)
    return Optimiser("adam", peak, ADAM, warmup=warmup, decay="inverse-sqrt")


MAKERS[TrainedConfig] = TransformerMaker()
TRANSFORMER = Recipe(
    data=PAIRS,
    seed=0,
    model=TrainedConfig(N=2, d_model=96, h=4, d_ff=384, smoothing=0.1),
    optimiser=adam(3e-3),
    budget=Budget(steps=4000, tokens=900, evaluate_every=500),
)
RECIPES["transformer"] = TRANSFORMER
enter("transformer", "Transformer", TRANSFORMER, seeds=(0, 1, 2))
