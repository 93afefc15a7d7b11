"""Positions past the trained length: models of short sentences on long ones.

The small language model of the study `attention`, with sinusoidal positions, learned
ones or none. Half of the models read sentences of up to 18 words, half of up to 66. All
predict the words of the same long sentences, position by position. A model of short
sentences expects the end where a long one goes on, so the full stop and the end are
left out of the softmax.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lookback.attention import causal_mask, projection
from lookback.multihead import MultiHeadAttention
from lookback.positions import LearnedPositions, SinusoidalPositions
from lookback.recipes.gpt import GPTLearner
from lookback.text.corpora import Lengths, grammar
from lookback.trainer.data import Sentences, corpus, english
from lookback.trainer.language import TEXTS, LanguageLearner
from lookback.trainer.learner import Vocabularies, summary, train_recipe
from lookback.trainer.recipe import (
    Budget,
    Data,
    Optimiser,
    Recipe,
    check_choice,
    smoke_recipe,
)
from lookback.trainer.study import Experiment, Row, Study, grid

KINDS = ("sinusoidal", "learned", "none")
READ = ("short", "all")
SEEDS = (0, 1, 2)
M, H = 64, 4
STEPS = 720
TABLE = 80  # learned positions, more than any sentence needs
LONGEST = 18  # words of a sentence in the short text
SPAN, SPANS = 9, 5  # perplexity is measured in so many spans of so many positions
ASKED = 400  # long sentences
STOPS = (".",)  # after which a sentence of the grammar has no word

SHORT = Data(
    "grammar",
    (
        *TEXTS["grammar"].options,
        ("lengths", Lengths(uniform=0.0, low=12, high=LONGEST, longest=LONGEST)),
    ),
    min_count=2,
)


class NetworkLearner(GPTLearner):
    """Trains the network that the recipe's `model` builds, which is called as a GPT."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        network: nn.Module = self.recipe.model.build(len(vocabularies["words"]))
        return network


@dataclass(frozen=True)
class PositionsConfig:
    """m features of a word's vector, h heads, and one of KINDS of positions."""

    positions: str
    m: int
    h: int

    def __post_init__(self) -> None:
        check_choice("kind of positions", self.positions, KINDS)

    def build(self, V: int) -> nn.Module:
        return OneLayer(self, V)


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

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """ids (B, T) → logits (B, T, V); weights (B, h, T, T)"""
        x, T = self.e(ids), ids.size(1)
        if self.positions is not None:
            x = x + self.positions(T)
        z, weights = self.attention(x, x, x, causal_mask(T, device=ids.device))
        return self.A(z), weights


def recipe(positions: str, read: str, seed: int) -> Recipe[NetworkLearner]:
    """All learn in the same way; `read` is one of READ."""
    check_choice("text", read, READ)
    return Recipe(
        NetworkLearner,
        data=SHORT if read == "short" else TEXTS["grammar"],
        seed=seed,
        model=PositionsConfig(positions, M, H),
        optimiser=Optimiser("adam", 1e-2, decay="linear", clip=1.0),
        budget=Budget(steps=STEPS, tokens=500, evaluate_every=STEPS),
    )


def measured(recipe: Recipe[NetworkLearner], asked: int = ASKED) -> Row:
    """Train; perplexity of unseen sentences of the text, and of long ones.

    asked  how many long sentences
    spans  perplexity of the words at positions 1 … 9, 10 … 18 and so on, given that the
           sentence goes on
    """
    learner = train_recipe(recipe)
    row: Row = summary(learner, corpus(recipe.data))
    row["spans"] = by_span(*going_on(learner, long_sentences(asked)))
    return row


def long_sentences(count: int) -> Sentences:
    """Fresh sentences that reach through all spans."""
    lengths = Lengths(uniform=1.0, low=SPAN * SPANS, high=66)
    drawn = grammar(pairs=count * 3 // 2, seed=1, size="small", lengths=lengths)
    return [s for s in english(drawn, "train") if len(s) >= SPAN * SPANS][:count]


def by_span(log_p: Tensor, scored: Tensor) -> list[float]:
    """The perplexity of what is scored (sentences, 45), in each span of positions."""
    parts = (torch.split(all_, SPAN, dim=1) for all_ in (log_p, scored))
    spans = zip(*parts, strict=True)
    return [math.exp(-some[kept].mean().item()) for some, kept in spans]


@torch.no_grad()
def going_on(learner: LanguageLearner, sentences: Sentences) -> tuple[Tensor, Tensor]:
    """As if sentences went on: ln P without STOPS in the softmax; what is scored.

    Each (sentences, 45). Full stops among the words are not scored.
    """
    words, seen = learner.vocabularies["words"], SPAN * SPANS
    stops = torch.tensor([words.end, *words.ids(STOPS)])
    ids = torch.tensor([[words.start, *words.ids(s[:seen])] for s in sentences])
    logits = learner.logits(learner.network.eval(), ids[:, :-1]).double()
    target = ids[:, 1:]
    logits[..., stops] = -torch.inf
    log_p = logits.log_softmax(dim=-1).gather(-1, target[..., None])[..., 0]
    return log_p, ~torch.isin(target, stops)


STUDY = Study(
    "masked self-attention, by its positions, past the trained length",
    {
        "positions": Experiment(
            measured,
            grid(read=READ, positions=KINDS, seed=SEEDS),
            smoke={
                "recipe": smoke_recipe(recipe("learned", "short", 0), 300, 3),
                "asked": 10,
            },
            arguments=lambda **setting: {"recipe": recipe(**setting)},
        )
    },
)
