"""The HMM alignment model: a word's position depends on that of the word before.

As in Model 1 each target word f_j picks a position a_j of the source and translates the
word there. But the picks are no longer independent: from a_{j-1} = i' the next one goes
to i with a probability that depends on the width of the jump, i - i', alone. Vogel, Ney
and Tillmann 1996. A word that comes from the empty word, a_j = 0, leaves the position
where it was: Och and Ney 2003. S and T are the lengths of source and target. The
numbers of equations are those of the chapter.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Self

import numpy as np

from lookback.checks import above, between, share, whole
from lookback.fast.hmm_alignment import em
from lookback.ibm1 import IBMModel1, Numbers, Pairs, WordPair, Words, as_pairs

__all__ = [
    "HMMAlignment",
    "Links",
    "backward",
    "em_iteration",
    "expectation",
    "forward",
    "jump_matrix",
    "viterbi",
]

Links = set[tuple[int, int]]


def jump_matrix(jumps: Mapping[int, float], S: int, uniform: float = 0.0) -> Numbers:
    """P(i | i') = u / S + (1 - u) s(i - i') / Σ_i'' s(i'' - i'): (S + 1, S).

    jumps    s(width) ≥ 0 of each width; a width that is missing has 0
    uniform  u, the share of a jump to any position
    A row is the position before, i'; row 0 is the edge of the sentence. Column i - 1 is
    the next position, i.
    """
    whole(1, S=S)
    rows = [[jumps.get(i - b, 0.0) for i in range(1, S + 1)] for b in range(S + 1)]
    s: Numbers = np.array(rows)
    s[s.sum(axis=1) == 0] = 1
    moves = (1 - uniform) * s
    moves /= s.sum(axis=1, keepdims=True)  # (2)
    return uniform / S + moves


def forward(
    t: Numbers, moves: Numbers, p0: float
) -> tuple[Numbers, Numbers, list[float]]:
    """α, the sums from the left of one pair; its part from the empty word; scale.

    t      (T, S + 1)  t(f_j | e_i), column 0 the empty word
    moves  (S + 1, S)  P(i | i'), row 0 the edge
    p0                 the probability of the empty word
    →  α of the edge and after each word (T + 1, S + 1), each row divided by its sum;
       the part of the rows where f_j comes from the empty word (T, S + 1); the sums
    """
    alpha, empty, scale = [np.eye(len(moves))[0]], [], []
    for t_j in t:
        stay = p0 * t_j[0] * alpha[-1]
        jump = (1 - p0) * t_j[1:] * (alpha[-1] @ moves)
        scale.append(float(stay.sum() + jump.sum()))
        empty.append(stay / scale[-1])
        alpha.append((stay + np.append(0, jump)) / scale[-1])  # (3)
    return np.array(alpha), np.array(empty), scale


def backward(t: Numbers, moves: Numbers, p0: float, scale: Sequence[float]) -> Numbers:
    """β, the sums from the right of one pair, divided by the same scale.

    →  (T + 1, S + 1), row 0 the edge
    """
    beta = [np.ones(len(moves))]
    for t_j, sum_j in zip(t[::-1], scale[::-1], strict=True):
        stay = p0 * t_j[0] * beta[0]
        jump = (1 - p0) * moves @ (t_j[1:] * beta[0][1:])
        beta.insert(0, (stay + jump) / sum_j)  # (4)
    return np.array(beta)


def expectation(
    t: Numbers, moves: Numbers, p0: float
) -> tuple[Numbers, Numbers, float]:
    """P(a_j = i | f, e), the expected jumps and log P(f | e) of one pair.

    →  (T, S + 1), column 0 the empty word; (S + 1, S), summed over j
    """
    alpha, empty, scale = forward(t, moves, p0)
    beta = backward(t, moves, p0, scale)
    posterior = (alpha[1:] - empty) * beta[1:]
    posterior[:, 0] = (empty * beta[1:]).sum(axis=1)  # whatever the position
    right = t[:, 1:] * beta[1:, 1:] / np.array(scale)[:, None]
    xi = alpha[:-1].T @ right * (1 - p0) * moves  # (5)
    return posterior, xi, float(np.log(scale).sum())


def em_iteration(
    pairs: Pairs,
    t: Mapping[WordPair, float],
    s: Mapping[int, float],
    p0: float = 0.2,
    u: float = 0.2,
) -> tuple[dict[WordPair, float], dict[int, float], float]:
    """One iteration of EM: t(f | e), s(width) → the next ones, and log P before.

    t   t[f, e] for all words of a pair, e being None for the empty word
    p0  the probability of the empty word
    u   the share of a jump to any position
    """
    c: defaultdict[WordPair, float] = defaultdict(float)
    total: defaultdict[str | None, float] = defaultdict(float)
    jumps: defaultdict[int, float] = defaultdict(float)
    log_p = 0.0
    for e, f in as_pairs(pairs):
        S, moves = len(e), jump_matrix(s, len(e), u)
        table = np.array([[t[f_j, e_i] for e_i in (None, *e)] for f_j in f])
        posterior, xi, log_p_f = expectation(table, moves, p0)
        log_p += log_p_f
        for f_j, row in zip(f, posterior.tolist(), strict=True):
            for e_i, p in zip((None, *e), row, strict=True):
                c[f_j, e_i] += p
                total[e_i] += p
        xi *= 1 - u / S / moves  # without the uniform part
        for width in range(1 - S, S + 1):
            jumps[width] += float(np.trace(xi, width - 1))
    every = sum(jumps.values()) or 1
    return (
        {(f_j, e_i): n / total[e_i] for (f_j, e_i), n in c.items()},
        {width: n / every for width, n in jumps.items()},  # (6)
        log_p,
    )


def viterbi(t: Numbers, moves: Numbers, p0: float) -> list[int]:
    """The likeliest alignment of one pair: a_j of each word, 0 for the empty word."""
    with np.errstate(divide="ignore"):
        t, log_p0, moves = np.log(t), np.log(p0), np.log((1 - p0) * moves)
        delta = np.log(np.eye(len(moves))[0])  # at the edge
    back = []
    for t_j in t:
        ways = delta[:, None] + moves  # (S + 1, S), from i' to i
        stay = delta + log_p0 + t_j[0]
        jump = np.append(-np.inf, ways.max(axis=0) + t_j[1:])
        back.append((stay > jump, np.append(0, ways.argmax(axis=0))))
        delta = np.maximum(stay, jump)
    i, a = int(delta.argmax()), list[int]()
    for stayed, before in reversed(back):
        a.insert(0, 0 if stayed[i] else i)
        i = i if stayed[i] else int(before[i])
    return a


class HMMAlignment:
    """P(f, a | e) = ∏_j P(a_j | a_{j-1}) t(f_j | e_{a_j}).   Vogel et al. 1996.

    empty    p_0, the probability of the empty word
    uniform  the share of a jump to any position, so that no jump is impossible
    jumps    s(width) of each width after `fit`; their sum is 1
    lexicon  an `IBMModel1` that holds t(f | e)
    log_likelihood  Σ log P(f | e) of the training pairs, natural, before the first
                    iteration and after each

    >>> pair = ["the", "house"], ["la", "maison"]
    >>> HMMAlignment().fit([pair, (["the"], ["la"])]).align(*pair) == {(0, 0), (1, 1)}
    True
    """

    def __init__(self, empty: float = 0.2, uniform: float = 0.2) -> None:
        share(empty=empty)
        above(0, uniform=uniform)
        if uniform > 1:
            raise ValueError(f"uniform must be ≤ 1, got {uniform!r}")
        self.empty, self.uniform = empty, uniform
        self.jumps: dict[int, float] = {}
        self.log_likelihood: tuple[float, ...] = ()
        self.lexicon = IBMModel1()

    def fit(self, pairs: Pairs, iterations: int = 5, model1: int = 5) -> Self:
        """EM of Model 1, then EM with jumps; forget earlier pairs; return the model.

        pairs       (source words, target words), or objects that hold them by name
        iterations  how many with jumps; the first begins with all jumps alike
        model1      how many of Model 1, for a table t to begin with
        Raises ValueError for no pairs, sentences without words, and other bad input.
        """
        whole(0, iterations=iterations, model1=model1)
        pairs = as_pairs(pairs)
        self.lexicon = IBMModel1().fit(pairs, model1)
        longest = max(len(source) for source, _ in pairs)
        widths = range(1 - longest, longest + 1)
        self.jumps = dict.fromkeys(widths, 1 / len(widths))
        t, self.jumps, likelihoods = em(
            pairs, self.lexicon.cooccurrences(pairs), self.lexicon.t, self.jumps,
            iterations, jump_matrix=jump_matrix, p0=self.empty, u=self.uniform,
        )  # fmt: skip
        self.lexicon = self.lexicon.with_table(t)
        self.log_likelihood = tuple(likelihoods)
        return self

    def moves(self, S: int) -> Numbers:
        """P(i | i') where f_j has a source word: (S + 1, S), row 0 the edge."""
        return jump_matrix(self.jumps, S, self.uniform)

    def translation_prob(self, target_word: str, source_word: str | None) -> float:
        """t(f | e), 0 for words of no common pair; None is the empty word."""
        return self.lexicon.translation_prob(target_word, source_word)

    def log_joint(
        self, source: Sequence[str], target: Sequence[str], a: Sequence[int]
    ) -> float:
        """log P(f, a | e) of one alignment, a_j being 0 … S and 0 the empty word.

        Raises ValueError for an alignment of another length, or outside the source.
        """
        ((source, target),) = as_pairs([(source, target)])
        S, before, total = len(source), 0, 0.0
        if len(a) != len(target):
            raise ValueError(
                f"the alignment has {len(a)} positions: expected {len(target)}, one "
                "for each target word"
            )
        between(0, S, **{f"a[{j}]": i for j, i in enumerate(a)})
        t, moves = self._tables([(source, target)])[0], self.moves(S)
        for j, i in enumerate(a):
            jump = (1 - self.empty) * moves[before, i - 1] if i else self.empty
            p = jump * t[j, i]
            total += math.log(p) if p else -math.inf
            before = i or before
        return total

    def posterior(self, source: Sequence[str], target: Sequence[str]) -> Numbers:
        """P(a_j = i | f, e): (T, S + 1), column 0 the empty word.

        A target word that occurs in no training pair with any of these source words
        may come from each of them: its position depends on the jumps alone.
        """
        ((source, target),) = as_pairs([(source, target)])
        (t,) = self._tables([(source, target)])
        posterior, _, _ = expectation(t, self.moves(len(source)), self.empty)
        return posterior

    def align(self, source: Sequence[str], target: Sequence[str]) -> Links:
        """The links of the likeliest alignment: (source index, target index)."""
        return self.align_all([(source, target)])[0]

    def align_all(self, pairs: Pairs) -> list[Links]:
        """The links of the likeliest alignment of each pair."""
        pairs, moves = as_pairs(pairs), cache(self.moves)
        best = [
            viterbi(t, moves(len(source)), self.empty)
            for (source, _), t in zip(pairs, self._tables(pairs), strict=True)
        ]
        return [{(i - 1, j) for j, i in enumerate(a) if i} for a in best]

    def _tables(self, pairs: Sequence[tuple[Words, Words]]) -> list[Numbers]:
        """t(f_j | e_i) of each pair (T, S + 1); rows of zeros become ones."""
        tables = [self.lexicon.table(f, (None, *e)) for e, f in pairs]
        for table in tables:
            table[table.sum(axis=1) == 0] = 1
        return tables
