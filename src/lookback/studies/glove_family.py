"""Skip-gram and GloVe factorise nearly the same matrix: how near do they come?

Skip-gram with negative sampling is best where the score of a pair is its pointwise
mutual information less log k, and GloVe where it is log X (Levy and Goldberg 2014,
Pennington et al. 2014). Both are trained on the same text, and compared with that.
"""

from dataclasses import replace
from itertools import pairwise

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
    follow,
    on_few,
    recipe,
)

from .glove import correlation

BINS = (1.0, 10.0, 100.0, float("inf"))


def glove(recipe: Recipe[GloVeLearner]) -> Row:
    """Correlations of GloVe's scores with log X, by how often two words met."""
    learner = follow(recipe)
    X = learner.counts(corpus(recipe.data), "train")
    i, j, counts = cells_of(X)
    with torch.no_grad():
        scores = learner.network(i, j).double().numpy()
    return {"log X": by_count(X, scores, counts.double().log().numpy())}


def skip_gram(recipe: Recipe[Word2VecLearner]) -> Row:
    """Correlations of skip-gram's scores with mutual information, by the same bins."""
    learner, model = follow(recipe), recipe.model
    assert isinstance(learner.network, SkipGram)
    rows, V = learner.rows(corpus(recipe.data), "train"), len(learner.words)
    window = model.window
    # a word d positions away is within the reach, drawn from 1 to the window, so often:
    X = cooccurrence(rows, V, window, weight=lambda d: (window + 1 - d) / window)
    v, u = learner.network.v.detach(), learner.network.u.detach()
    scores = (v[X.i] * u[X.j]).sum(dim=1).double().numpy()
    often = torch.tensor([i for row in rows for i in row]).bincount(minlength=V)
    noise = shifted(X, often, model.negatives, model.t)
    return {
        "PMI": by_count(X, scores, X.pmi()),
        "PMI of its own noise": by_count(X, scores, noise),
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
        found.append(correlation(*pair))
    return found


STUDY = Study(
    about="what skip-gram and GloVe factorise, on the English of the grammar",
    cases={
        f"{name}, seed {seed}": case(function, recipe=replace(recipe(key), seed=seed))
        for name, function, key in (
            ("GloVe", glove, "glove"),
            ("skip-gram", skip_gram, "word2vec"),
        )
        for seed in (0, 1, 2)
    },
    check=case(glove, recipe=on_few(recipe("glove"), 3000, 3)),
)
