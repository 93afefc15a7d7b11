"""What √d_k does to training; one head with shared matrices, W_Q = W_K or W_K = W_V.

The smallest language model with masked self-attention: vectors of words and positions,
one layer of attention, and scores of the next word. It has no residual connection, so
that all it knows of the next word has come through the attention.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.attention import (
    Head,
    causal_mask,
    projection,
    scaled_dot_product_attention,
)
from lookback.measure import normalised_entropy
from lookback.multihead import MultiHeadAttention
from lookback.trainer import seeds
from lookback.trainer.data import corpus, english
from lookback.trainer.language import TEXTS, LanguageLearner
from lookback.trainer.learner import Vocabularies, Words, summary, train_recipe
from lookback.trainer.recipe import (
    Budget,
    Optimiser,
    Recipe,
    check_choice,
    smoke_recipe,
)
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.trainer.toys import train_toy

SCORES = ("scaled", "dot")
SIZES = (4, 32, 256)  # of a query and a key
RATES = (1e-3, 3e-3, 1e-2, 3e-2)
RATE, D_K = RATES[2], SIZES[-1]
SEEDS = (0, 1, 2)
M = 64  # features of a word's vector, and of the attention's output
STEPS = 480
TIES = ("three matrices", "queries as keys", "keys as values")
ROOM = 2  # numbers of a query, a key and a value where a card has little room
POSITIONS = 80  # what follows in a longer sentence counts as the last of them


@dataclass(frozen=True)
class OneHeadConfig:
    """One head of a score: one of SCORES, q · k / √d_k or q · k.

    m  features of a word's vector, and of a value;  d_k  of a query and a key
    """

    score: str
    m: int
    d_k: int

    def __post_init__(self) -> None:
        check_choice("score", self.score, SCORES)

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
        self.scale = 1 if score == "scaled" else math.sqrt(d_k)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        Q, K, V = self.W_Q(queries), self.W_K(keys), self.W_V(values)
        return scaled_dot_product_attention(Q * self.scale, K, V, mask)


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
    config: OneHeadConfig | HeadsConfig,
    seed: int,
    rate: float = RATE,
    steps: int = STEPS,
) -> Recipe[OneLayerLearner]:
    """All learn in the same way from the same text."""
    return Recipe(
        OneLayerLearner,
        data=TEXTS["grammar"],
        seed=seed,
        model=config,
        optimiser=Optimiser("adam", rate, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=500, evaluate_every=steps),
    )


def measured(recipe: Recipe[OneLayerLearner]) -> Row:
    """Train; its scores, and how spread the weights are before and after training."""
    return scores(train_recipe(recipe))


def scores(learner: OneLayerLearner) -> Row:
    """What is said of each trained model of this kind."""
    text, words = corpus(learner.recipe.data), learner.vocabularies
    read = english(text, "validation")[:200]
    return {
        **summary(learner, text),
        "entropy at first": entropy(learner.untrained(words), words, read),
        "entropy at last": entropy(learner.network, words, read),
    }


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


def one_head(score: str, d_k: int, rate: float, seed: int) -> Setting:
    """The recipe of a setting."""
    return {"recipe": recipe(OneHeadConfig(score, M, d_k), seed, rate)}


class Cards(nn.Module):
    """One head finds a card, the sum of two embeddings; two of its matrices may be one.

    tied  one of TIES
    d_k   numbers of a query, a key and a value
    """

    def __init__(self, tied: str, d_k: int = 16) -> None:
        super().__init__()
        self.letter, self.digit = nn.Embedding(26, 32), nn.Embedding(10, 32)
        self.W_Q, self.W_K, self.W_V = (
            nn.Linear(32, d_k, bias=False) for _ in range(3)
        )
        if tied == "queries as keys":
            self.W_Q = self.W_K
        elif tied == "keys as values":
            self.W_V = self.W_K
        self.out = nn.Linear(d_k, 10)

    def forward(self, letters: Tensor, digits: Tensor, asked: Tensor) -> Tensor:
        """letters, digits (B, 6); asked (B, 1) → logits (B, 10)"""
        x, asks = self.letter(letters) + self.digit(digits), self.letter(asked)
        return self.out(  # type: ignore[no-any-return]
            scaled_dot_product_attention(self.W_Q(asks), self.W_K(x), self.W_V(x))[0]
        )[:, 0]


def dealt(
    size: int, ahead: int, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Letters and digits (size, 6), the letter asked for (size, 1), the digit wanted.

    The letters follow each other in the alphabet, after z comes a, and are shuffled.
    """
    first = torch.randint(26, (size, 1), generator=generator)
    order = torch.rand(size, 6, generator=generator).argsort(dim=1)
    digits = torch.randint(10, (size, 6), generator=generator)
    asked = torch.randint(6 - ahead, (size, 1), generator=generator)
    wanted = (order == asked + ahead).int().argmax(dim=1, keepdim=True)
    answers = digits.gather(1, wanted)[:, 0]
    return (first + order) % 26, digits, (first + asked) % 26, answers


def head(ahead: int, tied: str, seed: int, steps: int = 400) -> Row:
    """Which digit is on the card with the letter asked for, or `ahead` after it?"""
    return answers(ahead, tied, 16, seed, steps)


def room(d_k: int, tied: str, seed: int, steps: int = 1000) -> Row:
    """`head` for the next letter, with queries, keys and values of d_k numbers."""
    return answers(1, tied, d_k, seed, steps)


def answers(ahead: int, tied: str, d_k: int, seed: int, steps: int) -> Row:
    """Train on hands of cards; the share of right answers for 2000 new hands."""

    def loss(model: Cards, generator: torch.Generator) -> Tensor:
        *given, wanted = dealt(64, ahead, generator)
        return cross_entropy(model(*given), wanted)

    model, _ = train_toy(
        lambda: Cards(tied, d_k), loss, seed=seed, steps=steps, rate=1e-2
    )
    *given, wanted = dealt(2000, ahead, seeds.generator(2017))
    with torch.no_grad():
        right = model(*given).argmax(dim=1) == wanted
    return {"right": right.float().mean().item()}


STUDY = Study(
    "one layer of masked self-attention, by score, size of the queries and rate",
    {
        "scores": Experiment(
            measured,
            grid(score=SCORES, d_k=SIZES[:-1], rate=[RATE], seed=SEEDS)
            + grid(score=SCORES, d_k=[D_K], rate=RATES, seed=SEEDS),
            smoke={
                "recipe": smoke_recipe(
                    recipe(OneHeadConfig("scaled", M, 4), 0, steps=10), 3500
                )
            },
            arguments=one_head,
        ),
        "tied": Experiment(
            head,
            grid(ahead=(0, 1), tied=TIES, seed=range(5)),
            smoke={"ahead": 1, "tied": TIES[0], "seed": 0, "steps": 5},
        ),
        "room": Experiment(
            room,
            grid(d_k=[ROOM], tied=TIES, seed=SEEDS),
            smoke={"d_k": ROOM, "tied": TIES[0], "seed": 0, "steps": 5},
        ),
    },
)
