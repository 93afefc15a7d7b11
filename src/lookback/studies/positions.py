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
from lookback.text.corpora import Lengths, grammar
from lookback.workshop import (
    TEXTS,
    Budget,
    Data,
    LanguageLearner,
    Optimiser,
    Recipe,
    Sentences,
    Vocabularies,
    corpus,
    english,
    follow,
    known,
    on_few,
    outline,
)
from lookback.workshop.study import Experiment, Row, Setting, Study, grid

KINDS = ("sinusoidal", "learned", "none")
READ = ("short", "all")
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


def recipe(positions: str, read: str, seed: int, steps: int = STEPS) -> Setting:
    """All learn in the same way; `read` is one of READ."""
    made: Recipe[PositionsLearner] = Recipe(
        PositionsLearner,
        data=SHORT if read == "short" else TEXTS["grammar"],
        seed=seed,
        model=PositionsConfig(positions, M, H),
        optimiser=Optimiser("adam", 1e-2, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=500, evaluate_every=steps),
    )
    return {"recipe": made}


def measured(recipe: Recipe[PositionsLearner]) -> Row:
    """Train; the perplexity of unseen sentences of the text, and of long ones.

    words  perplexity of the words at positions 1 … 9, 10 … 18 and so on, given that
           the sentence goes on
    """
    learner = follow(recipe)
    score = outline(learner, corpus(recipe.data))["test perplexity"]
    log_p, _, scored = going_on(learner, long_sentences())
    return {"test perplexity": score, "words": perplexities(log_p, scored)}


def long_sentences(count: int = ASKED) -> Sentences:
    """Fresh sentences that reach through all spans."""
    lengths = Lengths(uniform=1.0, low=SPAN * SPANS, high=66)
    drawn = grammar(pairs=count * 3 // 2, seed=1, size="small", lengths=lengths)
    return [s for s in english(drawn, "train") if len(s) >= SPAN * SPANS][:count]


def by_span(values: Tensor, kept: Tensor) -> list[float]:
    """The mean of what is kept of values (sentences, 45), in each span of positions."""
    kept = kept.expand(values.shape)
    spans = (slice(first, first + SPAN) for first in range(0, values.size(1), SPAN))
    return [values[:, span][kept[:, span]].mean().item() for span in spans]


def perplexities(log_p: Tensor, kept: Tensor) -> list[float]:
    """Of the first 9 words of all sentences, of the next 9, and so on."""
    return [math.exp(-mean) for mean in by_span(log_p, kept)]


@torch.no_grad()
def going_on(
    learner: LanguageLearner, sentences: Sentences
) -> tuple[Tensor, Tensor, Tensor]:
    """As if sentences went on: ln P without STOPS in the softmax; P of STOPS; scored.

    Each (sentences, 45). Full stops among the words are not scored.
    """
    words, seen = learner.vocabularies["words"], SPAN * SPANS
    stops = torch.tensor([words.end, *words.ids(STOPS)])
    ids = torch.tensor([[words.start, *words.ids(s[:seen])] for s in sentences])
    logits = learner.logits(learner.network.eval(), ids[:, :-1]).double()
    target = ids[:, 1:]
    ends = logits.softmax(dim=-1)[..., stops].sum(dim=-1)
    logits[..., stops] = -torch.inf
    log_p = logits.log_softmax(dim=-1).gather(-1, target[..., None])[..., 0]
    return log_p, ends, ~torch.isin(target, stops)


STUDY = Study(
    "masked self-attention, by its positions, past the trained length",
    {
        "lengths": Experiment(
            measured,
            grid(positions=KINDS, read=READ, seed=(0, 1, 2)),
            smoke={"recipe": on_few(recipe("learned", "short", 0, 10)["recipe"])},
            arguments=recipe,
        )
    },
    version=2,
)
