"""GloVe at five learning rates: how far it came, and where the frequencies went.

Nothing in GloVe's loss says whether the frequency of a word goes into its biases or
into its vectors. Where it goes depends on how far the training has come, and so on the
learning rate. Passes over the counts and the decay of the rate are the same for all.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch

from lookback.glove import Cooccurrence, GloVe, weighted_squares
from lookback.recipes.glove import RECIPES, GloVeLearner, cells_of
from lookback.workshop import Optimiser, Recipe, Row, Study, case, each, follow

from .glove import REAL, analogies, correlation, counted, fitted, tables
from .word2vec import truths

RATES = (0.05, 0.1, 0.2, 0.5, 1.0)
SEEN = 5
"""Mutual information is compared on cells with at least this count."""


@dataclass(frozen=True)
class Case:
    """A recipe for GloVe, with another rate.

    asks  "kinds" on the grammar, "analogies" on real text, or "fit", neither: where two
          words are nearly as near, another processor may find another one
    """

    recipe: Recipe[GloVeLearner]
    asks: str


def measure(case: Case) -> Row:
    """The loss (6) over all cells, the biases, the products, and what is asked."""
    learner = follow(case.recipe)
    assert learner.log is not None
    assert learner.log.best is not None
    X = counted(case.recipe)[1]
    row: Row = {
        "seconds": round(learner.seconds, 1),
        "validation": learner.log.best.score,
        "J": squares(learner.network, X),
        "bias": fitted(learner.network, X)["bias"],
        "products and PMI": agreement(learner.network, X),
    }
    if case.asks == "kinds":
        row |= truths(*learner.vectors(), "english")
    elif case.asks == "analogies":
        beside = {"w next to w̃": tables(learner.network)["w next to w̃"]}
        row |= analogies(learner.words, beside)
    return row


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


QUICK = replace(
    RECIPES["glove"],
    data=replace(RECIPES["glove"].data, options=(("pairs", 500),)),
    budget=replace(RECIPES["glove"].budget, steps=30, evaluate_every=30),
)
STUDY = Study(
    about="GloVe at five learning rates: its loss, its biases and its products",
    cases=each(
        measure,
        case={
            **{
                f"grammar, rate {rate}, seed {seed}": Case(
                    at(RECIPES["glove"], rate, seed), "kinds"
                )
                for rate in RATES
                for seed in (0, 1, 2)
            },
            **{
                f"Tatoeba, rate {rate}, seed 0": Case(at(REAL, rate, 0), "analogies")
                for rate in RATES
            },
        },
    ),
    check=case(measure, case=Case(at(QUICK, 0.1, 0), "fit")),
)
