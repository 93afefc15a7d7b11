"""EM of the HMM alignment model for many sentences at once.

`lookback.hmm_alignment.em_iteration` is the same pair by pair.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Words = tuple[str, ...]
Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]
CELLS = 2**18  # of a batch: sentences × target words × source words
LEAST = 1e-300  # of an expected count, so that no column of t is 0 / 0


def em(
    pairs: Sequence[tuple[Words, Words]],
    met: Any,
    t: Numbers,
    jumps: Mapping[int, float],
    iterations: int,
    *,
    jump_matrix: Callable[[Mapping[int, float], int, float], Numbers],
    p0: float,
    u: float,
) -> tuple[Numbers, dict[int, float], list[float]]:
    """Run EM: the next t, the next jumps, log P before each iteration and after all.

    met  the `Cooccurrences` of the pairs
    t    (P,)  t(f | e) of each of its word pairs
    """
    ends = np.cumsum([len(f) * (len(e) + 1) for e, f in pairs])
    rows = zip(np.split(met.link, ends[:-1]), pairs, strict=True)
    batches = list(batched([link.reshape(len(f), len(e) + 1) for link, (e, f) in rows]))
    jumps, likelihoods = dict(jumps), []
    for n in range(iterations + 1):
        likelihood, counts = 0.0, np.zeros(len(t))
        widths: defaultdict[int, float] = defaultdict(float)
        for batch in batches:
            S = batch.cells.shape[2] - 1
            moves = jump_matrix(jumps, S, u)
            log_p, cells, xi = sums(t[batch.cells], batch.active, moves, p0)
            likelihood += log_p
            counts += np.bincount(batch.cells.ravel(), cells.ravel(), len(counts))
            xi *= 1 - u / S / moves  # without the uniform part
            for k in range(-S + 1, S + 1):
                widths[k] += float(np.trace(xi, k - 1))
        likelihoods.append(likelihood)
        total = sum(widths.values())
        if n < iterations:
            t = met.maximisation(np.maximum(counts, LEAST))
            if total:  # else all jumps came from the uniform part
                jumps = {w: n / total for w, n in sorted(widths.items())}
    return t, jumps, likelihoods


def sums(
    t: Numbers, active: Indices, moves: Numbers, p0: float
) -> tuple[float, Numbers, Numbers]:
    """log P; P(a_j = i) of each cell (T, B, S + 1); and of each move (S + 1, S)."""
    most = t.max(axis=2, keepdims=True)  # so that no product underflows
    over = np.arange(t.shape[1]) >= active[:, None]  # (T, B), after the end
    most[over | (most[:, :, 0] == 0)] = 1
    t = t / most
    at, empty, scale = forward_all(t, active, moves, p0)
    beta = backward_all(t, active, moves, p0, scale)
    log_p = float(np.log(scale).sum() + np.log(most).sum())
    cells = (at - empty) * beta
    cells[:, :, 0] = (empty * beta).sum(axis=2)
    right = t[:, :, 1:] * beta[:, :, 1:] / scale[:, :, None]
    right[over] = 0
    pairs = right[0].sum(axis=0) * np.eye(t.shape[2])[:, :1]
    pairs = pairs + np.einsum("jbl,jbi->li", at[:-1], right[1:], optimize=True)
    return log_p, cells, (1 - p0) * moves * pairs


class Batch(NamedTuple):
    """B sentences of S source words; those with the most target words come first.

    which   the indices of these sentences among all
    cells   (T, B, S + 1)  for each f_j and e_i either t(f_j | e_i) or the index of this
                           word pair in the table t; 0 after the end of a sentence
    active  (T,)           how many of the sentences have a word j; they are the first
    """

    which: list[int]
    cells: Any
    active: Indices


def forward_all(
    t: Numbers, active: Indices, moves: Numbers, p0: float
) -> tuple[Numbers, Numbers, Numbers]:
    """The sums from the left of B sentences.

    t       (T, B, S + 1)  t(f_j | e_i), column 0 the empty word
    active  (T,)           how many sentences have a word j; they are the first ones
    →  P(the position after f_j is i | f_1 … f_j) (T, B, S + 1); the part of it where
       f_j comes from the empty word; P(f_j | f_1 … f_{j-1}) (T, B), 1 after the end
    """
    at, empty = np.zeros(t.shape), np.zeros(t.shape)
    scale = np.ones(t.shape[:2])
    before = np.eye(1, t.shape[2]).repeat(t.shape[1], axis=0)
    for j, n in enumerate(active):
        before = before[:n]
        empty[j, :n] = p0 * before * t[j, :n, :1]
        at[j, :n] = empty[j, :n]
        at[j, :n, 1:] += (1 - p0) * (before @ moves) * t[j, :n, 1:]
        scale[j, :n] = at[j, :n].sum(axis=1)
        at[j, :n] /= scale[j, :n, None]
        empty[j, :n] /= scale[j, :n, None]
        before = at[j]
    return at, empty, scale


def backward_all(
    t: Numbers, active: Indices, moves: Numbers, p0: float, scale: Numbers
) -> Numbers:
    """The sums from the right of B sentences, after each word: (T, B, S + 1)."""
    beta = np.ones(t.shape)
    for j in range(len(active) - 1, 0, -1):
        n = active[j]
        after = beta[j, :n]
        right = (1 - p0) * (t[j, :n, 1:] * after[:, 1:]) @ moves.T
        beta[j - 1, :n] = (p0 * t[j, :n, :1] * after + right) / scale[j, :n, None]
    return beta


def batched(cells: Sequence[NDArray[Any]]) -> Iterator[Batch]:
    """Sentences (T, S + 1) of one source length together, as `Batch` holds them."""
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for n in sorted(range(len(cells)), key=lambda n: -len(cells[n])):
        by_length[cells[n].shape[1]].append(n)
    for width, same in by_length.items():
        while same:
            T = len(cells[same[0]])
            some = max(1, CELLS // (T * width))
            which, same = same[:some], same[some:]
            block = np.zeros((T, len(which), width), cells[which[0]].dtype)
            for b, n in enumerate(which):
                block[: len(cells[n]), b] = cells[n]
            lengths = np.array([len(cells[n]) for n in which])
            active = (lengths > np.arange(T)[:, None]).sum(axis=1)
            yield Batch(which, block, active)
