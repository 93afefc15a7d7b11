"""A study of GloVe: its settings, what it keeps, and its family, on the same text.

Skip-gram and a singular value decomposition of mutual information read the same counts
and have as many dimensions. All are measured by the same analogies.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lookback.glove import Cooccurrence, GloVe, cooccurrence
from lookback.measure import analogy_scores
from lookback.recipes.glove import RECIPES, GloVeLearner, cells_of
from lookback.text.analogies import ANALOGIES
from lookback.workshop import (
    Recipe,
    Row,
    Study,
    case,
    corpus,
    follow,
    on_few,
    seeds,
    unique_sentences,
)

HALVES = {
    "chosen on": {name: pairs[::2] for name, pairs in ANALOGIES.items()},
    "reported on": {name: pairs[1::2] for name, pairs in ANALOGIES.items()},
}
"""Settings are compared on the one half of the pairs, and reported on the other."""
PAIR = ("bread", "wine")
"""The most frequent food and the most frequent drink of the grammar."""
BINS = (0.0, 1.0, 10.0, 100.0, float("inf"))


def trained(
    recipe: Recipe[GloVeLearner], biases: bool = False, words: bool = True
) -> Row:
    """How near the trained model comes to its counts; analogies of its vectors.

    biases  do they begin with the values that `mutual` gives them?
    words   are analogies measured? Where two words are nearly as near, another
            processor may find another one
    """
    X = counted(recipe)[1]
    given: Any = {"prepare": partial(mutual, X=X)} if biases else {}
    learner = follow(recipe, **given)
    assert learner.log is not None
    assert learner.log.best is not None
    row: Row = {"seconds": learner.seconds, "loss": learner.log.best.score}
    row |= fitted(learner.network, X)
    return row | (analogies(learner.words, tables(learner.network)) if words else {})


def ratios(recipe: Recipe[GloVeLearner]) -> Row:
    """The size of the text, and words that tell the two of PAIR apart: see `probes`."""
    words, X = counted(recipe)
    read = unique_sentences(corpus(recipe.data), "train")
    size = {"sentences": len(read), "words": sum(map(len, read))}
    return {**size, "probes": probes(X, words, *PAIR)}


def svd(recipe: Recipe[GloVeLearner]) -> Row:
    """Analogies of the m largest dimensions of the positive mutual information."""
    words, X = counted(recipe)
    return analogies(words, {"U √S": largest(X, recipe.model.m)})


def lsa(recipe: Recipe[GloVeLearner]) -> Row:
    """Analogies of the m largest dimensions of words by sentences."""
    words, rows = numbered(recipe)
    return analogies(words, {"U √S": by_sentence(rows, len(words), recipe.model.m)})


def hal(recipe: Recipe[GloVeLearner]) -> Row:
    """Analogies of the counts themselves."""
    words, rows = numbered(recipe)
    return analogies(words, {"rows": by_side(rows, len(words))})


def counted(recipe: Recipe[GloVeLearner]) -> tuple[Sequence[str], Cooccurrence]:
    """The words of a recipe's corpus, and the counts that GloVe reads."""
    text, learner = corpus(recipe.data), GloVeLearner(recipe)
    learner.vocabularies = learner.words_of(text)
    return learner.words, learner.counts(text, "train")


def numbered(recipe: Recipe[GloVeLearner]) -> tuple[Sequence[str], list[list[int]]]:
    """The words of a recipe's corpus, and the sentences that are counted."""
    text, learner = corpus(recipe.data), GloVeLearner(recipe)
    learner.vocabularies = learner.words_of(text)
    return learner.words, [list(row) for row in learner.rows(text, "train")]


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


def by_side(rows: Sequence[Sequence[int]], V: int, window: int = 5) -> Tensor:
    """The counts themselves, of Lund and Burgess's kind: (V, 2 V).

    A word d positions away counts window + 1 - d; what stood before a word and what
    stood after it are counted apart.
    """
    left = cooccurrence(
        rows, V, window, weight=lambda d: window + 1 - d, symmetric=False
    ).dense()
    return torch.from_numpy(np.hstack([left, left.T])).float()


@torch.no_grad()
def mutual(model: GloVe, X: Cooccurrence) -> None:
    """Let the biases begin as log X_i - ½ log ΣX, where PMI would have them."""
    start = torch.from_numpy(np.log(X.totals()) - np.log(X.X.sum()) / 2)
    model.b.copy_(start)
    model.b_tilde.copy_(start)


