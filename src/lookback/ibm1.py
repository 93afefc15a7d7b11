"""IBM Model 1: which word of a sentence comes from which word of its translation?

Nobody says which; the model learns it from sentence pairs alone. Each target word f_j
picks a position a_j of the source, all positions being equally likely, and translates
the word there; position 0 holds the empty word, for target words that come from no
word. The alignment a is hidden: EM finds the table t(f | e) that makes the pairs
likely. The letters are those of Brown et al. 1993, section 4.1, but for the lengths of
source and target, S and T; the numbers of equations are those of the chapter.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from itertools import chain
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from lookback.checks import whole
from lookback.fast.ibm1 import Cooccurrences, cooccurrences
from lookback.ngram import as_words

__all__ = [
    "IBMModel1",
    "Indices",
    "Numbers",
    "Pair",
    "Pairs",
    "WordPair",
    "Words",
    "as_pairs",
    "em_iteration",
]

Words = tuple[str, ...]
WordPair = tuple[str, str | None]  # a target word f and a source word e, or None
Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


class Pair(Protocol):
    """A sentence and its translation."""

    @property
    def source(self) -> Sequence[str]: ...

    @property
    def target(self) -> Sequence[str]: ...


Pairs = Iterable[Pair | tuple[Sequence[str], Sequence[str]]]


def em_iteration(pairs: Pairs, t: Mapping[WordPair, float]) -> dict[WordPair, float]:
    """One iteration of EM, from t(f | e) to the next.   Brown et al. 1993.

    t  t[f, e] for all words of a pair, e being None for the empty word
    """
    c: defaultdict[WordPair, float] = defaultdict(float)
    total: defaultdict[str | None, float] = defaultdict(float)
    for source, target in as_pairs(pairs):
        for f in target:
            row = sum(t[f, e] for e in (None, *source))
            for e in (None, *source):
                posterior = t[f, e] / row  # (4): P(a_j = i | f, e)
                c[f, e] += posterior  # (5)
                total[e] += posterior
    return {(f, e): n / total[e] for (f, e), n in c.items()}  # (6)


class IBMModel1:
    """P(f | e) = ε ∏_j Σ_i t(f_j | e_i) / (S + 1).   Brown et al. 1993, section 4.1.

    e is the source with the empty word in front, f the target.
    log_likelihood  Σ log P(f | e) of the training pairs, natural, with ε = 1, before
                    the first iteration and after each: iterations + 1 numbers
    source_ids  a number for each source word; the empty word, None, has 0
    target_ids  a number for each target word
    word_pairs  (P,)  each e and f that occur in one pair, as `Cooccurrences` has them
    t           (P,)  t(f | e) of these

    >>> house = ["the", "house"], ["la", "maison"]
    >>> flower = ["the", "flower"], ["la", "fleur"]
    >>> model = IBMModel1().fit([house, flower], iterations=2)
    >>> round(model.translation_prob("maison", "house"), 3)
    0.6
    """

    def __init__(self) -> None:
        self.log_likelihood: tuple[float, ...] = ()
        self.source_ids: dict[str | None, int] = {}
        self.target_ids: dict[str, int] = {}
        self.word_pairs: Indices = np.zeros(0, np.int64)
        self.t: Numbers = np.zeros(0)

    def fit(self, pairs: Pairs, iterations: int) -> Self:
        """Run EM from the uniform t = 1 / V; forget earlier pairs; return the model.

        pairs       (source words, target words), or objects that hold them by name
        iterations  how many times; 0 leaves t uniform
        Raises ValueError for no pairs, sentences without words, and other bad input.
        """
        whole(0, iterations=iterations)
        pairs = as_pairs(pairs)
        sources, targets = zip(*pairs, strict=True)
        words = dict.fromkeys(chain.from_iterable(sources))
        self.source_ids = {word: i for i, word in enumerate((None, *words))}
        words = dict.fromkeys(chain.from_iterable(targets))
        self.target_ids = {word: i for i, word in enumerate(words)}
        met = self.cooccurrences(pairs)
        t = np.full(len(met.word_pairs), 1 / met.V)
        counts, likelihood = met.expectation(t)
        likelihoods = [likelihood]
        for _ in range(iterations):
            t = met.maximisation(counts)
            counts, likelihood = met.expectation(t)
            likelihoods.append(likelihood)
        self.word_pairs, self.t = met.word_pairs, t
        self.log_likelihood = tuple(likelihoods)
        self._unmet = 0 if iterations else 1 / met.V
        return self

    def prior(self, S: int, T: int) -> Numbers:
        """P(a_j = i) = 1 / (S + 1): (T, S + 1). A subclass may have another."""
        return np.full((T, S + 1), 1 / (S + 1))

    def translation_prob(self, target_word: str, source_word: str | None) -> float:
        """t(f | e), 0 for words of no common pair; None is the empty word."""
        return float(self.table([target_word], [source_word])[0, 0])

    def translations(self, source_word: str | None) -> list[tuple[str, float]]:
        """The target words f with t(f | e) > 0 and that number, the likeliest first."""
        t = self.table(list(self.target_ids), [source_word])[:, 0]
        words = [(f, p) for f, p in zip(self.target_ids, t.tolist(), strict=True) if p]
        return sorted(words, key=lambda pair: -pair[1])

    def posterior(self, source: Sequence[str], target: Sequence[str]) -> Numbers:
        """P(a_j = i | f, e): (T, S + 1), column 0 the empty word.

        A target word that occurs in no training pair with any of these source words is
        put down to the empty word.
        """
        ((source, target),) = as_pairs([(source, target)])
        table = self.table(target, (None, *source))
        joint = table * self.prior(len(source), len(target))
        joint[joint.sum(axis=1) == 0, 0] = 1
        joint /= joint.sum(axis=1, keepdims=True)  # (4)
        return joint

    def align(
        self, source: Sequence[str], target: Sequence[str]
    ) -> set[tuple[int, int]]:
        """The likeliest links, as pairs (source index, target index).

        A target word has no link where the empty word is likelier than any other. Among
        words that are equally likely, the leftmost has the link.
        """
        posterior = self.posterior(source, target)
        best = posterior[:, 1:].argmax(axis=1)
        linked = posterior[:, 1:].max(axis=1) >= posterior[:, 0]
        return {(int(best[j]), int(j)) for j in np.flatnonzero(linked)}

    def with_table(self, t: Numbers) -> Self:
        """The same words with another table t (P,); this model stays as it is."""
        if t.shape != self.t.shape:
            raise ValueError(f"t has shape {t.shape}: expected {self.t.shape}")
        model = copy(self)
        model.t = t
        return model

    def cooccurrences(self, pairs: Pairs) -> Cooccurrences:
        """The co-occurrences of these pairs, whose words all have their numbers."""
        ids = self.source_ids, self.target_ids
        return cooccurrences(as_pairs(pairs), *ids, self.prior)

    def table(self, target: Sequence[str], source: Sequence[str | None]) -> Numbers:
        """t(f_j | e_i) for all these words, None being the empty one: (T, S)."""
        if not self.log_likelihood:
            raise ValueError("this model has no table yet: call fit(pairs, …) first")
        e = np.array([self.source_ids.get(word, -1) for word in source])
        f = np.array([self.target_ids.get(word, -1) for word in target])
        keys = e * len(self.target_ids) + f[:, None]
        known = (e >= 0) & (f[:, None] >= 0)
        n = np.searchsorted(self.word_pairs, keys).clip(max=len(self.t) - 1)
        seen = known & (self.word_pairs[n] == keys)
        return np.where(seen, self.t[n], self._unmet * known)


def as_pairs(pairs: Iterable[Any]) -> list[tuple[Words, Words]]:
    """The sentence pairs as tuples of words.

    pairs  each a tuple of two sentences, or an object with `source` and `target`
    Raises ValueError for anything else, and for sentences without words.
    """
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise ValueError(f"expected a list of sentence pairs, got {pairs!r}")
    words = []
    for n, pair in enumerate(pairs):
        if hasattr(pair, "source") and hasattr(pair, "target"):
            source, target = pair.source, pair.target
        elif isinstance(pair, tuple) and len(pair) == 2:
            source, target = pair
        else:
            raise ValueError(f"pair {n} is {pair!r}: expected (source, target)")
        words.append((as_words(source), as_words(target)))
        if not all(words[-1]):
            raise ValueError(f"pair {n} has a sentence without words: {words[-1]}")
    if not words:
        raise ValueError("expected sentence pairs, got none")
    return words
