"""Positions past the trained length, in a GPT of two layers and in one of one.

The GPT of the book's tables, with its learned positions replaced by others or by none.
It learns from sentences of up to 18 words, and predicts those of the long sentences of
the study `positions`. Models of short sentences expect the end of a sentence where a
long one goes on; so the end and the full stop are left out where words are scored.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from torch import nn

from lookback.gpt import GPT, begin, biased
from lookback.multihead import MultiHeadAttention
from lookback.recipes.gpt import GPTLearner, TrainedConfig, on_text
from lookback.rotary import AlibiAttention, RelativeAttention, RotaryAttention
from lookback.workshop import (
    Recipe,
    Row,
    Study,
    Vocabularies,
    case,
    corpus,
    each,
    follow,
    known,
    on_few,
    outline,
)

from .modern import NoPositions
from .positions import SHORT, SPAN, going_on, long_sentences, perplexities

SEEDS = (0, 1, 2)
STEPS = 720
REACH = 8
KINDS = ("learned", "none", "relative", "rotary", "alibi")
RELATIVE: Mapping[str, Callable[[int, int], MultiHeadAttention]] = {
    "relative": lambda d, h: RelativeAttention(d, h, REACH),
    "rotary": RotaryAttention,
    "alibi": AlibiAttention,
}


@dataclass(frozen=True, kw_only=True)
class DeepConfig(TrainedConfig):
    """The sizes of the GPT, and one of KINDS of positions."""

    positions: str

    def __post_init__(self) -> None:
        super().__post_init__()
        known("kind of positions", self.positions, KINDS)


class DeepLearner(GPTLearner):
    """The learner of the GPT, with other positions."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        c: DeepConfig = self.recipe.model
        network = GPT(c, len(vocabularies["words"]))
        if c.positions != "learned":
            network.p = NoPositions()  # type: ignore[assignment]
        if c.positions in RELATIVE:
            for block in network.blocks:
                block.attention = biased(RELATIVE[c.positions](c.d_model, c.h))
        begin(network, c.init, c.N)
        return network


def recipe(
    positions: str, seed: int, steps: int = STEPS, N: int = 2
) -> Recipe[DeepLearner]:
    """The GPT's, on short sentences; N layers."""
    old = on_text("grammar", seed, DeepLearner)
    assert old.optimiser is not None
    return Recipe(
        DeepLearner,
        data=SHORT,
        seed=seed,
        model=DeepConfig(**{**vars(old.model), "N": N}, positions=positions),
        optimiser=replace(old.optimiser, warmup=steps // 20),
        budget=replace(old.budget, steps=steps, evaluate_every=steps),
    )


def measured(recipe: Recipe[Any]) -> Row:
    """Train; perplexity of unseen short sentences, and of long ones as if they went on.

    spans  perplexity of the words at positions 1 … 9, 10 … 18 and so on
    end    the mean probability of the end after the first span, where no sentence ends
    """
    learner = follow(recipe)
    row: Row = outline(learner, corpus(recipe.data))
    log_p, stops, scored = going_on(learner, long_sentences())
    row["spans"] = perplexities(log_p, scored)
    row["end"] = stops[:, SPAN:][scored[:, SPAN:]].mean().item()
    return row


STUDY = Study(
    about="positions past the trained length, in a GPT",
    cases=each(
        measured,
        recipe={
            **{
                f"{kind}, seed {seed}": recipe(kind, seed)
                for seed in SEEDS
                for kind in KINDS
            },
            **{
                f"{kind}, one layer, seed {seed}": recipe(kind, seed, N=1)
                for seed in SEEDS
                for kind in KINDS
            },
        },
    ),
    check=case(measured, recipe=on_few(recipe("alibi", 0, 10))),
)
