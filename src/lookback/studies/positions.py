"""Positions past the trained length: models of short sentences on long ones.

The small language model of the study `attention`, with sinusoidal positions, learned
ones or none. Half of the models read sentences of up to 18 words, half of up to 66. All
predict the words of the same long sentences, position by position.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lookback.attention import causal_mask, projection
from lookback.multihead import MultiHeadAttention
from lookback.positions import LearnedPositions, SinusoidalPositions
from lookback.text.corpora import Lengths, grammar
from lookback.workshop import (
    TEXTS,
    Budget,
    Data,
    LanguageLearner,
    Optimiser,
    Recipe,
    Row,
    Sentences,
    Study,
    Vocabularies,
    case,
    corpus,
    each,
    english,
    follow,
    known,
    longest,
    on_few,
    outline,
)

KINDS = ("sinusoidal", "learned", "none")
READ = ("short", "all")
SEEDS = (0, 1, 2)
M, H = 64, 4
STEPS = 720
TABLE = 80  # learned positions, more than any sentence needs
LONGEST = 18  # words of a sentence in the short text
SPAN, SPANS = 9, 5  # perplexity is measured in so many spans of so many positions
ASKED = 400  # long sentences

SHORT = Data(
    "grammar",
    (
        *TEXTS["grammar"].options,
        ("lengths", Lengths(uniform=0.0, low=12, high=LONGEST, longest=LONGEST)),
    ),
    min_count=2,
)


@dataclass(frozen=True)
class PositionsConfig:
    """m features of a word's vector, h heads, and one of KINDS of positions."""

    positions: str
    m: int
    h: int

    def __post_init__(self) -> None:
        known("kind of positions", self.positions, KINDS)


class OneLayer(nn.Module):
    """P(w_{t+1} | w_1 … w_t) = softmax(A z_t), z_t of one layer of masked attention."""

    def __init__(self, config: PositionsConfig, V: int) -> None:
        super().__init__()
        self.e = nn.Embedding(V, config.m)
        self.attention = MultiHeadAttention(config.m, config.h)
        self.A = projection(config.m, V)
        self.positions: nn.Module | None = None
        if config.positions == "sinusoidal":
            self.positions = SinusoidalPositions(config.m)
        elif config.positions == "learned":
            self.positions = LearnedPositions(TABLE, config.m)

    def forward(self, ids: Tensor) -> Tensor:
        """ids (B, T) → logits (B, T, V)"""
        x, T = self.e(ids), ids.size(1)
        if self.positions is not None:
            x = x + self.positions(T)
        z, _ = self.attention(x, x, x, causal_mask(T, device=ids.device))
        logits: Tensor = self.A(z)
        return logits


class PositionsLearner(LanguageLearner):
    """Padding follows the words, where the causal mask hides it."""

    network: OneLayer

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return OneLayer(self.recipe.model, len(vocabularies["words"]))

    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        logits: Tensor = network(ids)
        return logits


def recipe(
    positions: str, read: str, seed: int, steps: int = STEPS
) -> Recipe[PositionsLearner]:
    """All learn in the same way; `read` is one of READ."""
    known("text", read, READ)
    return Recipe(
        PositionsLearner,
        data=SHORT if read == "short" else TEXTS["grammar"],
        seed=seed,
        model=PositionsConfig(positions, M, H),
        optimiser=Optimiser("adam", 1e-2, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=500, evaluate_every=steps),
    )


def measured(recipe: Recipe[PositionsLearner]) -> Row:
    """Train; the perplexity of unseen sentences of the text, and of long ones.

    spans     perplexity of the words at positions 1 … 9, 10 … 18 and so on
    repeated  the same with learned positions, if the last trained one stands for all
              that follow
    """
    learner, text, long = follow(recipe), corpus(recipe.data), long_sentences()
    row: Row = outline(learner, text)
    row["spans"] = spans(learner.log_probabilities(long))
    if recipe.model.positions == "learned":
        assert learner.network.positions is not None
        table = learner.network.positions.table
        assert isinstance(table, Tensor)
        repeat(table, longest(text) + 1)  # <s> has a position too
        row["repeated"] = spans(learner.log_probabilities(long))
    return row


def long_sentences(count: int = ASKED) -> Sentences:
    """Fresh sentences that reach through all spans."""
    lengths = Lengths(uniform=1.0, low=SPAN * SPANS, high=66)
    drawn = grammar(pairs=count * 3 // 2, seed=1, size="small", lengths=lengths)
    return [s for s in english(drawn, "train") if len(s) >= SPAN * SPANS][:count]


def spans(log_p: Sequence[NDArray[np.float64]]) -> list[float]:
    """Perplexity of the first 9 words of all sentences, of the next 9, and so on."""
    together = np.stack([one[: SPAN * SPANS] for one in log_p])  # (sentences, 45)
    means = together.reshape(len(together), SPANS, SPAN).mean(axis=(0, 2))
    return [round(float(score), 3) for score in np.exp(-means)]


@torch.no_grad()
def repeat(table: Tensor, trained: int) -> None:
    """Let the last of the trained positions stand for all that follow, in place."""
    table[trained:] = table[trained - 1].clone()


def label(positions: str, read: str, seed: int) -> str:
    return f"{positions}, {read}, seed {seed}"


STUDY = Study(
    about="masked self-attention, by its positions, past the trained length",
    cases=each(
        measured,
        recipe={
            **{
                label(positions, read, seed): recipe(positions, read, seed)
                for read in READ
                for positions in KINDS
                for seed in SEEDS
            },
        },
    ),
    check=case(measured, recipe=on_few(recipe("learned", "short", 0, 10))),
)
