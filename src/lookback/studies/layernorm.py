"""Layer norm and batch norm, in a small language model.

A small language model of the Transformer's layers under a causal mask. The norm of each
part is that of a token, of a batch's words, or of all that a batch holds, padding too.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from lookback.attention import causal_mask, projection
from lookback.encoder import Encoder, LayerConfig, PreNormEncoder
from lookback.layernorm import LayerNorm
from lookback.positions import SinusoidalPositions
from lookback.text.batches import Batch, framed, pad, shuffled
from lookback.text.vocabulary import Vocabulary
from lookback.workshop import (
    TEXTS,
    Budget,
    LanguageLearner,
    Optimiser,
    Recipe,
    Row,
    Study,
    Vocabularies,
    Words,
    case,
    corpus,
    english,
    follow,
    known,
    on_few,
    outline,
)

NORMS = ("layer", "batch, words", "batch, padding too")
SEEDS = (0, 1, 2)
SENTENCES = (4, 32)  # of all lengths in a batch
STEPS, WARMUP = 360, 100
TESTED = 300  # sentences whose perplexity is measured in three ways


@dataclass(frozen=True, kw_only=True)
class NormedConfig(LayerConfig):
    """N layers under a causal mask, with one of NORMS.

    sentences   how many of all lengths share a batch; 0: those of similar length do,
                as many as the budget's tokens allow
    norm_first  False: post-norm; True: pre-norm
    """

    N: int
    normed: str = "layer"
    sentences: int = 0
    norm_first: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        known("norm", self.normed, NORMS)


class BatchNorm(nn.Module):
    """g ⊙ (x - μ) / √(σ² + ε) + b, μ and σ² of each number over many tokens.

    Ioffe and Szegedy 2015, algorithm 1. In training over the tokens of a batch; at the
    test over what was met in training, a running mean.

    mask  (B, T) bool: which tokens count; the model puts it there for each batch, as
          a layer hands nothing but x to its norm
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(d_model)
        self.mask: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, d_model) → the same shape; where mask is False x is left alone."""
        if self.mask is None:
            y: Tensor = self.norm(x.flatten(0, 1)).view_as(x)
            return y
        return x.masked_scatter(self.mask.unsqueeze(-1), self.norm(x[self.mask]))


class Normed(nn.Module):
    """P(w_{t+1} | w_1 … w_t): embeddings, N layers, scores of the next word."""

    def __init__(self, config: NormedConfig, V: int) -> None:
        super().__init__()
        self.config = config
        self.e = nn.Embedding(V, config.d_model)
        self.positions = SinusoidalPositions(config.d_model)
        kind = PreNormEncoder if config.norm_first else Encoder
        self.stack = kind(config, config.N)
        self.A = projection(config.d_model, V)
        if config.normed != "layer":
            self._replace()

    def _replace(self) -> None:
        for layer in self.stack.layers:
            for name, part in [*layer.named_children()]:
                if isinstance(part, LayerNorm):
                    layer.add_module(name, BatchNorm(self.config.d_model))

    def forward(self, ids: Tensor) -> Tensor:
        """ids (B, T) → logits (B, T, V)"""
        x, T = self.e(ids) + self.positions(ids.size(1)), ids.size(1)
        words = ids != Vocabulary.pad
        for module in self.modules():
            if isinstance(module, BatchNorm):
                module.mask = words if self.config.normed == NORMS[1] else None
        for layer in self.stack.layers:
            x, _ = layer(x, causal_mask(T, device=ids.device))
        if isinstance(self.stack, PreNormEncoder):
            x = self.stack.norm(x)
        logits: Tensor = self.A(x)
        return logits


class NormedLearner(LanguageLearner):
    """Padding follows the words, where the causal mask hides it."""

    network: Normed

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return Normed(self.recipe.model, len(vocabularies["words"]))

    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        logits: Tensor = network(ids)
        return logits

    def epoch(
        self, sentences: Sequence[Words], generator: torch.Generator
    ) -> Iterator[Batch]:
        size = self.recipe.model.sentences
        if not size:
            return super().epoch(sentences, generator)
        return ragged(sentences, self.vocabularies["words"], size, generator)

    def by_statistics(self, text: Sequence[Words]) -> dict[str, float]:
        """Perplexity of a text by the statistics of batch norms.

        running   the mean of what was met in training, as is usual
        batch     so many sentences together as in training
        alone     each sentence for itself
        """
        perplexities, size = {}, self.recipe.model.sentences
        for name, sentences in (("running", size), ("batch", size), ("alone", 1)):
            copied = deepcopy(self.network).train(name != "running")  # its means move
            total, tokens = 0.0, 0
            with torch.no_grad():
                words = self.vocabularies["words"]
                for batch in ragged(text, words, sentences, None):
                    loss, count = self.loss(copied, batch)
                    total, tokens = total + loss.item(), tokens + count
            perplexities[name] = float(np.exp(total / tokens))
        return perplexities


def ragged(
    text: Sequence[Words],
    words: Vocabulary,
    sentences: int,
    generator: torch.Generator | None,
) -> Iterator[Batch]:
    """Batches of so many sentences, in their order or in a random one."""
    order = shuffled(len(text), generator)
    for first in range(0, len(order), sentences):
        rows = order[first : first + sentences]
        target, mask = pad([framed(text[row], words) for row in rows], words.pad)
        yield Batch(torch.tensor(rows), target, mask, target[:, :0], mask[:, :0])


def recipe(
    config: NormedConfig, seed: int, optimiser: Optimiser, steps: int
) -> Recipe[NormedLearner]:
    """All learn from the grammar's English."""
    budget = Budget(steps=steps, tokens=500, evaluate_every=steps)
    return Recipe(NormedLearner, TEXTS["grammar"], seed, config, optimiser, budget)


def measured(recipe: Recipe[NormedLearner]) -> Row:
    """Train; test perplexity by what the norms reckon with."""
    learner, text = follow(recipe), corpus(recipe.data)
    scores = learner.by_statistics(english(text, "test")[:TESTED])
    return {**outline(learner, text), **scores}


SMALL = NormedConfig(d_model=64, h=4, d_ff=128, N=2)
ADAM = Optimiser("adam", 3e-3, warmup=WARMUP, decay="linear", clip=1.0)


def label(*parts: object, seed: int) -> str:
    return f"{', '.join(map(str, parts))}, seed {seed}"


STUDY = Study(
    about="a small language model by what its norms make alike, on ragged batches",
    cases={
        label(normed, size, seed=seed): case(
            measured,
            recipe=recipe(
                replace(SMALL, normed=normed, sentences=size), seed, ADAM, STEPS
            ),
        )
        for size in SENTENCES
        for normed in NORMS
        for seed in SEEDS
    },
    check=case(
        measured,
        recipe=on_few(
            recipe(replace(SMALL, normed=NORMS[1], sentences=4), 0, ADAM, 10)
        ),
    ),
)
