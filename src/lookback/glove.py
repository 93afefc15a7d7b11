"""GloVe: vectors whose products are the logarithms of counts.

How often word j occurs near word i is counted once, over the whole text: X_ij. Then
each word gets two vectors and two numbers, w and b for itself, w̃ and b̃ for itself as
a neighbour, so that w_i · w̃_j + b_i + b̃_j comes near log X_ij wherever X_ij is not 0.
Pennington, Socher and Manning 2014, section 3; the letters are theirs, but for m,
and equations are numbered as in the chapter.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from lookback.checks import above, at_least, ids, shapes, whole
from lookback.ibm1 import Indices, Numbers

__all__ = [
    "Cooccurrence",
    "GloVe",
    "GloVeConfig",
    "cooccurrence",
    "count_neighbours",
    "reciprocal",
    "weighted_squares",
    "weighting",
]


@dataclass(frozen=True)
class Cooccurrence:
    """The cells of X that are not 0, row by row.

    V     how many words there are; a word is a number from 0 to V - 1
    i, j  (n,)  a word, and a word near it
    X     (n,)  how often j occurs near i
    """

    V: int
    i: Indices
    j: Indices
    X: Numbers

    def dense(self) -> Numbers:
        """X as a matrix: (V, V)."""
        X = np.zeros((self.V, self.V))
        X[self.i, self.j] = self.X
        return X

    def totals(self) -> Numbers:
        """X_i = Σ_j X_ij, how many neighbours i has: (V,)."""
        return np.bincount(self.i, self.X, minlength=self.V).astype(float)

    def pmi(self) -> Numbers:
        """log (X_ij Σ X / X_i X_j) of each cell: (n,).   Church and Hanks 1990.

        Pointwise mutual information: 0 where i and j occur together as often as if they
        were independent. X must be symmetric, so that X_j is a neighbour's total, too.
        """
        total = self.totals()
        independent = total[self.i] * total[self.j] / total.sum()
        return np.log(self.X / independent)  # type: ignore[no-any-return]


def count_neighbours(
    sentences: Iterable[Sequence[int]], window: int
) -> dict[tuple[int, int], float]:
    """(i, j) → X_ij: each time that j occurs d ≤ window words from i counts 1 / d.

    The plain form of `cooccurrence`.
    """
    whole(window=window)
    X: dict[tuple[int, int], float] = defaultdict(float)
    for sentence in sentences:
        for t, i in enumerate(sentence):
            for d in range(1, min(window, t) + 1):
                j = sentence[t - d]
                X[i, j] += 1 / d
                X[j, i] += 1 / d
    return X


def reciprocal(d: int) -> float:
    """1 / d: a word d positions away counts as one d-th of a word next to it."""
    return 1 / d


def cooccurrence(
    sentences: Iterable[Sequence[int]],
    V: int,
    window: int,
    *,
    weight: Callable[[int], float] = reciprocal,
    symmetric: bool = True,
) -> Cooccurrence:
    """X_ij: the sum of 1 / d wherever j occurs d words from i, for d up to window.

    All places of a text at once, for one distance d after the other.

    sentences  the numbers of their words; no window reaches from one into another
    V          how many words there are
    weight     what to count, instead of 1 / d, for a word d positions away
    symmetric  False counts only words on the left of i
    """
    whole(window=window)
    ids, sentence = concatenated(sentences, V)
    keys, counts = [np.zeros(0, np.int64)], [np.zeros(0)]
    for d in range(1, window + 1):
        together = sentence[d:] == sentence[:-d]
        keys.append((ids[d:] * V + ids[:-d])[together])
        counts.append(np.full(len(keys[-1]), float(weight(d))))
    X = summed(V, np.concatenate(keys), np.concatenate(counts))
    if not symmetric:
        return X
    both = np.concatenate([X.i * V + X.j, X.j * V + X.i])
    return summed(V, both, np.concatenate([X.X, X.X]))


def summed(V: int, keys: Indices, counts: Numbers) -> Cooccurrence:
    """The sums of the counts, cell by cell; the key of a cell is i · V + j."""
    cells, which = np.unique(keys, return_inverse=True)
    i, j = np.divmod(cells, V)
    X = np.bincount(which, counts, minlength=len(cells)).astype(float)
    return Cooccurrence(V, i, j, X)


def concatenated(sentences: Iterable[Sequence[int]], V: int) -> tuple[Indices, Indices]:
    """All words one after the other, and the number of the sentence of each."""
    rows = [np.asarray(row) for row in sentences]
    for n, row in enumerate(rows):
        _check_ids(n, row, V)
    ids = np.concatenate([np.zeros(0, np.int64), *rows]).astype(np.int64)
    return ids, np.repeat(np.arange(len(rows)), [row.size for row in rows])


def _check_ids(n: int, row: Indices, V: int) -> None:
    if row.ndim != 1 or (row.size and row.dtype.kind not in "iu"):
        raise ValueError(f"sentence {n} must be a row of whole numbers, got {row}")
    unknown = row[(row < 0) | (row >= V)]
    if unknown.size:
        raise ValueError(
            f"sentence {n} holds the id {unknown[0]}: expected 0 to {V - 1}"
        )


def weighting(x: Tensor, x_max: float, alpha: float) -> Tensor:
    """f(x) = (x / x_max)^α below x_max, then 1.   Pennington et al. 2014, figure 1.

    The weight of a cell in the loss: 0 for a count of 0, small for a small count, which
    is mostly noise, and never more than 1.
    """
    above(0, x_max=x_max, alpha=alpha)
    at_least(0, x=x)
    return (x / x_max).clamp(max=1) ** alpha  # (7)


@dataclass(frozen=True)
class GloVeConfig:
    """Sizes and settings. The paper: m = 300, x_max = 100, alpha = 3/4, window = 10.

    m             how many numbers a vector has
    x_max, alpha  see `weighting`
    window        see `cooccurrence`
    """

    m: int
    x_max: float
    alpha: float
    window: int

    def __post_init__(self) -> None:
        whole(m=self.m, window=self.window)
        above(0, x_max=self.x_max, alpha=self.alpha)


class GloVe(nn.Module):
    """log X_ij ≈ w_i · w̃_j + b_i + b̃_j.   Pennington et al. 2014, section 3.

    w, w_tilde  (V, m)  each word's vector, and its vector as a neighbour
    b, b_tilde  (V,)    their biases
    All begin uniform between ± 1 / 2m.

    >>> X = cooccurrence([[0, 1, 2], [2, 1]], V=3, window=2)
    >>> model = GloVe(GloVeConfig(m=2, x_max=100, alpha=0.75, window=2), V=3)
    >>> model(torch.from_numpy(X.i), torch.from_numpy(X.j)).shape == X.X.shape
    True
    """

    def __init__(self, config: GloVeConfig, V: int) -> None:
        super().__init__()
        whole(V=V)
        self.config, m = config, config.m
        self.w = nn.Parameter((torch.rand(V, m) - 0.5) / m)
        self.w_tilde = nn.Parameter((torch.rand(V, m) - 0.5) / m)
        self.b = nn.Parameter((torch.rand(V) - 0.5) / m)
        self.b_tilde = nn.Parameter((torch.rand(V) - 0.5) / m)

    def forward(self, i: Tensor, j: Tensor) -> Tensor:
        """The model's estimate of log X_ij.   i, j (B,) ids →  (B,)"""
        shapes(i=(i, "B"), j=(j, "B"))
        ids(len(self.b), i=i, j=j)
        product = (self.w[i] * self.w_tilde[j]).sum(-1)
        return product + self.b[i] + self.b_tilde[j]  # (5)

    def vectors(self) -> Tensor:
        """w + w̃, the paper's vectors of a trained model: (V, m)."""
        return (self.w + self.w_tilde).detach()


def weighted_squares(
    predicted: Tensor, X: Tensor, x_max: float, alpha: float
) -> Tensor:
    """J = Σ f(X_ij) (w_i · w̃_j + b_i + b̃_j - log X_ij)², the sum over some cells.

    predicted  (B,)  a model's estimates of log X_ij
    X          (B,)  above 0, for log 0 is -∞
    """
    shapes(predicted=(predicted, "B"), X=(X, "B"))
    above(0, X=X)
    return (weighting(X, x_max, alpha) * (predicted - X.log()) ** 2).sum()  # (6)
