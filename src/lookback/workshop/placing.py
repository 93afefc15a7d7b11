"""A study of places: who learnt short sentences is asked about long ones.

The small language model of `scaling`, with sinusoidal positions, learned ones or none.
Half of the models read sentences of up to 18 words, half of up to 66. All are asked for
the words of the same long sentences, place by place.
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

from .data import Sentences, corpus, english, longest
from .language_models import TEXTS, follow
from .makers import MAKERS, Vocabularies, maker_of
from .predicting import LanguageMaker
from .recipes import Budget, Data, Optimiser, Recipe, known
from .studies import STUDIES, Row, Study
from .translators import curve

KINDS = ("sinusoidal", "learned", "none")
READ = ("short", "all")
SEEDS = (0, 1, 2)
M, H = 64, 4
STEPS = 720
TABLE = 80  # learned positions, more than any sentence needs
LONGEST = 18  # words of a sentence in the short text
SPAN, SPANS = 9, 5  # words are asked for in so many spans of so many places
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
class PlacedConfig:
    """m numbers of a word's vector, h heads, and one of KINDS of positions."""

    positions: str
    m: int
    h: int

    def __post_init__(self) -> None:
        known("kind of positions", self.positions, KINDS)


class Placed(nn.Module):
    """P(w_{t+1} | w_1 … w_t) = softmax(A z_t), z_t what one layer of heads finds."""

    def __init__(self, config: PlacedConfig, V: int) -> None:
        super().__init__()
        self.e = nn.Embedding(V, config.m)
        self.look = MultiHeadAttention(config.m, config.h)
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
        z, _ = self.look(x, x, x, causal_mask(T, device=ids.device))
        logits: Tensor = self.A(z)
        return logits


class PlacedMaker(LanguageMaker):
    """Padding stands behind the words, where none of them looks."""

    def module(self, config: PlacedConfig, vocabularies: Vocabularies) -> nn.Module:
        return Placed(config, len(vocabularies["words"]))

    def logits(self, module: nn.Module, ids: Tensor) -> Tensor:
        logits: Tensor = module(ids)
        return logits


MAKERS[PlacedConfig] = PlacedMaker()


def recipe(positions: str, read: str, seed: int, steps: int = STEPS) -> Recipe:
    """All learn in the same way; `read` is one of READ."""
    known("text", read, READ)
    return Recipe(
        data=SHORT if read == "short" else TEXTS["grammar"],
        seed=seed,
        model=PlacedConfig(positions, M, H),
        optimiser=Optimiser("adam", 1e-2, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=500, evaluate_every=steps),
    )


def measured(asked: Recipe) -> Row:
    """Train; the perplexity of unseen sentences of the text, and of long ones.

    spans     perplexity of the words at places 1 … 9, 10 … 18 and so on
    repeated  the same with learned positions, if the last that was learnt stands for
              all behind it
    """
    made, seconds = follow(asked)
    maker, text, long = maker_of(asked), corpus(asked.data), long_sentences()
    row: Row = {
        "parameters": maker.parameters(made.model),
        "seconds": round(seconds, 2),
        "curve": curve(made.log),
    }
    for name, score in maker.measure(made.model, made.vocabularies, text).items():
        row[name] = round(score, 3)
    assert isinstance(maker, LanguageMaker)
    row["spans"] = spans(maker.log_probabilities(made.model, made.vocabularies, long))
    if asked.model.positions == "learned":
        repeat(made.model.positions.table, longest(text) + 1)  # <s> has a place too
        log_p = maker.log_probabilities(made.model, made.vocabularies, long)
        row["repeated"] = spans(log_p)
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
def repeat(table: Tensor, learnt: int) -> None:
    """Let the last of `learnt` places stand for all behind it, in place."""
    table[learnt:] = table[learnt - 1].clone()


def label(positions: str, read: str, seed: int) -> str:
    return f"{positions}, {read}, seed {seed}"


STUDIES["places"] = Study(
    about="a model that looks back once, by its positions, past the trained length",
    cases={
        **{
            label(positions, read, seed): recipe(positions, read, seed)
            for read in READ
            for positions in KINDS
            for seed in SEEDS
        },
        "quick": recipe("learned", "short", 0, 10),
    },
    measure=measured,
    check="quick",
)
