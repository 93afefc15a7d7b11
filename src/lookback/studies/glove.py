"""GloVe beside two older ways to make vectors of counts: analogies on real English."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from lookback.glove import Cooccurrence
from lookback.measure import analogy_scores
from lookback.recipes.glove import RECIPES, GloVeLearner, cells_of
from lookback.text.analogies import ANALOGIES
from lookback.trainer import seeds
from lookback.trainer.data import corpus
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Optimiser, Recipe, smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid

from .word2vec import LEAST, SEEDS

RATES = (0.05, 0.1, 0.2, 0.5, 1.0)
RATE = 0.1  # of these the one that predicts the neighbours in validation best
SHIPPED = RECIPES["glove-tatoeba"]
REAL = replace(SHIPPED, model=replace(SHIPPED.model, m=64))
"""With the dimensions of skip-gram. The model that ships has fewer, to be small."""


def analogies(recipe: Recipe[GloVeLearner], method: str, least: int = LEAST) -> Row:
    """Right analogies, the mean of the classes with `least` pairs or more.

    method  "GloVe", w next to w̃; "SVD of PPMI" or "LSA", in m dimensions
    Of GloVe also the loss on validation, by which its rate is chosen.
    """
    row = Row()
    if method == "GloVe":
        learner = train_recipe(recipe)
        assert learner.log is not None
        assert learner.log.best is not None
        row["validation"] = learner.log.best.score
        vectors = learner.vectors()[1]
    else:
        learner, text = GloVeLearner(recipe), corpus(recipe.data)
        learner.vocabularies = learner.words_of(text)
        if method == "LSA":
            rows = learner.rows(text, "train")
            vectors = by_sentence(rows, len(learner.words), recipe.model.m)
        else:
            vectors = largest(learner.counts(text, "train"), recipe.model.m)
    scores = analogy_scores(
        ANALOGIES, learner.words, vectors,
        generator=seeds.generator(0), samples=1, least=least,
    )  # fmt: skip
    return row | {"right": float(np.mean([s.right.value for s in scores.values()]))}


def by_sentence(rows: Sequence[Sequence[int]], V: int, m: int) -> Tensor:
    """Latent semantic analysis, with sentences for documents: (V, m).

    The cell of word i and sentence d is log (1 + count) · log (D / D_i), D_i being the
    sentences that hold i. U √S of the m largest singular values of that matrix.
    """
    counts = [Counter(row) for row in rows]
    held = np.bincount([i for count in counts for i in count], minlength=V)
    idf = np.log(len(rows) / held.clip(1))
    products = np.zeros((V, V))  # A Aᵀ, whose eigenvectors are the singular vectors
    for count in counts:
        ids = [*count]
        cells = np.log1p([*count.values()]) * idf[ids]
        products[np.ix_(ids, ids)] += np.outer(cells, cells)
    squares, U = np.linalg.eigh(products)
    singular = np.sqrt(squares[-m:].clip(0))
    return torch.from_numpy((U[:, -m:] * np.sqrt(singular))[:, ::-1].copy()).float()


def largest(X: Cooccurrence, m: int) -> Tensor:
    """U √S of the m largest singular values of max(PMI, 0): (V, m).

    The matrix is symmetric: its singular values are the sizes of its eigenvalues.
    """
    positive = torch.zeros(X.V, X.V)
    i, j, _ = cells_of(X)
    positive[i, j] = torch.from_numpy(np.maximum(X.pmi(), 0)).float()
    values, vectors = torch.linalg.eigh(positive)
    most = values.abs().topk(m).indices
    factors: Tensor = vectors[:, most] * values[most].abs().sqrt()
    return factors


Probe = tuple[str, float, float]


def probes(
    X: Cooccurrence, words: Sequence[str], one: str, other: str, least: float = 3
) -> list[Probe]:
    """Words k that tell `one` from `other`, and words that do not: k, P_ik, P_jk.

    Of the words that meet the two at least `least` times together: the two with the
    highest ratio P_ik / P_jk and the two with the lowest, where that is ∞ or 0 those
    that are met most; then, of those with a ratio between 4/5 and 5/4, the two that
    are met most and the two that are met least.
    """
    i, j = words.index(one), words.index(other)
    met = X.dense()[[i, j]]  # (2, V)
    P = met / met.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = P[0] / P[1]
    known = [int(k) for k in np.flatnonzero(met.sum(axis=0) >= least)]
    high = sorted(known, key=lambda k: (-ratio[k], -P[0, k]))
    low = sorted(known, key=lambda k: (ratio[k], -P[1, k]))
    even = sorted(
        (k for k in known if 4 / 5 <= ratio[k] <= 5 / 4), key=lambda k: -P[:, k].sum()
    )
    chosen = [*high[:2], *low[:2], *even[:2], *even[2:][-2:]]
    return [(words[k], float(P[0, k]), float(P[1, k])) for k in chosen]


def method(method: str, rate: float = RATE, seed: int = 0) -> Setting:
    """The recipe of a setting."""
    recipe = replace(REAL, seed=seed, optimiser=Optimiser("adagrad", rate))
    return {"recipe": recipe, "method": method}


STUDY = Study(
    "vectors from counts on Tatoeba: right analogies, the mean of ten classes",
    {
        "analogies": Experiment(
            analogies,
            [
                *grid(method=("LSA", "SVD of PPMI")),
                *grid(method=["GloVe"], rate=[RATE], seed=SEEDS),
                *grid(method=["GloVe"], rate=[r for r in RATES if r != RATE], seed=[0]),
            ],
            smoke={
                "recipe": smoke_recipe(RECIPES["glove"], 1000, 10),
                "method": "GloVe",
                "least": 3,
            },
            arguments=method,
        )
    },
)
