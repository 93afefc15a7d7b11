"""How GloVe is trained: it counts once, and then reads counts instead of text."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from lookback.glove import (
    Cooccurrence,
    GloVe,
    GloVeConfig,
    cooccurrence,
    weighted_squares,
)
from lookback.trainer.data import AnyCorpus
from lookback.trainer.fit import Batches
from lookback.trainer.learner import Vocabularies
from lookback.trainer.recipe import Budget, Optimiser, Recipe, recipe
from lookback.trainer.vectors import FIRST, VectorLearner

Cells = tuple[Tensor, Tensor, Tensor]


class GloVeLearner(VectorLearner):
    """A batch is some cells of X, drawn in any order.

    What decides on the best weights is not J, whose counts a shorter text does not
    have, but how likely the model takes the neighbours in the validation text to be.
    """

    network: GloVe

    def build(self, vocabularies: Vocabularies) -> GloVe:
        return GloVe(self.recipe.model, len(vocabularies["words"]) - FIRST)

    def table(self, network: nn.Module) -> Tensor:
        """w next to w̃: (V, 2m). The sum of the two, in small models, is a worse guide.

        Words that never occur together get opposite w and w̃, which a sum takes away.
        """
        assert isinstance(network, GloVe)
        return torch.cat([network.w, network.w_tilde], dim=1)

    def counts(self, corpus: AnyCorpus, split: str) -> Cooccurrence:
        """X of a split. Unknown words are left out; those around them move together."""
        rows, V = self.rows(corpus, split), len(self.words)
        return cooccurrence(rows, V, self.recipe.model.window)

    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        X = self.counts(corpus, split)
        cells = cells_of(X)
        if split != "train":
            return [cells]

        def epoch() -> Iterator[Cells]:
            order = torch.randperm(len(X.X), generator=generator)
            for some in torch.split(order, self.recipe.budget.tokens):
                i, j, x = (part[some] for part in cells)
                yield i, j, x

        return epoch

    def loss(self, network: nn.Module, batch: Any) -> tuple[Tensor, int]:
        i, j, X = batch
        config: GloVeConfig = network.config  # type: ignore[assignment]
        squares = weighted_squares(network(i, j), X, config.x_max, config.alpha)
        return squares, len(X)

    def mean_loss(self, network: nn.Module, batches: Batches) -> float:
        """-log P(j near i), the mean of all neighbours there are in the batches."""
        assert isinstance(network, GloVe)
        assert not callable(batches)
        with torch.no_grad():
            scores = network.w @ network.w_tilde.T + network.b_tilde  # (V, V)
            logs, total, near = scores.log_softmax(dim=1), 0.0, 0.0
            for i, j, X in batches:
                total -= float((X * logs[i, j]).sum())
                near += float(X.sum())
        if not near:
            raise ValueError("there is nothing to measure the loss on")
        return total / near


def cells_of(X: Cooccurrence) -> Cells:
    """The cells of X as tensors."""
    i, j = torch.from_numpy(X.i), torch.from_numpy(X.j)
    return i, j, torch.from_numpy(X.X).to(torch.get_default_dtype())


RECIPES = {
    "glove": Recipe(
        GloVeLearner,
        data=recipe("word2vec").data,
        seed=0,
        model=GloVeConfig(m=32, x_max=100, alpha=0.75, window=5),
        optimiser=Optimiser("adagrad", 0.5),
        budget=Budget(steps=1280, tokens=2048, evaluate_every=320),
    ),
    "glove-tatoeba": Recipe(
        GloVeLearner,
        data=recipe("word2vec-tatoeba").data,
        seed=0,
        model=GloVeConfig(m=50, x_max=100, alpha=0.75, window=5),
        optimiser=Optimiser("adagrad", 0.1),
        budget=Budget(steps=5520, tokens=4096, evaluate_every=1380),
    ),
}
