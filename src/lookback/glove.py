"""GloVe: vectors whose products are the logarithms of counts.

How often word j stands near word i is counted once, over the whole text: X_ij. Then
each word gets two vectors and two numbers, w and b for itself, w̃ and b̃ for itself as
a neighbour, so that w_i · w̃_j + b_i + b̃_j comes near log X_ij wherever X_ij is not 0.
Pennington, Socher and Manning 2014, section 3; the letters are theirs, but for m.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lookback.ibm1 import numbered

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Cooccurrence:
    """The cells of X that are not 0, row by row.

    V     how many words there are; a word is a number from 0 to V - 1
    i, j  (n,)  a word, and a word near it
    X     (n,)  how often j stands near i
    """

    V: int
    i: Places
    j: Places
    X: Numbers

    def dense(self) -> Numbers:
        """X as a matrix: (V, V)."""
        found = np.zeros((self.V, self.V))
        found[self.i, self.j] = self.X
        return found

    def totals(self) -> Numbers:
        """X_i = Σ_j X_ij, how many neighbours i has: (V,)."""
        return np.bincount(self.i, self.X, minlength=self.V).astype(float)

    def pmi(self) -> Numbers:
        """log (X_ij Σ X / X_i X_j) of each cell: (n,).   Church and Hanks 1990.

        Pointwise mutual information: 0 where i and j meet as often as chance would
        have it. X must be symmetric, so that X_j counts as a neighbour's total too.
        """
        total = self.totals()
        chance = total[self.i] * total[self.j] / total.sum()
        return np.asarray(np.log(self.X / chance))


def reciprocal(d: int) -> float:
    """1 / d: a word d places away counts as one d-th of a word next door."""
    return 1 / d


def cooccurrence(
    sentences: Iterable[Sequence[int]],
    V: int,
    window: int,
    *,
    weight: Callable[[int], float] = reciprocal,
    symmetric: bool = True,
) -> Cooccurrence:
    """X_ij: the sum of 1 / d wherever j stands d words from i, for d up to window.

    sentences  the numbers of their words; no window reaches from one into another
    V          how many words there are
    weight     what to count, instead of 1 / d, for a word d places away
    symmetric  False counts only what stands on the left of i
    Raises ValueError for a window below 1 and for numbers outside 0 to V - 1.
    """
    if type(window) is not int or window < 1:
        raise ValueError(f"window must be a whole number ≥ 1, got {window!r}")
    ids, sentence = laid_out(sentences, V)
    keys, counts = [np.zeros(0, np.int64)], [np.zeros(0)]
    for d in range(1, window + 1):
        together = sentence[d:] == sentence[:-d]
        keys.append((ids[d:] * V + ids[:-d])[together])
        counts.append(np.full(len(keys[-1]), float(weight(d))))
    X = gathered(V, np.concatenate(keys), np.concatenate(counts))
    if not symmetric:
        return X
    both = np.concatenate([X.i * V + X.j, X.j * V + X.i])
    return gathered(V, both, np.concatenate([X.X, X.X]))


def gathered(V: int, keys: Places, counts: Numbers) -> Cooccurrence:
    """The sums of the counts, cell by cell; the key of a cell is i · V + j."""
    cells, which = numbered(keys, V * V)
    i, j = np.divmod(cells, V)
    X = np.bincount(which, counts, minlength=len(cells)).astype(float)
    return Cooccurrence(V, i, j, X)


def laid_out(sentences: Iterable[Sequence[int]], V: int) -> tuple[Places, Places]:
    """All words one behind the other, and the number of the sentence of each."""
    rows = [np.asarray(row) for row in sentences]
    for n, row in enumerate(rows):
        if row.ndim != 1 or (row.size and row.dtype.kind not in "iu"):
            raise ValueError(f"sentence {n} must be a row of whole numbers, got {row}")
        strange = row[(row < 0) | (row >= V)]
        if strange.size:
            raise ValueError(
                f"sentence {n} holds {strange[0]}: a word is from 0 to {V - 1}"
            )
    ids = np.concatenate([np.zeros(0, np.int64), *rows]).astype(np.int64)
    return ids, np.repeat(np.arange(len(rows)), [row.size for row in rows])


def weighting(x: Tensor, x_max: float, alpha: float) -> Tensor:
    """f(x) = (x / x_max)^α below x_max, and 1 from there on.   Figure 1 of the paper.

    How much a cell matters: a cell of 0 does not, a small one, which is mostly chance,
    little, and none more than any cell of x_max or above.
    """
    if not (0 < x_max < math.inf and 0 < alpha < math.inf):
        raise ValueError(f"x_max and alpha must be above 0, got {x_max}, {alpha}")
    if not bool((x >= 0).all()):
        raise ValueError(f"counts must be 0 or more, got {x[~(x >= 0)][0].item():g}")
    return (x / x_max).clamp(max=1) ** alpha


@dataclass(frozen=True)
class GloVeConfig:
    """What is chosen. The paper has m = 300, x_max = 100, alpha = 3/4, window = 10.

    m             how many numbers a vector has
    x_max, alpha  see `weighting`
    window        see `cooccurrence`
    """

    m: int
    x_max: float
    alpha: float
    window: int

    def __post_init__(self) -> None:
        for name in ("m", "window"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} must be a whole number ≥ 1: {self}")
        weighting(torch.ones(1), self.x_max, self.alpha)


class GloVe(nn.Module):
    """log X_ij ≈ w_i · w̃_j + b_i + b̃_j.   Pennington et al. 2014, section 3.

    w, w_tilde  (V, m)  each word's vector, and its vector as a neighbour
    b, b_tilde  (V,)    their biases
    All begin uniform between ± 1 / 2m.
    """

    def __init__(self, config: GloVeConfig, V: int) -> None:
        super().__init__()
        if type(V) is not int or V < 1:
            raise ValueError(f"V must be a whole number ≥ 1, got {V!r}")
        self.config, m = config, config.m
        self.w = nn.Parameter((torch.rand(V, m) - 0.5) / m)
        self.w_tilde = nn.Parameter((torch.rand(V, m) - 0.5) / m)
        self.b = nn.Parameter((torch.rand(V) - 0.5) / m)
        self.b_tilde = nn.Parameter((torch.rand(V) - 0.5) / m)

    def forward(self, i: Tensor, j: Tensor) -> Tensor:
        """What the model takes log X_ij for.   i, j (B,) ids →  (B,)"""
        self.check(i, j)
        return (self.w[i] * self.w_tilde[j]).sum(-1) + self.b[i] + self.b_tilde[j]

    def check(self, i: Tensor, j: Tensor) -> None:
        """`ValueError` unless i and j are two rows of ids, as long as each other."""
        if i.ndim != 1 or i.shape != j.shape:
            raise ValueError(
                f"expected i and j (B,), got {tuple(i.shape)} and {tuple(j.shape)}"
            )
        for name, ids in (("i", i), ("j", j)):
            if ids.numel() and not 0 <= int(ids.min()) <= int(ids.max()) < len(self.b):
                raise ValueError(
                    f"{name} must hold ids from 0 to {len(self.b) - 1}, got "
                    f"{int(ids.min())} to {int(ids.max())}"
                )

    def vectors(self) -> Tensor:
        """w + w̃, what the paper keeps of a trained model: (V, m)."""
        return (self.w + self.w_tilde).detach()


def weighted_squares(
    predicted: Tensor, X: Tensor, x_max: float, alpha: float
) -> Tensor:
    """J = Σ f(X_ij) (w_i · w̃_j + b_i + b̃_j - log X_ij)², the sum over some cells.

    predicted  (B,)  what a model takes log X_ij for
    X          (B,)  above 0: log 0 is nothing that a model could come near
    """
    if predicted.shape != X.shape or not bool((X > 0).all()):
        raise ValueError(
            "expected a prediction for each cell, and cells above 0, got "
            f"{tuple(predicted.shape)}, {tuple(X.shape)}, least {X.min().item():g}"
        )
    return (weighting(X, x_max, alpha) * (predicted - X.log()) ** 2).sum()
