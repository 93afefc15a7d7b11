"""Studies of attention alone: what √d_k does to training, and what more heads do.

Both train the smallest language model that looks back: vectors of words and places,
one layer of self-attention, and scores of the next word. Nothing leads around the
attention, so all that is known of the next word has been looked up.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lookback.attention import (
    Head,
    causal_mask,
    projection,
    scaled_dot_product_attention,
)
from lookback.bahdanau import masked_softmax
from lookback.measure import normalised_entropy
from lookback.multihead import MultiHeadAttention

from . import seeds
from .data import corpus, english
from .language_models import TEXTS, follow
from .makers import MAKERS, Vocabularies, Words, maker_of
from .predicting import LanguageMaker
from .recipes import Budget, Optimiser, Recipe, known
from .studies import STUDIES, Row, Study
from .translators import curve

SCORES = ("scaled", "dot", "additive")
SIZES = (4, 32, 256)  # of a query and a key
HEADS = (1, 4, 16)
SEEDS = (0, 1, 2)
M = 64  # numbers of a word's vector, and of what is found for it
STEPS = 480
LONGER = 3  # times as many steps: does the product without √d_k catch up?
PLACES = 80  # what stands farther back in a sentence counts as the last place


@dataclass(frozen=True)
class OneLookConfig:
    """One head of a score: one of SCORES, q · k / √d_k, q · k or vᵀ tanh(q + k).

    m  numbers of a word's vector, and of a value;  d_k  of a query and a key
    """

    score: str
    m: int
    d_k: int

    def __post_init__(self) -> None:
        known("score", self.score, SCORES)

    def look(self) -> nn.Module:
        return OneLook(self.m, self.d_k, self.score)


@dataclass(frozen=True)
class HeadsConfig:
    """h heads, with m / h numbers each of query, key and value."""

    m: int
    h: int

    def look(self) -> nn.Module:
        return MultiHeadAttention(self.m, self.h)


class OneLook(Head):
    """A head with any of SCORES; the same first W_Q, W_K and W_V for all of them."""

    def __init__(self, m: int, d_k: int, score: str) -> None:
        super().__init__(m, d_k, m)
        self.score, self.scale = score, math.sqrt(d_k)
        if score == "additive":
            self.v = nn.Parameter(torch.empty(d_k).uniform_(-1, 1) / self.scale)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        if self.score == "scaled":
            return super().forward(queries, keys, values, mask)
        Q, K, V = self.W_Q(queries), self.W_K(keys), self.W_V(values)
        if self.score == "dot":
            return scaled_dot_product_attention(Q * self.scale, K, V, mask)
        sums = Q.unsqueeze(-2) + K.unsqueeze(-3)  # (B, T, S, d_k)
        weights = masked_softmax(torch.tanh(sums) @ self.v, mask)
        return weights @ V, weights


class LookBack(nn.Module):
    """P(w_{t+1} | w_1 … w_t) = softmax(A z_t), z_t what place t finds in 1 … t."""

    def __init__(self, config: OneLookConfig | HeadsConfig, V: int) -> None:
        super().__init__()
        self.e, self.p = nn.Embedding(V, config.m), nn.Embedding(PLACES, config.m)
        self.look = config.look()
        self.A = projection(config.m, V)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """ids (B, T) → logits (B, T, V); weights (B, T, T) or (B, h, T, T)"""
        T = ids.size(1)
        places = torch.arange(T, device=ids.device).clamp(max=PLACES - 1)
        x = (self.e(ids) + self.p(places)) / math.sqrt(2)  # of variance 1
        z, weights = self.look(x, x, x, causal_mask(T, device=ids.device))
        return self.A(z), weights


class LookBackMaker(LanguageMaker):
    """Padding stands behind the words, where none of them looks."""

    def module(
        self, config: OneLookConfig | HeadsConfig, vocabularies: Vocabularies
    ) -> nn.Module:
        return LookBack(config, len(vocabularies["words"]))

    def logits(self, module: nn.Module, ids: Tensor) -> Tensor:
        logits: Tensor = module(ids)[0]
        return logits


MAKERS[OneLookConfig] = MAKERS[HeadsConfig] = LookBackMaker()


def recipe(
    config: OneLookConfig | HeadsConfig, seed: int, steps: int = STEPS
) -> Recipe:
    """All learn in the same way from the same text."""
    return Recipe(
        data=TEXTS["grammar"],
        seed=seed,
        model=config,
        optimiser=Optimiser("adam", 1e-2, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=500, evaluate_every=steps),
    )


def measured(asked: Recipe) -> Row:
    """Train; how it learnt, what it scores, how sharply it looks before and after."""
    made, seconds = follow(asked)
    maker, text = maker_of(asked), corpus(asked.data)
    read = english(text, "validation")[:200]
    with seeds.seeded(asked.seed):
        untrained = LookBack(asked.model, len(made.vocabularies["words"]))
    row: Row = {
        "parameters": maker.parameters(made.model),
        "seconds": round(seconds, 2),
        "curve": curve(made.log),
        "spread at first": spread(untrained, made.vocabularies, read),
        "spread at last": spread(made.model, made.vocabularies, read),
    }
    for name, score in maker.measure(made.model, made.vocabularies, text).items():
        row[name] = round(score, 3)
    if asked.seed == 0:
        row["words"] = shown(english(text, "test"))
        row["looks"] = look(made.model, made.vocabularies, row["words"])
    return row


def spread(
    model: nn.Module, vocabularies: Vocabularies, sentences: Sequence[Words]
) -> float:
    """The entropy of the weights as a share of the largest, ln t for t places.

    1: looks at all alike; 0: looks at one. The mean over heads and places from 2 on.
    """
    words, shares = vocabularies["words"], list[Tensor]()
    model.eval()
    with torch.no_grad():
        for sentence in sentences:
            _, weights = model(torch.tensor([[words.start, *words.ids(sentence)]]))
            places = torch.arange(1, weights.size(-1) + 1)
            shares.append(normalised_entropy(weights, places)[..., 1:].flatten())
    return round(torch.cat(shares).mean().item(), 4)


def shown(sentences: Sequence[Words]) -> list[str]:
    """The first sentence of 6 or 7 words with *that* or *who*."""
    return next(
        list(s) for s in sentences if 6 <= len(s) <= 7 and {"that", "who"} & {*s}
    )


def look(
    model: nn.Module, vocabularies: Vocabularies, sentence: Words
) -> list[list[list[float]]]:
    """The weights (h, T, T) of each head on <s> and the words of a sentence."""
    words = vocabularies["words"]
    model.eval()
    with torch.no_grad():
        _, weights = model(torch.tensor([[words.start, *words.ids(sentence)]]))
    heads = weights.reshape(-1, *weights.shape[-2:])  # one head has no axis of its own
    return [[[round(w, 3) for w in row] for row in head] for head in heads.tolist()]


def label(name: str, seed: int) -> str:
    return f"{name}, seed {seed}"


STUDIES["scaling"] = Study(
    about="a model that looks back once, by score and size of the queries",
    cases={
        **{
            label(f"{score}, d_k {d_k}", seed): recipe(
                OneLookConfig(score, M, d_k), seed
            )
            for d_k in SIZES
            for score in SCORES
            for seed in SEEDS
        },
        **{
            f"{score}, d_k {SIZES[-1]}, longer": recipe(
                OneLookConfig(score, M, SIZES[-1]), 0, LONGER * STEPS
            )
            for score in ("scaled", "dot")
        },
        "quick": recipe(OneLookConfig("scaled", M, 4), 0, 10),
    },
    measure=measured,
    check="quick",
)
STUDIES["heads"] = Study(
    about="a model that looks back once, with one head and with many",
    cases={
        **{
            label(f"h {h}", seed): recipe(HeadsConfig(M, h), seed)
            for h in HEADS
            for seed in SEEDS
        },
        "quick": recipe(HeadsConfig(M, 4), 0, 10),
    },
    measure=measured,
    check="quick",
)
