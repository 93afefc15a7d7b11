"""From the GPT of 2019 to Llama on the grammar.

Each model is the GPT of the book's tables with one part replaced, and trained in the
same way; the last has all changes, and is a `Llama`. The biases of a part go with it
where RMSNorm and SwiGLU replace it; attention keeps its biases, but in the `Llama`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from lookback.gpt import GPT, GPTConfig, begin, biased
from lookback.grouped import GroupedQueryAttention
from lookback.modern import Llama, LlamaConfig, RMSNorm, SwiGLU
from lookback.recipes.gpt import GPTLearner, TrainedConfig, on_text
from lookback.rotary import RotaryAttention
from lookback.workshop import (
    Recipe,
    Row,
    Study,
    Vocabularies,
    case,
    corpus,
    follow,
    known,
    on_few,
    outline,
)

SEEDS = (0, 1, 2)
TEXT, G, GATED = "grammar", 2, 172
"""The text; groups of keys and values; d_ff of SwiGLU, two thirds of 256."""


class NoPositions(nn.Module):
    """In the place of learned positions: nothing is added."""

    def forward(self, T: int, first: int = 0) -> Tensor:
        return torch.zeros(1)


def rotary(network: GPT) -> None:
    network.p = NoPositions()  # type: ignore[assignment]
    c = network.config
    for block in network.blocks:
        block.attention = biased(RotaryAttention(c.d_model, c.h))


def grouped(network: GPT) -> None:
    c = network.config
    for block in network.blocks:
        block.attention = biased(GroupedQueryAttention(c.d_model, c.h, G))


def rmsnorm(network: GPT) -> None:
    d = network.config.d_model
    network.norm = RMSNorm(d)
    for block in network.blocks:
        block.norm_attention, block.norm_feed_forward = RMSNorm(d), RMSNorm(d)


def swiglu(network: GPT) -> None:
    for block in network.blocks:
        block.feed_forward = SwiGLU(network.config.d_model, GATED)


CHANGES: Mapping[str, Callable[[GPT], None]] = {
    "rotary": rotary,
    "rmsnorm": rmsnorm,
    "swiglu": swiglu,
    "grouped": grouped,
}
KINDS = ("llama", *CHANGES)
MEASURED = (*CHANGES, "llama")


@dataclass(frozen=True, kw_only=True)
class ModernConfig(TrainedConfig):
    """The sizes of the GPT, and what differs from it, one of KINDS."""

    kind: str

    def __post_init__(self) -> None:
        super().__post_init__()
        known("change", self.kind, KINDS)


class ModernLearner(GPTLearner):
    """The learner of the GPT, with another network."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        c, V = self.recipe.model, len(vocabularies["words"])
        if c.kind == "llama":
            return Llama(llama(c), V)
        network = GPT(c, V)
        CHANGES[c.kind](network)
        begin(network, c.init, c.N)
        return network


def llama(c: GPTConfig) -> LlamaConfig:
    """Sizes like those of the GPT."""
    sizes = {"N": c.N, "d_model": c.d_model, "h": c.h, "g": G, "d_ff": GATED}
    return LlamaConfig(**sizes, tied=True, init=c.init)


def recipe(kind: str, seed: int, steps: int | None = None) -> Recipe[ModernLearner]:
    """The GPT's recipe with one change."""
    old = on_text(TEXT, seed, ModernLearner)
    budget = old.budget
    if steps is not None:
        budget = replace(budget, steps=steps, evaluate_every=steps)
    model = ModernConfig(**vars(old.model), kind=kind)
    return Recipe(ModernLearner, old.data, seed, model, old.optimiser, budget)


def measured(recipe: Recipe[ModernLearner]) -> Row:
    """Train: parameters, seconds, learning curve and perplexities."""
    learner = follow(recipe)
    row: Row = outline(learner, corpus(recipe.data))
    return row


STUDY = Study(
    about="GPT with one part of Llama at a time, and Llama, on the grammar",
    cases={
        f"{kind}, seed {seed}": case(measured, recipe=recipe(kind, seed))
        for seed in SEEDS
        for kind in MEASURED
    },
    check=case(measured, recipe=on_few(recipe("llama", 0, 6))),
)
