"""What √d_k does to training.

The smallest language model with masked self-attention: vectors of words and positions,
one layer of attention, and scores of the next word. It has no residual connection, so
that all it knows of the next word has come through the attention.
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
from lookback.workshop import (
    TEXTS,
    Budget,
    LanguageLearner,
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
)

SCORES = ("scaled", "dot", "additive")
SIZES = (4, 32, 256)  # of a query and a key
SEEDS = (0, 1, 2)
M = 64  # features of a word's vector, and of the attention's output
STEPS = 480
POSITIONS = 80  # what follows in a longer sentence counts as the last of them


@dataclass(frozen=True)
class OneHeadConfig:
    """One head of a score: one of SCORES, q · k / √d_k, q · k or vᵀ tanh(q + k).

    m  features of a word's vector, and of a value;  d_k  of a query and a key
    """

    score: str
    m: int
    d_k: int

    def __post_init__(self) -> None:
        known("score", self.score, SCORES)

    def attention(self) -> nn.Module:
        return ScoredHead(self.m, self.d_k, self.score)


@dataclass(frozen=True)
class HeadsConfig:
    """h heads, with m / h features each of query, key and value."""

    m: int
    h: int

    def attention(self) -> nn.Module:
        return MultiHeadAttention(self.m, self.h)


class ScoredHead(Head):
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


class OneLayer(nn.Module):
    """P(w_{t+1} | w_1 … w_t) = softmax(A z_t), z_t attention from t over 1 … t."""

    def __init__(self, config: OneHeadConfig | HeadsConfig, V: int) -> None:
        super().__init__()
        self.e, self.p = nn.Embedding(V, config.m), nn.Embedding(POSITIONS, config.m)
        self.attention = config.attention()
        self.A = projection(config.m, V)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """ids (B, T) → logits (B, T, V); weights (B, T, T) or (B, h, T, T)"""
        T = ids.size(1)
        positions = torch.arange(T, device=ids.device).clamp(max=POSITIONS - 1)
        x = (self.e(ids) + self.p(positions)) / math.sqrt(2)  # of variance 1
        z, weights = self.attention(x, x, x, causal_mask(T, device=ids.device))
        return self.A(z), weights


class OneLayerLearner(LanguageLearner):
    """Padding follows the words, where the causal mask hides it."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return OneLayer(self.recipe.model, len(vocabularies["words"]))

    def logits(self, network: nn.Module, ids: Tensor) -> Tensor:
        logits: Tensor = network(ids)[0]
        return logits


def recipe(
    config: OneHeadConfig | HeadsConfig, seed: int, steps: int = STEPS
) -> Recipe[OneLayerLearner]:
    """All learn in the same way from the same text."""
    return Recipe(
        OneLayerLearner,
        data=TEXTS["grammar"],
        seed=seed,
        model=config,
        optimiser=Optimiser("adam", 1e-2, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=500, evaluate_every=steps),
    )


def measured(recipe: Recipe[OneLayerLearner]) -> Row:
    """Train; its scores, and how spread the weights are before and after training."""
    learner, text = follow(recipe), corpus(recipe.data)
    read, words = english(text, "validation")[:200], learner.vocabularies
    row: Row = {
        **outline(learner, text),
        "entropy at first": entropy(learner.untrained(words), words, read),
        "entropy at last": entropy(learner.network, words, read),
    }
    if recipe.seed == 0:
        row["words"] = shown(english(text, "test"))
        row["weights"] = head_weights(learner.network, words, row["words"])
    return row


def entropy(
    model: nn.Module, vocabularies: Vocabularies, sentences: Sequence[Words]
) -> float:
    """The normalised entropy of the weights: as a share of the largest, ln t.

    1: all t positions alike; 0: one alone. The mean over heads and positions from 2 on.
    """
    words, shares = vocabularies["words"], list[Tensor]()
    model.eval()
    with torch.no_grad():
        for sentence in sentences:
            _, weights = model(torch.tensor([[words.start, *words.ids(sentence)]]))
            positions = torch.arange(1, weights.size(-1) + 1)
            shares.append(normalised_entropy(weights, positions)[..., 1:].flatten())
    return torch.cat(shares).mean().item()


def shown(sentences: Sequence[Words]) -> list[str]:
    """The first sentence of 6 or 7 words with *that* or *who*."""
    return next(
        list(s) for s in sentences if 6 <= len(s) <= 7 and {"that", "who"} & {*s}
    )


def head_weights(
    model: nn.Module, vocabularies: Vocabularies, sentence: Words
) -> list[list[list[float]]]:
    """The weights (h, T, T) of each head on <s> and the words of a sentence."""
    words = vocabularies["words"]
    model.eval()
    with torch.no_grad():
        _, weights = model(torch.tensor([[words.start, *words.ids(sentence)]]))
    heads = weights.reshape(-1, *weights.shape[-2:])  # one head has no axis of its own
    found: list[list[list[float]]] = heads.tolist()
    return found


def label(name: str, seed: int) -> str:
    return f"{name}, seed {seed}"


STUDY = Study(
    about="one layer of masked self-attention, by score and size of the queries",
    cases={
        label(f"{score}, d_k {d_k}", seed): case(
            measured, recipe=recipe(OneHeadConfig(score, M, d_k), seed)
        )
        for d_k in SIZES
        for score in SCORES
        for seed in SEEDS
    },
    check=case(
        measured, recipe=on_few(recipe(OneHeadConfig("scaled", M, 4), 0, 10), 3500)
    ),
)
