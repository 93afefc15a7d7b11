"""The maker of GloVe: it counts once, and then reads counts instead of text."""

from collections.abc import Iterable, Iterator
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

from .data import AnyCorpus
from .embedding import FIRST, VectorMaker, sentences
from .fit import Anew
from .makers import MAKERS, Vocabularies
from .recipes import RECIPES, Budget, Optimiser, Recipe

Cells = tuple[Tensor, Tensor, Tensor]


class GloVeMaker(VectorMaker):
    """A batch is some cells of X, drawn without regard to where they stand in it.

    What decides on the best weights is not J, whose counts a shorter text does not
    have, but how likely the model takes the neighbours in the validation text to be.
    """

    def module(self, config: GloVeConfig, vocabularies: Vocabularies) -> GloVe:
        return GloVe(config, len(vocabularies["words"]) - FIRST)

    def vectors(self, model: nn.Module) -> Tensor:
        """w beside w̃: (V, 2m). The sum of the two, in small models, is a worse guide.

        Words that never stand together get opposite w and w̃, which a sum takes away.
        """
        assert isinstance(model, GloVe)
        return torch.cat([model.w, model.w_tilde], dim=1)

    def counts(
        self, recipe: Recipe, vocabularies: Vocabularies, corpus: AnyCorpus, split: str
    ) -> Cooccurrence:
        """X of a split. Unknown words are left out; those around them move together."""
        words = vocabularies["words"]
        rows = [
            [i - FIRST for i in words.ids(sentence) if i >= FIRST]
            for sentence in sentences(corpus, split)
        ]
        return cooccurrence(rows, len(words) - FIRST, recipe.model.window)

    def batches(
        self,
        recipe: Recipe,
        vocabularies: Vocabularies,
        corpus: AnyCorpus,
        split: str,
        generator: torch.Generator,
    ) -> Iterable[Any]:
        X = self.counts(recipe, vocabularies, corpus, split)
        cells = cells_of(X)
        if split != "train":
            return [cells]

        def draw() -> Iterator[Cells]:
            order = torch.randperm(len(X.X), generator=generator)
            for some in torch.split(order, recipe.budget.tokens):
                i, j, x = (part[some] for part in cells)
                yield i, j, x

        return Anew(draw)

    def loss(self, module: nn.Module, batch: Any) -> tuple[Tensor, int]:
        i, j, X = batch
        inside = getattr(module, "module", module)  # what DistributedDataParallel wraps
        assert isinstance(inside, GloVe)
        x_max, alpha = inside.config.x_max, inside.config.alpha
        return weighted_squares(module(i, j), X, x_max, alpha), len(X)

    def mean_loss(self, module: nn.Module, batches: Iterable[Any]) -> float:
        """-log P(j near i), the mean of all neighbours there are in the batches."""
        assert isinstance(module, GloVe)
        with torch.no_grad():
            scores = module.w @ module.w_tilde.T + module.b_tilde  # (V, V)
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
    return i, j, torch.from_numpy(X.X).float()


MAKER = GloVeMaker()
MAKERS[GloVeConfig] = MAKER

RECIPES["glove"] = Recipe(
    data=RECIPES["word2vec"].data,
    seed=0,
    model=GloVeConfig(m=32, x_max=100, alpha=0.75, window=5),
    optimiser=Optimiser("adagrad", 0.1),
    budget=Budget(steps=1280, tokens=2048, evaluate_every=320),
)
RECIPES["glove-tatoeba"] = Recipe(
    data=RECIPES["word2vec-tatoeba"].data,
    seed=0,
    model=GloVeConfig(m=50, x_max=100, alpha=0.75, window=5),
    optimiser=Optimiser("adagrad", 0.1),
    budget=Budget(steps=5520, tokens=4096, evaluate_every=1380),
)
