"""Relative positions past the trained length: rotary, ALiBi and Shaw's embeddings.

The model of the study `positions`, one layer of attention, with attention that knows
distances. It learns from sentences of up to 18 words and predicts those of long ones.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from lookback.multihead import MultiHeadAttention
from lookback.rotary import AlibiAttention, RelativeAttention, RotaryAttention
from lookback.studies import positions
from lookback.studies.positions import SEEDS, SHORT, OneLayer, long_sentences, spans
from lookback.workshop import (
    Budget,
    LanguageLearner,
    Optimiser,
    Recipe,
    Row,
    Study,
    Vocabularies,
    corpus,
    follow,
    known,
    on_few,
    outline,
)

REACH = 8
KINDS: Mapping[str, Callable[[int, int], MultiHeadAttention]] = {
    "rotary": RotaryAttention,
    "alibi": AlibiAttention,
    "relative": lambda m, h: RelativeAttention(m, h, REACH),
}


@dataclass(frozen=True)
class RelativeConfig:
    """One of KINDS; m features of a word's vector, h heads."""

    positions: str
    m: int
    h: int

    def __post_init__(self) -> None:
        known("kind of positions", self.positions, KINDS)


class RelativeLearner(LanguageLearner):
    """Padding follows the words, where the causal mask hides it."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        c = self.recipe.model
        without = positions.PositionsConfig("none", c.m, c.h)
        network = OneLayer(without, len(vocabularies["words"]))
        network.attention = KINDS[c.positions](c.m, c.h)
        return network

    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        logits: Tensor = network(ids)
        return logits


def recipe(
    kind: str, seed: int, steps: int = positions.STEPS
) -> Recipe[RelativeLearner]:
    """That of the study `positions` on short sentences."""
    return Recipe(
        RelativeLearner,
        data=SHORT,
        seed=seed,
        model=RelativeConfig(kind, positions.M, positions.H),
        optimiser=Optimiser("adam", 1e-2, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=500, evaluate_every=steps),
    )


def measured(recipe: Recipe[Any]) -> Row:
    """Train; perplexity of unseen sentences of the text, and by span of long ones."""
    learner = follow(recipe)
    row: Row = outline(learner, corpus(recipe.data))
    row["spans"] = spans(learner.log_probabilities(long_sentences()))
    return row


STUDY = Study(
    about="attention that knows distances, past the trained length",
    cases={
        **{
            f"{kind}, seed {seed}": recipe(kind, seed)
            for kind in KINDS
            for seed in SEEDS
        },
        "quick": on_few(recipe("alibi", 0, 10)),
    },
    measure=measured,
    check="quick",
)