def tables(model: GloVe) -> Mapping[str, Tensor]:
    """What can be taken for the words' vectors, by name."""
    w, w_tilde = model.w.detach(), model.w_tilde.detach()
    both = torch.cat([w, w_tilde], dim=1)
    return {"w": w, "w̃": w_tilde, "w + w̃": w + w_tilde, "w next to w̃": both}


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


def analogies(words: Sequence[str], tables: Mapping[str, Tensor]) -> Row:
    """For each table of vectors: analogies by class, and the mean on either half."""
    rows = Row()
    for name, vectors in tables.items():
        generator = seeds.generator(0)
        whole = analogy_scores(ANALOGIES, words, vectors, generator=generator)
        row: Row = {
            "right": {
                kind: [s.right.value, s.right.low, s.right.high]
                for kind, s in whole.items()
            },
            "alone": {kind: s.alone for kind, s in whole.items()},
        }
        for half, classes in HALVES.items():
            scores = analogy_scores(
                classes, words, vectors, generator=generator, samples=1
            )
            row[half] = float(np.mean([s.right.value for s in scores.values()]))
        rows[name] = row
    return {"vectors": rows}


def fitted(model: GloVe, X: Cooccurrence) -> Row:
    """How near the model comes to log X, what its biases hold, how w̃ lies to w."""
    i, j, counts = cells_of(X)
    with torch.no_grad():
        fitted, wanted = model(i, j).double(), counts.double().log()
        often = torch.from_numpy(X.totals()).log()
        bias = (model.b + model.b_tilde).double()
        sums, differences = opposed(model.w, model.w_tilde)
    fit = []
    for low, high in pairwise(BINS):
        here = (counts >= low) & (counts < high)
        if here.sum() > 1:
            apart = fitted[here] - wanted[here]
            scores = (
                correlation(fitted[here], wanted[here]),
                apart.square().mean().sqrt(),
            )
            fit.append([low, int(here.sum()), *map(float, scores)])
    slope = correlation(bias, often) * float(bias.std() / often.std())
    return {
        "cells": len(X.X),
        "fit": fit,
        "fit of all": correlation(fitted, wanted),
        "bias": [correlation(bias, often), slope],
        "length of w + w̃": sums,
        "length of w - w̃": differences,
    }


def opposed(w: Tensor, w_tilde: Tensor) -> tuple[list[float], list[float]]:
    """The lengths of w + w̃ and of w - w̃, in two spaces.

    The first space holds the directions in which words go with their like, where the
    symmetric part of w w̃ᵀ has eigenvalues above 0; the second those below.
    """
    basis, _ = torch.linalg.qr(torch.cat([w, w_tilde], dim=1))
    inside = (basis.T @ w) @ (w_tilde.T @ basis)
    values, vectors = torch.linalg.eigh((inside + inside.T) / 2)
    spaces = [basis @ vectors[:, values > 0], basis @ vectors[:, values < 0]]
    return (
        [float((space.T @ (w + w_tilde)).norm()) for space in spaces],
        [float((space.T @ (w - w_tilde)).norm()) for space in spaces],
    )


def correlation(one: Tensor, two: Tensor) -> float:
    """Pearson's."""
    return float(torch.corrcoef(torch.stack([one, two]))[0, 1])


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


REAL = replace(
    RECIPES["glove-tatoeba"], model=replace(RECIPES["glove-tatoeba"].model, m=64)
)
"""With the dimensions of skip-gram. The model that ships has fewer, to be small."""
QUARTER = replace(REAL.budget, steps=REAL.budget.steps // 4, evaluate_every=460)
OTHERS = {
    "x_max = 10": replace(REAL.model, x_max=10),
    "α = 1": replace(REAL.model, alpha=1.0),
}

SEEDS = (0, 1, 2)
STUDY = Study(
    about="GloVe on real English: its settings, its vectors, and mutual information",
    cases={
        "ratios": case(ratios, recipe=REAL),
        "SVD": case(svd, recipe=REAL),
        "LSA": case(lsa, recipe=REAL),
        "HAL": case(hal, recipe=REAL),
        **{
            f"GloVe, seed {k}": case(trained, recipe=replace(REAL, seed=k))
            for k in SEEDS
        },
        **{
            f"biases given, seed {k}": case(
                trained, recipe=replace(REAL, seed=k, budget=QUARTER), biases=True
            )
            for k in SEEDS
        },
        **{
            f"{name}, seed {k}": case(
                trained, recipe=replace(REAL, seed=k, model=config)
            )
            for name, config in OTHERS.items()
            for k in SEEDS
        },
    },
    check=case(trained, recipe=on_few(RECIPES["glove"], 500, 30), words=False),
)
