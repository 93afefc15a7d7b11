"""Skip-gram and GloVe factorise nearly the same matrix: how near do they come?

Skip-gram with negative sampling is best where the score of a pair is its pointwise
mutual information less log k, and GloVe where it is log X (Levy and Goldberg 2014,
Pennington et al. 2014). Both are trained on the same text, and compared with that.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from lookback.glove import Cooccurrence, cooccurrence
from lookback.ibm1 import Numbers
from lookback.recipes.glove import GloVeLearner, cells_of
from lookback.recipes.word2vec import Word2VecLearner
from lookback.word2vec import SkipGram, keep_probability, noise_distribution
from lookback.workshop import (
    Recipe,
    Row,
    Study,
    case,
    corpus,
    each,
    follow,
    on_few,
    recipe,
)

from .glove import correlation

BINS = (1.0, 10.0, 100.0, float("inf"))


@dataclass(frozen=True)
class Case:
    """A recipe for GloVe or for skip-gram."""

    recipe: Recipe[Any]


def measure(case: Case) -> Row:
    """Correlations of the scores with what they tend to, by how often words met."""
    learner = follow(case.recipe)
    text = corpus(case.recipe.data)
    if isinstance(learner, GloVeLearner):
        X = learner.counts(text, "train")
        i, j, counts = cells_of(X)
        with torch.no_grad():
            scores = learner.network(i, j).double().numpy()
        return {"log X": by_count(X, scores, counts.double().log().numpy())}
    assert isinstance(learner, Word2VecLearner)
    assert isinstance(learner.network, SkipGram)
    rows, V = learner.rows(text, "train"), len(learner.words)
    window = case.recipe.model.window
    # a word d positions away is within the reach, drawn from 1 to the window, so often:
    X = cooccurrence(rows, V, window, weight=lambda d: (window + 1 - d) / window)
    v, u = learner.network.v.detach(), learner.network.u.detach()
    scores = (v[X.i] * u[X.j]).sum(dim=1).double().numpy()
    often = torch.tensor([i for row in rows for i in row]).bincount(minlength=V)
    k, t = case.recipe.model.negatives, case.recipe.model.t
    return {
        "PMI": by_count(X, scores, X.pmi()),
        "PMI of its own noise": by_count(X, scores, shifted(X, often, k, t)),
    }


def shifted(X: Cooccurrence, often: torch.Tensor, k: int, t: float) -> Numbers:
    """log (X_ij / (k X_i P_n(j))) after subsampling, P_n with the power of 3/4."""
    keep = keep_probability(often, t).double().numpy()
    noise = noise_distribution(often).double().numpy()
    kept = X.X * keep[X.i] * keep[X.j]
    total = np.bincount(X.i, kept, minlength=X.V)
    return np.asarray(np.log(kept / (k * total[X.i] * noise[X.j])))


def by_count(X: Cooccurrence, scores: Numbers, wanted: Numbers) -> list[float]:
    """The correlation in each of the BINS of X."""
    found, often = [], X.X
    for low, high in pairwise(BINS):
        here = (often >= low) & (often < high)
        pair = torch.from_numpy(scores[here]), torch.from_numpy(wanted[here])
        found.append(round(correlation(*pair), 4))
    return found


STUDY = Study(
    about="what skip-gram and GloVe factorise, on the English of the grammar",
    cases=each(
        measure,
        case={
            f"{name}, seed {seed}": Case(replace(recipe(key), seed=seed))
            for name, key in (("GloVe", "glove"), ("skip-gram", "word2vec"))
            for seed in (0, 1, 2)
        },
    ),
    check=case(measure, case=Case(on_few(recipe("glove"), 3000, 3))),
)
