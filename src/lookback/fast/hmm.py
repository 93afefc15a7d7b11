"""Hidden Markov models in arrays, B sentences of T words at once; TnT's two estimates.

A  (K, K) or (K, K, K)  P(t | the tags before); state 0 is the edge of the sentence. Of
                        trigrams a state is two tags, and … stands for the second
e  (T, B, K) or (T, B, 1, K)  P(w_i | t) of each word
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "SuffixModel",
    "batches",
    "best_states",
    "divided_by_sums",
    "expected_counts",
    "interpolated",
    "posterior",
    "scaled_backward",
    "scaled_forward",
    "trellis",
]

BATCH = 512  # sentences of one length whose sums are computed at once
EDGE = 0  # the state before the first word and after the last; it emits no word

# What Viterbi puts in place of a probability of 0. NO_WORD is the smaller one: a tag
# that its word never had costs more than a transition that never occurred.
NO_WORD, NO_STEP = 1e-300, 1e-50

Words = tuple[str, ...]
Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


def scaled_forward(A: Numbers, e: Numbers) -> tuple[Numbers, Numbers]:
    """The sums from the left, each divided by its scale.

    →  alpha (T + 1, B, …)  P(state at i | w_1 … w_i), beginning before the first word
       scale (T + 1, B)     P(w_i | w_1 … w_{i-1}), and P(end | w_1 … w_T); the product
                            of all rows is P(w)
    """
    alpha, scale = [_begin(A, e.shape[1])], []
    for e_i in e:
        now = np.einsum("bx...,x...v->b...v", alpha[-1], A) * e_i
        scale.append(now.reshape(len(now), -1).sum(axis=1))
        alpha.append(now / _wide(A, _or_one(scale[-1])))
    ends = alpha[-1] * A[..., EDGE]
    scale.append(ends.reshape(len(ends), -1).sum(axis=1))
    return np.array(alpha), np.array(scale)


def scaled_backward(A: Numbers, e: Numbers, scale: Numbers) -> Numbers:
    """The sums from the right, divided by the scale of the left ones: (T, B, …)."""
    *scale_, end = _or_one(scale)
    beta = [A[..., EDGE] / _wide(A, end)]
    for e_i, s in zip(e[:0:-1], scale_[:0:-1], strict=True):
        right = np.einsum("x...v,b...v->bx...", A, e_i * beta[-1])
        beta.append(right / _wide(A, s))
    return np.array(beta[::-1])


def posterior(A: Numbers, e: Numbers) -> Numbers:
    """γ_i(t) = P(tag at i | w): (T, B, K)."""
    alpha, scale = scaled_forward(A, e)
    both = alpha[1:] * scaled_backward(A, e, scale)
    gamma: Numbers = both.reshape(*both.shape[:2], -1, len(A)).sum(axis=2)
    return gamma


def expected_counts(
    A: Numbers, e: Numbers, ids: Indices, V: int
) -> tuple[float, Numbers, Numbers]:
    """Σ log P(w), and the expected counts of transitions and of words by tags.

    ids  (T, B)  the words;  →  counts of the shapes of A and (V, K)
    """
    alpha, scale = scaled_forward(A, e)
    beta, moves = scaled_backward(A, e, scale), np.zeros(A.shape)
    for i, e_i in enumerate(e):
        after = beta[i] * e_i / _wide(A, scale[i])
        moves += A * np.einsum("bx...,b...v->x...v", alpha[i], after)
    ends = alpha[-1] * A[..., EDGE] / _wide(A, scale[-1])
    moves[..., EDGE] += ends.sum(axis=0)
    gamma = alpha[1:] * beta
    gamma = gamma.reshape(*gamma.shape[:2], -1, len(A)).sum(axis=2)
    written = np.zeros((V, len(A)))
    for k in range(1, len(A)):
        written[:, k] = np.bincount(ids.ravel(), gamma[..., k].ravel(), V)
    return float(np.log(scale).sum()), moves, written


def trellis(A: Numbers, e: Numbers) -> tuple[Numbers, Indices]:
    """What Viterbi computes of one sentence, e being (T, K) or (T, 1, K).

    →  log δ (T, …), of the best sequence that ends in a state at i, and the state
       before (T + 1, …), whose last row counts at EDGE, the end, alone
    """
    logs, log_A = np.log(e.clip(NO_WORD)), np.log(A.clip(NO_STEP))
    logs[..., EDGE] = -np.inf
    delta = np.where(_begin(A, 1)[0] > 0, 0, -np.inf)
    rows, back = [], []
    for log_e in logs:
        ways = delta[..., None] + log_A
        delta = ways.max(axis=0) + log_e
        rows.append(delta)
        back.append(ways.argmax(axis=0))
    back.append((delta[..., None] + log_A).argmax(axis=0))
    return np.array(rows), np.array(back)


def best_states(A: Numbers, e: Numbers) -> list[int]:
    """The likeliest sequence of tags, as numbers; of P(w) = 0 as little impossible."""
    delta, back = trellis(A, e)
    ends = delta[-1] + np.log(A[..., EDGE].clip(NO_STEP))
    states = [int(n) for n in np.unravel_index(int(ends.argmax()), ends.shape)]
    for row in back[-2::-1]:
        states.insert(0, int(row[tuple(states[: A.ndim - 1])]))
    return states[A.ndim - 1 :]


def batches(text: Sequence[Words]) -> Iterator[list[Words]]:
    """Sentences of one length, not too many at once."""
    by_length: dict[int, list[Words]] = defaultdict(list)
    for words in text:
        by_length[len(words)].append(words)
    for same in by_length.values():
        for n in range(0, len(same), BATCH):
            yield same[n : n + BATCH]


def _begin(A: Numbers, B: int) -> Numbers:
    """alpha before the first word: 1 where all tags are EDGE."""
    begin = np.zeros((B, *A.shape[1:]))
    begin.reshape(B, -1)[:, EDGE] = 1
    return begin


def _wide(A: Numbers, scale: Numbers) -> Numbers:
    """(B,) → (B, 1), or (B, 1, 1) for two tags: to divide states by it."""
    return scale.reshape(-1, *[1] * (A.ndim - 1))


def _or_one(x: Numbers) -> Numbers:
    """x, and 1 where it is 0: what one can divide by."""
    return np.where(x > 0, x, 1)


def divided_by_sums(counts: Numbers) -> Numbers:
    """Counts as shares of their last axis; a row of zeros stays."""
    return counts / _or_one(counts.sum(axis=-1, keepdims=True))


def interpolated(counts: Sequence[Numbers]) -> Numbers:
    """P(t | the tags before), a mixture over lengths.   Brants 2000, (6) to (8)

    counts  of single tags (K,), of pairs (K, K), … up to the model's order
    →  λ_1 P̂(t_3) + λ_2 P̂(t_3 | t_2) + λ_3 P̂(t_3 | t_1, t_2), of the last shape

    The λ do not depend on the tags. Each n-gram gives its count to the length that
    predicts it best if it itself had not been counted (deleted interpolation).
    """
    order, longest = len(counts), counts[-1]
    rest, P = [], []
    for c in counts:
        context = np.broadcast_to(c.sum(axis=-1, keepdims=True), c.shape)
        left = np.divide(c - 1, context - 1, out=np.zeros(c.shape), where=context > 1)
        rest.append(np.broadcast_to(left, longest.shape))
        P.append(np.broadcast_to(c / _or_one(context), longest.shape))
    best = order - 1 - np.stack(rest[::-1]).argmax(axis=0)  # the longest of equals
    lambdas = np.bincount(best.ravel(), longest.ravel(), order) / longest.sum()
    mixture = sum(weight * p for weight, p in zip(lambdas, P, strict=True))  # (7)
    return divided_by_sums(mixture)


class SuffixModel:
    """P(tag | word) of words that were never read, by their last letters.

    P_n(t) = (P̂(t | last n letters) + θ P_{n-1}(t)) / (1 + θ).   Brants 2000, 2.3

    Only rare words are counted, those that begin with a capital apart from the others.
    P_0(t) is the share of tag t among the rare words. θ is the standard deviation of
    the tags' shares among all words.
    """

    def __init__(self, longest: int = 10, rare: int | None = 10) -> None:
        """longest  how many last letters are read; 0: P_0 for each unknown word

        rare  how often a word may occur and count as rare; None: any number of times
        """
        self.longest, self.rare = longest, rare
        self._counts: dict[tuple[bool, str], Numbers] = {}

    def fit(self, words: Mapping[str, Numbers]) -> Self:
        """Count suffixes: word → how often it has each tag, (K,)."""
        most = math.inf if self.rare is None else self.rare
        rare = {w: c for w, c in words.items() if c.sum() <= most} or words
        self._counts = {}
        for word, c in rare.items():
            for key in self._keys(word):
                self._counts[key] = self._counts.get(key, 0) + c
        self._all = np.sum([*rare.values()], axis=0)
        total = np.sum([*words.values()], axis=0)
        share = total[total > 0] / total.sum()
        self._theta = float(np.std(share, ddof=1)) if len(share) > 1 else 0.0
        return self

    @property
    def parameters(self) -> int:
        """How many counts of suffixes are not 0."""
        return int(sum(np.count_nonzero(c) for c in self._counts.values()))

    def _keys(self, word: str) -> list[tuple[bool, str]]:
        """Its endings of 0, 1, 2, … letters, and whether it has a capital."""
        lengths = range(min(self.longest, len(word)) + 1)
        return [(word[:1].isupper(), word[len(word) - n :]) for n in lengths]

    def probabilities(self, word: str) -> Numbers:
        """P(tag | word): (K,), for any word."""
        if not self._counts:
            raise ValueError("this suffix model has no counts yet: call fit(…) first")
        p: Numbers = self._all / self._all.sum()
        for key in self._keys(word) if self.longest else ():
            if key not in self._counts:
                break
            count = self._counts[key]
            p = (count / count.sum() + self._theta * p) / (1 + self._theta)  # (8)
        return p
