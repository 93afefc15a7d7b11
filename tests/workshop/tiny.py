"""A model small enough to train in a test; also a program, that tests start and kill.

    python tests/workshop/tiny.py train tiny --into FOLDER

Where STOP_AFTER is set, the program says so after that many losses and waits.
"""

import os
import sys
from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from lookback import cli
from lookback.text import corpora
from lookback.text.batches import sentence_batches
from lookback.text.corpora import Corpus
from lookback.workshop import data, makers, recipes
from lookback.workshop.fit import Anew
from lookback.workshop.makers import Metrics, Vocabularies
from lookback.workshop.neural import NeuralMaker
from lookback.workshop.recipes import Budget, Data, Optimiser, Recipe

WORDS = ("the", "cat", "sees", "a", "dog", "and", "it", "sleeps", "on", "my", "mat")


def toy(sentences: int = 30) -> Corpus:
    """A toy: sentences of 2 to 8 words, each word followed by few others."""
    made = [
        tuple(WORDS[(n * k + k) % len(WORDS)] for k in range(2 + n % 7))
        for n in range(sentences)
    ]
    third = sentences // 3
    splits = made[2 * third :] + made[:third], made[third : 2 * third], made[:third]
    return Corpus("toy", "1", 1, *splits, tuple(WORDS), {})


@dataclass(frozen=True)
class TinyConfig:
    width: int
    dropout: float = 0.0


class Tiny(nn.Module):
    """The next word from this one: embedding, dropout, tanh, logits."""

    def __init__(self, config: TinyConfig, size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(size, config.width)
        self.dropout = nn.Dropout(config.dropout)
        self.out = nn.Linear(config.width, size)

    def forward(self, ids: Tensor) -> Tensor:
        return self.out(self.dropout(torch.tanh(self.embedding(ids))))


class TinyMaker(NeuralMaker):
    half = False
    losses = 0

    def vocabularies(self, recipe: Recipe, corpus: Any) -> Vocabularies:
        return {"words": data.vocabulary(data.english(corpus, "train"), recipe.data)}

    def module(self, config: TinyConfig, vocabularies: Vocabularies) -> nn.Module:
        return Tiny(config, len(vocabularies["words"]))

    def batches(
        self,
        recipe: Recipe,
        vocabularies: Vocabularies,
        corpus: Any,
        split: str,
        generator: torch.Generator,
    ) -> Iterable[Any]:
        sentences, words = data.english(corpus, split), vocabularies["words"]
        limit = recipe.budget.tokens
        chance = generator if split == "train" else None

        def draw() -> Iterator[Any]:
            return sentence_batches(sentences, words, tokens=limit, generator=chance)

        return Anew(draw)

    def loss(self, module: nn.Module, batch: Any) -> tuple[Tensor, int]:
        if module.training:
            self.losses += 1
            if self.losses == int(os.environ.get("STOP_AFTER", -1)):
                print("waiting", flush=True)
                sys.stdin.read()
        logits = module(batch.target[:, :-1])  # (B, T - 1, V)
        total = nn.functional.cross_entropy(
            logits.flatten(0, 1),
            batch.target[:, 1:].flatten(),
            ignore_index=0,
            reduction="sum",
        )
        return total, batch.tokens

    def measure(
        self, model: nn.Module, vocabularies: Vocabularies, corpus: Any
    ) -> Metrics:
        batches = self.batches(TINY, vocabularies, corpus, "test", torch.Generator())
        return {"test loss": self.mean_loss(model, batches)}


TINY = Recipe(
    data=Data("toy", (("sentences", 30),)),
    seed=3,
    model=TinyConfig(width=7),
    optimiser=Optimiser("adam", 0.05, warmup=4, decay="inverse-sqrt", clip=1.0),
    budget=Budget(steps=23, tokens=20, evaluate_every=5, patience=9),
)
DROPPING = replace(TINY, model=TinyConfig(width=7, dropout=0.4))


def register(put: Any) -> None:
    """Enter the corpus, the recipes and their maker."""
    put(vars(corpora), "toy", toy)
    put(vars(data), "NAMES", (*data.NAMES, "toy"))
    put(recipes.RECIPES, "tiny", TINY)
    put(recipes.RECIPES, "dropping", DROPPING)
    put(makers.MAKERS, TinyConfig, TinyMaker())


def _put(where: MutableMapping[Any, Any], key: Any, value: Any) -> None:
    where[key] = value


if __name__ == "__main__":
    register(_put)
    plan = Recipe.plan
    Recipe.plan = lambda recipe: replace(plan(recipe), save_every=0.0)  # each step
    raise SystemExit(cli.main(sys.argv[1:]))
