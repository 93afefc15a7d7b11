"""A model small enough to train in a test; also a program, that tests start.

python tests/trainer/recipes/tiny.py train tiny --into FOLDER
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import lookback.recipes
from lookback import cli
from lookback.text import corpora
from lookback.text.batches import Batch, sentence_batches
from lookback.text.corpora import Corpus
from lookback.trainer import data, parallel
from lookback.trainer.data import AnyCorpus, english, vocabulary
from lookback.trainer.fit import Batches
from lookback.trainer.learner import Metrics, NeuralLearner, Vocabularies
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe

WORDS = ("the", "cat", "sees", "a", "dog", "and", "it", "sleeps", "on", "my", "mat")


def toy(sentences: int = 30) -> Corpus:
    """A toy: sentences of 2 to 8 words, each word followed by few others."""
    text = [
        tuple(WORDS[(n * k + k) % len(WORDS)] for k in range(2 + n % 7))
        for n in range(sentences)
    ]
    third = sentences // 3
    splits = text[2 * third :] + text[:third], text[third : 2 * third], text[:third]
    return Corpus("toy", "1", 1, *splits, tuple(WORDS), {})


@dataclass(frozen=True)
class TinyConfig:
    width: int
    dropout: float = 0.0


class Tiny(nn.Module):
    """The next word from this one: embedding, dropout, tanh, logits."""

    def __init__(self, config: TinyConfig, vocab_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, config.width)
        self.dropout = nn.Dropout(config.dropout)
        self.out = nn.Linear(config.width, vocab_size)

    def forward(self, ids: Tensor) -> Tensor:
        return self.out(self.dropout(torch.tanh(self.embedding(ids))))


class TinyLearner(NeuralLearner):
    half = False
    losses = 0

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return Tiny(self.recipe.model, len(vocabularies["words"]))

    def words_of(self, corpus: AnyCorpus) -> Vocabularies:
        return {"words": vocabulary(english(corpus, "train"), self.recipe.data)}

    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        drawn = generator if split == "train" else None

        def epoch() -> Iterator[Batch]:
            return sentence_batches(
                english(corpus, split),
                self.vocabularies["words"],
                tokens=self.recipe.budget.tokens,
                generator=drawn,
            )

        return epoch

    def loss(self, network: nn.Module, batch: Any) -> tuple[Tensor, int]:
        if network.training:
            self.losses += 1
        logits = network(batch.target[:, :-1])  # (B, T - 1, V)
        total = nn.functional.cross_entropy(
            logits.flatten(0, 1),
            batch.target[:, 1:].flatten(),
            ignore_index=0,
            reduction="sum",
        )
        return total, batch.tokens

    def evaluate(self, corpus: AnyCorpus) -> Metrics:
        batches = self.batches(corpus, "test", torch.Generator())
        return {"test loss": self.mean_loss(self.network, batches)}


TINY = Recipe(
    TinyLearner,
    data=Data("toy", (("sentences", 30),)),
    seed=3,
    model=TinyConfig(width=7),
    optimiser=Optimiser("adam", 0.05, warmup=4, decay="inverse-sqrt", clip=1.0),
    budget=Budget(steps=23, tokens=20, evaluate_every=5, patience=9),
)
DROPPING = replace(TINY, model=TinyConfig(width=7, dropout=0.4))
RECIPES = {"tiny": TINY, "tiny-dropping": DROPPING}


ROWS = ((5, 4), (1, 8), (2, 3))
"""Batches, and how long: where there is one row, one of two processes has none."""


def gradients() -> list[tuple[float, int, list[Tensor]]]:
    """Loss, tokens and gradients of each batch, shared by the processes there are."""
    with torch.random.fork_rng(), parallel.together(torch.device("cpu")):
        torch.manual_seed(0)
        return _gradients()  # what it shared is gone when the processes part


def _gradients() -> list[tuple[float, int, list[Tensor]]]:
    model = Tiny(TinyConfig(width=7), len(WORDS)).double()
    model.add_module("unused", nn.Linear(1, 1))

    def loss(model: nn.Module, ids: Tensor) -> tuple[Tensor, int]:
        scores, words = model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()
        real = words < 9  # so that not every row has as many tokens
        each = nn.functional.cross_entropy(scores, words, reduction="none")
        return each[real].sum(), int(real.sum())

    ours, found = parallel.shared(model, loss), []
    for rows in ROWS:
        model.zero_grad()
        total, tokens = ours(model, torch.randint(len(WORDS), rows))
        (total / tokens).backward()
        used = [model.embedding, model.out]
        grads = [p.grad.clone() for part in used for p in part.parameters()]
        found.append((total.item(), tokens, grads))
    return found


if __name__ == "__main__":
    if "GRADIENTS" in os.environ:
        os.environ["MASTER_PORT"], port = os.environ["PORTS"].split()
        torch.save(gradients(), os.environ["GRADIENTS"])
        os.environ["MASTER_PORT"] = port
    vars(corpora)["toy"] = toy
    data.NAMES = (*data.NAMES, "toy")
    lookback.recipes.__path__.append(str(Path(__file__).parent))
    raise SystemExit(cli.main(sys.argv[1:]))
