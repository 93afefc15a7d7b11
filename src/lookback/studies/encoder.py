"""What attention is for in an encoder, what the feed-forward network, and how deep.

A masked language model predicts some words of a sentence from both sides: with few
layers and many, with a narrow network and a wide one, and without it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear

from lookback.checks import may_attend, shapes, whole
from lookback.encoder import EncoderLayer, FeedForward, LayerConfig
from lookback.layernorm import LayerNorm, PreNorm, Residual
from lookback.multihead import MultiHeadAttention
from lookback.positions import SinusoidalPositions
from lookback.text.batches import Batch, sentence_batches
from lookback.workshop import (
    TEXTS,
    AnyCorpus,
    Batches,
    Budget,
    Metrics,
    NeuralLearner,
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
    seeds,
    vocabulary,
)

PARTS = ("both", "attention", "feed-forward")
SHARE = 0.15  # of the words that are masked
EVALUATION_TOKENS = 4000  # a batch's, when nothing is learned from it


@dataclass(frozen=True, kw_only=True)
class MaskedConfig(LayerConfig):
    """A masked language model.

    N           how many layers, 0 too
    parts       one of PARTS: what a layer is made of
    norm_first  False: post-norm; True: pre-norm
    """

    N: int
    parts: str = "both"
    norm_first: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        known("parts", self.parts, PARTS)
        whole(0, N=self.N)


class AttentionLayer(EncoderLayer):
    """An encoder layer without its feed-forward network."""

    def __init__(self, config: LayerConfig) -> None:
        Residual.__init__(self, config.dropout)
        sizes = config.d_model, config.h, config.d_k, config.d_v
        self.self_attention = MultiHeadAttention(*sizes)
        self.norm = LayerNorm(config.d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        z, add = self.residual(x, self.norm)
        y, weights = self.self_attention(z, z, z, mask)
        return add(y), weights


class FeedForwardLayer(EncoderLayer):
    """An encoder layer without attention: each position attends to itself."""

    def __init__(self, config: LayerConfig) -> None:
        Residual.__init__(self, config.dropout)
        self.feed_forward = FeedForward(config.d_model, config.d_ff)
        self.norm = LayerNorm(config.d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        B, S, _ = x.shape
        weights = torch.eye(S, device=x.device).expand(B, 1, S, S)
        z, add = self.residual(x, self.norm)
        return add(self.feed_forward(z)), weights


LAYERS: dict[str, type[EncoderLayer]] = {
    "both": EncoderLayer,
    "attention": AttentionLayer,
    "feed-forward": FeedForwardLayer,
}


def layer(config: LayerConfig, parts: str, *, norm_first: bool) -> nn.Module:
    """A layer of these parts, post-norm or pre-norm."""
    kind = LAYERS[parts]
    if norm_first:
        kind = type(f"PreNorm{kind.__name__}", (PreNorm, kind), {})
    return kind(config)


class MaskedLM(nn.Module):
    """P(w_s | the words that are not masked), at every position s.

    table (V + 1, d_model)  the vectors of the words, by which they are scored too; the
                            last is read where a word is masked
    """

    def __init__(self, config: MaskedConfig, V: int) -> None:
        super().__init__()
        self.V, d_model = V, config.d_model
        self.table = nn.Parameter(torch.randn(V + 1, d_model) / math.sqrt(d_model))
        self.positions = SinusoidalPositions(d_model)
        parts, order = config.parts, config.norm_first
        self.layers = nn.ModuleList(
            layer(config, parts, norm_first=order) for _ in range(config.N)
        )

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """ids, mask (B, S) → logits (B, S, V)."""
        shapes(ids=(ids, "B S"), mask=(mask, "B S"))
        may_attend(mask, mask)
        x = self.table[ids] * math.sqrt(self.table.size(1))
        x = x + self.positions(ids.size(1))
        for layer in self.layers:
            x, _ = layer(x, mask.unsqueeze(1))
        return linear(x, self.table[:-1])


@dataclass(frozen=True)
class Masked:
    """Sentences with masked words.

    words   (B, S)  ids, then padding;  mask (B, S), True on words
    masked  (B, S)  True where the word is masked
    """

    words: Tensor
    mask: Tensor
    masked: Tensor


def mask_tokens(batch: Batch, generator: torch.Generator) -> Masked:
    """Mask each word with probability SHARE, and in each sentence at least one.

    <s> and </s> are taken away before.
    """
    words, mask = batch.target[:, 1:-1], batch.target_mask[:, 2:]
    drawn = torch.rand(words.shape, generator=generator).masked_fill(~mask, 1.0)
    return Masked(words, mask, (drawn < SHARE) | (drawn == drawn.amin(1, keepdim=True)))


class MaskedLearner(NeuralLearner):
    """Learns to predict masked tokens; the others have no loss."""

    network: MaskedLM

    def words_of(self, corpus: AnyCorpus) -> Vocabularies:
        return {"words": vocabulary(english(corpus, "train"), self.recipe.data)}

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return MaskedLM(self.recipe.model, len(vocabularies["words"]))

    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        """In each epoch of train other words are masked; else always the same."""
        text, words = english(corpus, split), self.vocabularies["words"]
        if split != "train":
            return fixed_masks(text, self.vocabularies)
        options: Any = {"tokens": self.recipe.budget.tokens, "generator": generator}

        def epoch() -> Iterator[Masked]:
            batches = sentence_batches(text, words, **options)
            return (mask_tokens(batch, generator) for batch in batches)

        return epoch

    def loss(self, network: nn.Module, batch: Masked) -> tuple[Tensor, int]:
        right = batch.words[batch.masked]
        total = cross_entropy(self.logits(network, batch), right, reduction="sum")
        return total, len(right)

    def logits(self, network: nn.Module, batch: Masked) -> Tensor:
        """The scores of the masked words, (how many are masked, V)."""
        token: int = network.V  # type: ignore[assignment]
        read = batch.words.masked_fill(batch.masked, token)
        logits: Tensor = network(read, batch.mask)
        return logits[batch.masked]

    def evaluate(self, corpus: AnyCorpus) -> Metrics:
        """Perplexity of masked words, and the share whose likeliest word is right."""
        metrics = {}
        for split in ("validation", "test"):
            read = fixed_masks(english(corpus, split), self.vocabularies)
            with torch.no_grad():
                loss = self.mean_loss(self.network, read)
                best = [self.logits(self.network, b).argmax(dim=1) for b in read]
            metrics[f"{split} perplexity"] = math.exp(loss)
            right = torch.cat([batch.words[batch.masked] for batch in read])
            share = (torch.cat(best) == right).double().mean()
            metrics[f"{split} right"] = share.item()
        return metrics


def fixed_masks(text: Sequence[Words], vocabularies: Vocabularies) -> list[Masked]:
    """All sentences, of which the same words are masked each time."""
    generator = seeds.generator(0)
    read = sentence_batches(text, vocabularies["words"], tokens=EVALUATION_TOKENS)
    return [mask_tokens(batch, generator) for batch in read]


SEEDS = (0, 1)
M, H, D_FF = 64, 4, 256
STEPS, TOKENS = 800, 900
LONGER = 4  # times as many steps
PRIOR = 20.0


def of_counts(
    train: Sequence[Words], test: Sequence[Words], vocabularies: Vocabularies
) -> tuple[float, float]:
    """Perplexities of masked words, if no other word is read.

    By shares of words in train; and by shares of those at the same position, as
    if PRIOR more of the first kind stood there.
    """
    words, read = vocabularies["words"], fixed_masks(test, vocabularies)
    positions = max(map(len, [*train, *test]))
    counts = torch.zeros(positions, len(words), dtype=torch.float64)
    for sentence in train:
        counts[range(len(sentence)), words.ids(sentence)] += 1
    shares = counts.sum(dim=0) / counts.sum()  # (V,)
    there = (counts + PRIOR * shares) / (counts.sum(dim=1, keepdim=True) + PRIOR)
    masked = torch.cat([batch.words[batch.masked] for batch in read])
    position = torch.cat([batch.masked.nonzero()[:, 1] for batch in read])
    both = shares[masked], there[position, masked]
    alone, at = (math.exp(-p.log().mean().item()) for p in both)
    return alone, at


def recipe(
    N: int, seed: int, steps: int = STEPS, **changed: Any
) -> Recipe[MaskedLearner]:
    """All learn in the same way from the same text; `changed` is of the model."""
    sizes = {"d_model": M, "h": H, "d_ff": D_FF, **changed}
    return Recipe(
        MaskedLearner,
        data=TEXTS["grammar"],
        seed=seed,
        model=MaskedConfig(N=N, **sizes),
        optimiser=Optimiser("adam", 2e-3, warmup=50, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=TOKENS, evaluate_every=steps),
    )


def measured(recipe: Recipe[MaskedLearner]) -> Row:
    """Train; what is predicted, and what counts would predict."""
    learner, text = follow(recipe), corpus(recipe.data)
    row: Row = outline(learner, text)
    if recipe.seed == 0:
        words = learner.vocabularies
        counted = of_counts(english(text, "train"), english(text, "test"), words)
        row["counts"], row["counts by position"] = counted
    return row


SYSTEMS: dict[str, dict[str, Any]] = {
    **{f"N {N}": {"N": N} for N in (0, 1, 2, 4)},
    "N 2, d_ff 64": {"N": 2, "d_ff": 64},
    "N 2, d_ff 1024": {"N": 2, "d_ff": 1024},
}
"""What is compared."""

LONG: dict[str, dict[str, Any]] = {
    "N 2": {"N": 2},
    "attention alone, N 2": {"N": 2, "parts": "attention"},
}
"""What is trained longer, from one seed."""

STUDY = Study(
    about="a masked language model, by depth and by what a layer is made of",
    cases={
        f"{name}, seed {seed}": case(measured, recipe=recipe(seed=seed, **changed))
        for name, changed in SYSTEMS.items()
        for seed in SEEDS
    }
    | {
        f"{name}, longer": case(
            measured, recipe=recipe(seed=0, steps=LONGER * STEPS, **changed)
        )
        for name, changed in LONG.items()
    },
    check=case(measured, recipe=on_few(recipe(N=1, seed=1, steps=10))),
)
