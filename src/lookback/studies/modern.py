"""From the GPT of 2019 to Llama on the grammar.

Each model is the GPT of the book's tables with one part replaced, and trained in the
same way; the last has all changes, and is a `Llama`. The biases of a part go with it
where RMSNorm and SwiGLU replace it; attention keeps its biases, but in the `Llama`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from lookback.attention import causal_mask
from lookback.gpt import GPT, GPTConfig, init_weights
from lookback.grouped import GroupedQueryAttention
from lookback.modern import Llama, LlamaConfig, RMSNorm, SwiGLU
from lookback.multihead import MultiHeadAttention
from lookback.recipes.gpt import on_text
from lookback.rotary import AlibiAttention, RelativeAttention, RotaryAttention
from lookback.trainer.data import corpus
from lookback.trainer.learner import summary, train_recipe
from lookback.trainer.recipe import Recipe, check_choice, smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid

from .positions import NetworkLearner

SEEDS = (0, 1, 2)
G, GATED = 2, 172  # groups of keys and values; d_ff of SwiGLU, two thirds of 256
REACH = 8  # of relative positions


class NoPositions(nn.Module):
    """In the place of learned positions: nothing is added."""

    def forward(self, T: int, first: int = 0) -> Tensor:
        return torch.zeros(1)


def no_positions(network: GPT) -> None:
    network.p = NoPositions()  # type: ignore[assignment]


class Masked(nn.Module):
    """Masked self-attention by any multi-head attention; it keeps no cache."""

    def __init__(self, attention: MultiHeadAttention) -> None:
        super().__init__()
        self.attention = attention

    def forward(
        self, x: Tensor, cache: None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor, None]:
        may = causal_mask(x.size(1), device=x.device)
        if mask is not None:
            may = may & mask.unsqueeze(1)
        y, weights = self.attention(x, x, x, may)
        return y, weights, None


def relative(network: GPT) -> None:
    no_positions(network)
    d, h = network.config.d_model, network.config.h
    for block in network.blocks:
        block.attention = Masked(RelativeAttention(d, h, REACH, bias=True))


def rotary(network: GPT) -> None:
    no_positions(network)
    d, h = network.config.d_model, network.config.h
    for block in network.blocks:
        block.attention = Masked(RotaryAttention(d, h, bias=True))


def alibi(network: GPT) -> None:
    no_positions(network)
    d, h = network.config.d_model, network.config.h
    for block in network.blocks:
        block.attention = Masked(AlibiAttention(d, h, bias=True))


def grouped(network: GPT) -> None:
    d, h = network.config.d_model, network.config.h
    for block in network.blocks:
        block.attention = GroupedQueryAttention(d, h, G, bias=True)


def rmsnorm(network: GPT) -> None:
    d = network.config.d_model
    network.norm = RMSNorm(d)
    for block in network.blocks:
        block.norm_attention, block.norm_feed_forward = RMSNorm(d), RMSNorm(d)


def swiglu(network: GPT) -> None:
    for block in network.blocks:
        block.feed_forward = SwiGLU(network.config.d_model, GATED)


CHANGES: Mapping[str, Callable[[GPT], None]] = {
    "learned": lambda network: None,  # positions, as in the GPT
    "none": no_positions,
    "relative": relative,
    "rotary": rotary,
    "alibi": alibi,
    "rmsnorm": rmsnorm,
    "swiglu": swiglu,
    "grouped": grouped,
}
KINDS = ("gpt", "rotary", "rmsnorm", "swiglu", "grouped", "llama")


@dataclass(frozen=True, kw_only=True)
class ChangedConfig(GPTConfig):
    """The sizes of the GPT; one of CHANGES, or "llama"."""

    change: str

    def __post_init__(self) -> None:
        check_choice("change", self.change, [*CHANGES, "llama"])

    def build(self, V: int) -> nn.Module:
        if self.change == "llama":
            return Llama(llama(self), V)
        network = GPT(self, V)
        CHANGES[self.change](network)
        init_weights(network, self.init, self.N)
        return network


def llama(c: GPTConfig) -> LlamaConfig:
    """Sizes like those of the GPT."""
    sizes = {"N": c.N, "d_model": c.d_model, "h": c.h, "g": G, "d_ff": GATED}
    return LlamaConfig(**sizes, tied=True, init=c.init)


def recipe(kind: str, seed: int) -> Recipe[Any]:
    """The GPT's recipe with one change; "gpt": with none."""
    old = on_text("grammar", seed, NetworkLearner)
    if kind == "gpt":
        return on_text("grammar", seed)
    model = ChangedConfig(**vars(old.model), change=kind)
    return Recipe(NetworkLearner, old.data, seed, model, old.optimiser, old.budget)


def measured(recipe: Recipe[Any]) -> Row:
    """Train: parameters, seconds and perplexities."""
    row: Row = summary(train_recipe(recipe), corpus(recipe.data))
    return row


def arguments(kind: str, seed: int) -> Setting:
    return {"recipe": recipe(kind, seed)}


STUDY = Study(
    "GPT with one part of Llama at a time, and Llama, on the grammar",
    {
        "changes": Experiment(
            measured,
            grid(kind=KINDS, seed=SEEDS),
            smoke={"recipe": smoke_recipe(recipe("llama", 0), 300, 3)},
            arguments=arguments,
        )
    },
)
