"""Charts of a probabilistic grammar in arrays, many sentences at once.

A chart is scaled: the numbers of all spans of one width are divided by the largest.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Charts"]

BATCH = 1_000_000  # numbers of one width of a chart that are computed at once

Words = tuple[str, ...]
Tables = tuple[dict[tuple[str, ...], float], dict[tuple[str, str], float]]
Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


class Chart(NamedTuple):
    """Inside probabilities of all spans of B sentences, by their width w.

    C      [w] (T - w + 1, B, N)  of each symbol over a span, divided by exp(scale[w])
    S      [w] (T - w + 1, B, Q)  of each pair (B, C): Σ_k inside(B, left part) times
           inside(C, right part), divided by the same; [1] is P(A → word), (T, B, N)
    scale  (T + 1, B)  for each width the logarithm of the divisor
    """

    C: list[Numbers]
    S: list[Numbers]
    scale: Numbers


class Charts:
    """The rules of a grammar as tables, and charts of sentences by them.

    rules    (A, B, C) or (A, B) → probability;  lexicon  (A, word) → probability

    Raises ValueError (CycleError) where rules A → B go round in a circle.
    """

    def __init__(
        self,
        rules: Mapping[tuple[str, ...], float],
        lexicon: Mapping[tuple[str, str], float],
        start: str,
    ) -> None:
        above: dict[str, list[str]] = {key[0]: [] for key in (*rules, *lexicon)}
        for A, *below in rules:
            if len(below) == 1:
                above[A] += below
        self.symbols = [*TopologicalSorter(above).static_order()]
        number = {A: n for n, A in enumerate(self.symbols)}
        self.start = number[start]
        self.words = {w: n for n, w in enumerate(dict.fromkeys(w for _, w in lexicon))}
        twos = {key[1:]: None for key in rules if len(key) == 3}
        pair = {key: q for q, key in enumerate(twos)}
        N = len(self.symbols)
        ids = [[number[b], number[c]] for b, c in pair]
        self._pairs: Indices = np.array(ids, np.int64).reshape(-1, 2)
        binary, unary = np.zeros((len(pair), N)), np.zeros((N, N))
        emission = np.zeros((len(self.words), N))
        for key, p in rules.items():
            n = number[key[0]]
            if len(key) == 3:
                binary[pair[key[1:]], n] = p
            else:
                unary[number[key[1]], n] = p
        for (tag, word), p in lexicon.items():
            emission[self.words[word], number[tag]] = p
        self._set(binary, unary, emission)

    def _set(self, binary: Numbers, unary: Numbers, emission: Numbers) -> None:
        """Set the tables, and what is computed from them once.

        binary  (Q, N)  P(A → B C) by the pair B, C;  unary  (N, N)  P(A → B) by B
        emission  (V, N)  P(A → word)
        """
        self._binary, self._unary, self._emission = binary, unary, emission
        # All chains A → B → … at once: I + U + U² + … ; without a circle it ends.
        self._chain: Numbers = np.linalg.inv(np.eye(len(unary)) - unary).clip(0)
        self._ones: list[list[int]] = np.argwhere(unary.T).tolist()  # (A, B), by A
        A, self._of = np.nonzero(binary.T)
        self._p = binary[self._of, A]
        self._heads, self._first = np.unique(A, return_index=True)

    def tables(self) -> Tables:
        """Return the rules and the lexicon whose probability is not 0."""
        s, words = self.symbols, [*self.words]
        rules: dict[tuple[str, ...], float] = {}
        for q, A in np.argwhere(self._binary):
            b, c = self._pairs[q]
            rules[s[A], s[b], s[c]] = float(self._binary[q, A])
        for b, A in np.argwhere(self._unary):
            rules[s[A], s[b]] = float(self._unary[b, A])
        at, p = np.argwhere(self._emission), self._emission
        return rules, {(s[A], words[w]): float(p[w, A]) for w, A in at}

    def log_likelihood(self, sentences: Iterable[Words]) -> float:
        """Sum log P(w); -inf if one sentence has no tree."""
        total = 0.0
        for batch, times in self._batches(Counter(sentences)):
            total += float(times @ self._log_total(self._inside(self._read(batch))))
        return total

    def cky(self, words: Words) -> tuple[tuple[Any, ...], float]:
        """Return the likeliest tree and its log P; () and -inf if there is none."""
        chart = self._inside(self._read([words]), best=True)
        found = float(self._log_total(chart)[0])
        if found == -math.inf:
            return (), found
        return self._follow(words, chart, 0, len(words), self.start), found

    def em_iteration(self, sentences: Iterable[Words]) -> float:
        """Set the rules by their expected counts; log P(sentences) before that."""
        likelihood, *counts = self._expected(Counter(sentences))
        total = np.sum([count.sum(axis=0) for count in counts], axis=0)
        used, tables = total > 0, (self._binary, self._unary, self._emission)
        total = np.where(used, total, 1)
        pairs = zip(counts, tables, strict=True)
        self._set(*(np.where(used, new / total, old) for new, old in pairs))
        return likelihood

    def _inside(self, e: Numbers, best: bool = False) -> Chart:
        """The chart of B sentences, width by width; `best`: the maximum for Σ.

        e  (T, B, N)  P(A → word)
        """
        T, B, _ = e.shape
        left, right = self._pairs.T
        scale = np.full((T + 1, B), -math.inf)
        C, S, L, R = [e[:0]], [e[:0]], [e[:0]], [e[:0]]
        for w in range(1, T + 1):
            spans = T - w + 1
            ratios, common = _ratios(scale[1:w] + scale[w - 1 : 0 : -1])
            pairs = np.zeros((spans, B, len(left)))
            for k, ratio in enumerate(ratios, 1):
                product = L[k][:spans] * R[w - k][k : k + spans] * ratio
                pairs = np.maximum(pairs, product) if best else pairs + product
            ends = e if w == 1 else self._combined(pairs, best)
            cell = self._chained(ends, best)
            top = cell.max(axis=(0, 2))
            divisor = np.where(top > 0, top, 1)[:, None]
            scale[w] = _log(top) + common
            C.append(cell / divisor)
            S.append((e if w == 1 else pairs) / divisor)
            L.append(C[w][..., left])
            R.append(C[w][..., right])
        return Chart(C, S, scale)

    def _combined(self, pairs: Numbers, best: bool) -> Numbers:
        """Σ_BC P(A → B C) pairs(B, C), or the largest term: (…, N)."""
        if not best:
            return pairs @ self._binary
        cell = np.zeros((*pairs.shape[:2], len(self.symbols)))
        if len(self._of):
            products = pairs[..., self._of] * self._p
            cell[..., self._heads] = np.maximum.reduceat(products, self._first, axis=-1)
        return cell

    def _chained(self, ends: Numbers, best: bool) -> Numbers:
        """With all chains of rules A → B above, or the largest: (…, N)."""
        if not best:
            return ends @ self._chain
        cell = ends.copy()
        for A, b in self._ones:  # a symbol's own rules come before those it is under
            cell[..., A] = np.maximum(cell[..., A], cell[..., b] * self._unary[b, A])
        return cell

    def _outside(self, chart: Chart) -> tuple[list[Numbers], Numbers]:
        """Outside probabilities, the widest spans first: like C, and a scale."""
        C, scale = chart.C, chart.scale
        T, (left, right), N = len(C) - 1, self._pairs.T, len(self.symbols)
        to_left, to_right = np.eye(N)[left], np.eye(N)[right]  # (Q, N)
        around = np.full(scale.shape, -math.inf)
        out, G = [C[0]] * (T + 1), [C[0]] * (T + 1)
        for w in range(T, 0, -1):
            ratios, common = _ratios(around[w + 1 :] + scale[1 : T - w + 1])
            as_left = np.zeros((T - w + 1, scale.shape[1], len(left)))
            as_right = as_left.copy()
            for k, ratio in enumerate(ratios, 1):  # the sibling has k words
                of, parent = T - w - k + 1, G[w + k] * ratio
                as_left[:of] += parent * C[k][w : w + of][..., right]
                as_right[k : k + of] += parent * C[k][:of][..., left]
            cell = as_left @ to_left + as_right @ to_right
            if w == T:
                cell[..., self.start] = 1
            cell = cell @ self._chain.T
            top = cell.max(axis=(0, 2))
            around[w] = _log(top) + common
            out[w] = cell / np.where(top > 0, top, 1)[:, None]
            G[w] = out[w] @ self._binary.T
        return out, around

    def _expected(
        self, text: Mapping[Words, int]
    ) -> tuple[float, Numbers, Numbers, Numbers]:
        """log P, and the expected counts of rules, shaped like the tables."""
        likelihood = 0.0
        binary, unary = np.zeros(self._binary.shape), np.zeros(self._unary.shape)
        emission = np.zeros(self._emission.shape)
        for batch, times in self._batches(text):
            chart = self._inside(self._read(batch))
            log_total = self._log_total(chart)
            if not np.isfinite(log_total).all():
                lost = batch[int(np.argmin(log_total))]
                raise ValueError(f"the grammar has no tree for {' '.join(lost)!r}")
            likelihood += float(times @ log_total)
            out, around = self._outside(chart)
            for w in range(1, len(out)):
                log_share = chart.scale[w] + around[w] - log_total
                outer = out[w] * (times * np.exp(log_share))[:, None]
                unary += np.einsum("sbn,sbm->nm", chart.C[w], outer)
                if w == 1:
                    ids = [[self.words[x] for x in words] for words in batch]
                    np.add.at(emission, np.array(ids).T, chart.S[1] * outer)
                else:
                    Q = len(self._pairs)
                    flat = outer.reshape(-1, outer.shape[-1])
                    binary += chart.S[w].reshape(-1, Q).T @ flat
        return likelihood, binary * self._binary, unary * self._unary, emission

    def _log_total(self, chart: Chart) -> Numbers:
        """log P(w) of each sentence: (B,)."""
        return _log(chart.C[-1][0, :, self.start]) + chart.scale[-1, :]

    def _follow(
        self, words: Words, chart: Chart, i: int, w: int, A: int
    ) -> tuple[Any, ...]:
        """The best tree of A over w words from i on, from the best parts."""
        C, scale = chart.C, chart.scale[:, 0]
        name = self.symbols[A]
        value = -math.inf
        way: tuple[tuple[int, int, int], ...] = ()  # (symbol, i, w) of each child
        if w == 1:
            value = float(chart.S[1][i, 0, A])
        for b in np.flatnonzero(self._unary[:, A]).tolist():
            p = float(C[w][i, 0, b] * self._unary[b, A])
            if p > value:
                value, way = p, ((b, i, w),)
        pairs = np.flatnonzero(self._binary[:, A])
        b, c = self._pairs[pairs].T
        for k in range(1, w):
            ratio = math.exp(scale[k] + scale[w - k] - scale[w])
            p_k = C[k][i, 0, b] * C[w - k][i + k, 0, c] * self._binary[pairs, A] * ratio
            if len(p_k) and p_k.max() > value:
                best = int(p_k.argmax())
                value = float(p_k[best])
                way = ((int(b[best]), i, k), (int(c[best]), i + k, w - k))
        below = [self._follow(words, chart, j, v, B) for B, j, v in way]
        return (name, *below) if below else (name, words[i])

    def _read(self, batch: Sequence[Words]) -> Numbers:
        """P(A → word) of B sentences of T words: (T, B, N)."""
        ids: Indices = np.array([[self.words[w] for w in words] for words in batch])
        return np.swapaxes(self._emission[ids], 0, 1)

    def _batches(
        self, text: Mapping[Words, int]
    ) -> Iterator[tuple[list[Words], Numbers]]:
        """Sentences of one length, some at once, and how often each occurs."""
        by_length: dict[int, list[Words]] = defaultdict(list)
        for words in text:
            by_length[len(words)].append(words)
        for T, same in by_length.items():
            size = max(1, BATCH // (T * (len(self._pairs) + 1)))
            for n in range(0, len(same), size):
                batch = same[n : n + size]
                yield batch, np.array([text[words] for words in batch], float)


def _log(x: Numbers) -> Numbers:
    """The logarithm, -inf of 0."""
    with np.errstate(divide="ignore"):
        return np.log(x)


def _ratios(logs: Numbers) -> tuple[Numbers, Numbers]:
    """exp of logs (K, B), each over the largest: (K, B, 1), and those: (B,)."""
    most = logs.max(axis=0, initial=-math.inf)
    common = np.where(np.isfinite(most), most, 0)
    return np.exp(logs - common)[..., None], common
