"""GloVe at five learning rates: how far it came, and where the frequencies went.

Nothing in GloVe's loss says whether the frequency of a word goes into its biases or
into its vectors. Where it goes depends on how far the training has come, and so on the
learning rate. Passes over the counts and the decay of the rate are the same for all.
"""

from dataclasses import replace

import numpy as np
import torch

from lookback.glove import Cooccurrence, GloVe, weighted_squares
from lookback.recipes.glove import RECIPES, GloVeLearner, cells_of
from lookback.workshop import Optimiser, Recipe, Row, Study, case, follow, on_few

from . import glove
from .glove import REAL, correlation, counted, fitted, tables
from .word2vec import truths

RATES = (0.05, 0.1, 0.2, 0.5, 1.0)
SEEN = 5
"""Mutual information is compared on cells with at least this count."""


def trained(recipe: Recipe[GloVeLearner]) -> tuple[GloVeLearner, Row]:
    """The model; the loss (6) over all cells, the biases, and the products."""
    learner = follow(recipe)
    assert learner.log is not None
    assert learner.log.best is not None
    X = counted(recipe)[1]
    return learner, {
        "seconds": learner.seconds,
        "validation": learner.log.best.score,
        "J": squares(learner.network, X),
        "bias": fitted(learner.network, X)["bias"],
        "products and PMI": agreement(learner.network, X),
    }


def fit(recipe: Recipe[GloVeLearner]) -> Row:
    """The losses alone: which words are nearest may depend on the processor."""
    return trained(recipe)[1]


def kinds(recipe: Recipe[GloVeLearner]) -> Row:
    """The losses, and what the grammar knows of the nearest nouns."""
    learner, row = trained(recipe)
    return row | truths(*learner.vectors(), "english")


def analogies(recipe: Recipe[GloVeLearner]) -> Row:
    """The losses, and analogies of w next to w̃."""
    learner, row = trained(recipe)
    name = "w next to w̃"
    return row | glove.analogies(learner.words, {name: tables(learner.network)[name]})


@torch.no_grad()
def squares(model: GloVe, X: Cooccurrence) -> float:
    """J, the loss over all cells."""
    i, j, counts = cells_of(X)
    config = model.config
    return float(weighted_squares(model(i, j), counts, config.x_max, config.alpha))


@torch.no_grad()
def agreement(model: GloVe, X: Cooccurrence) -> float:
    """The correlation of w · w̃ with the mutual information of the two words."""
    i, j, _ = cells_of(X)
    seen = torch.from_numpy(np.flatnonzero(X.X >= SEEN))
    product = (model.w[i[seen]] * model.w_tilde[j[seen]]).sum(dim=1).double()
    return correlation(product, torch.from_numpy(X.pmi())[seen])


def at(recipe: Recipe[GloVeLearner], rate: float, seed: int) -> Recipe[GloVeLearner]:
    """The recipe with another rate and seed."""
    return replace(recipe, seed=seed, optimiser=Optimiser("adagrad", rate))


GRAMMAR = RECIPES["glove"]
STUDY = Study(
    about="GloVe at five learning rates: its loss, its biases and its products",
    cases={
        **{
            f"grammar, rate {rate}, seed {seed}": case(
                kinds, recipe=at(GRAMMAR, rate, seed)
            )
            for rate in RATES
            for seed in (0, 1, 2)
        },
        **{
            f"Tatoeba, rate {rate}, seed 0": case(analogies, recipe=at(REAL, rate, 0))
            for rate in RATES
        },
    },
    check=case(fit, recipe=on_few(at(GRAMMAR, 0.1, 0), 500, 30)),
)
