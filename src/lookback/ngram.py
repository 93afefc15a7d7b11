"""Counting: predict a word from the n - 1 words before it.

An n-gram h w is a word w after its context h, the n - 1 words before it. A model counts
how often each n-gram occurs in a text. What probability an n-gram has that never
occurred is decided by its smoothing: `MaximumLikelihood`, `AddK`, `JelinekMercer` or
`KneserNey`. Names and meanings follow `nltk.lm`.
"""

import math
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Self

import numpy as np
import torch

from lookback.checks import above, share, whole

__all__ = [
    "END",
    "FALLBACK",
    "START",
    "UNK",
    "AddK",
    "Counts",
    "Gram",
    "JelinekMercer",
    "KneserNey",
    "MaximumLikelihood",
    "NgramModel",
    "OneDiscount",
    "Smoothing",
    "Text",
    "as_words",
    "ngrams",
]

START, END, UNK = "<s>", "</s>", "<unk>"
PADDING = frozenset((START, END))
FALLBACK = (0.0, 0.5, 1.0, 1.5)  # discounts where the counts of counts give none

Gram = tuple[str, ...]
Text = Iterable[Sequence[str]]  # sentences, each a list of words


def ngrams(sentence: Sequence[str], n: int) -> Iterator[Gram]:
    """The n-grams that end in a word or in </s>; n - 1 <s> are put in front."""
    padded = (*[START] * (n - 1), *sentence, END)
    return zip(*[padded[k:] for k in range(n)], strict=False)


@dataclass(frozen=True)
class Counts:
    """The counts of a text, for n-grams of every length up to the model's order.

    vocab      the words it may predict: those of the text, and </s>; never <s>
    count      c(h w), by n-gram
    total      c(h) = Σ_w c(h w), by context
    freed      by context, the sum of what was taken off its counts
    discounts  by length of n-gram, what is taken off a count of 0, 1, 2, 3 or more
    """

    vocab: frozenset[str]
    count: dict[Gram, int] = field(default_factory=dict)
    total: dict[Gram, int] = field(default_factory=lambda: defaultdict(int))
    freed: dict[Gram, float] = field(default_factory=lambda: defaultdict(float))
    discounts: dict[int, tuple[float, ...]] = field(default_factory=dict)


class Smoothing(ABC):
    """How n-grams are counted, and which probabilities these counts give."""

    def tally(self, sentences: list[Gram], order: int) -> Counts:
        """The counts that `probability` needs."""
        counts = Counts(frozenset(chain((END,), *sentences)))
        for n in range(1, order + 1):
            counts.count.update(Counter(g for s in sentences for g in ngrams(s, n)))
        for gram, c in counts.count.items():
            counts.total[gram[:-1]] += c
        return counts

    @abstractmethod
    def probability(self, gram: Gram, counts: Counts) -> float:
        """P(w | h) for the n-gram h w; 0 if w is not in the vocabulary."""


@dataclass(frozen=True)
class MaximumLikelihood(Smoothing):
    """P(w | h) = c(h w) / c(h), and 0 after a context that never occurred."""

    def probability(self, gram: Gram, counts: Counts) -> float:
        c = counts.count.get(gram)
        return c / counts.total[gram[:-1]] if c else 0.0  # (3)


@dataclass(frozen=True)
class AddK(Smoothing):
    """P(w | h) = (c(h w) + k) / (c(h) + k V), V being its vocabulary's size."""

    k: float = 1.0

    def __post_init__(self) -> None:
        above(0, k=self.k)

    def probability(self, gram: Gram, counts: Counts) -> float:
        if gram[-1] not in counts.vocab:
            return 0.0
        total = counts.total.get(gram[:-1], 0) + self.k * len(counts.vocab)
        return (counts.count.get(gram, 0) + self.k) / total  # (5)


@dataclass(frozen=True)
class JelinekMercer(Smoothing):
    """P(w | h) = Σ_n λ_n c(h_n w) / c(h_n).   Jelinek and Mercer 1980.

    h_n is the last n - 1 words of h, λ_n is lambdas[n - 1]: the first weight is that
    of single words. A length whose context never occurred, or was not given, repeats
    the fraction of the length below it.
    """

    lambdas: Sequence[float]

    def __post_init__(self) -> None:
        if not (abs(sum(self.lambdas) - 1) < 1e-6 and min(self.lambdas) >= 0):
            raise ValueError(
                f"lambdas must be ≥ 0 and sum to 1, got {self.lambdas!r}, "
                f"sum {sum(self.lambdas)}"
            )

    def tally(self, sentences: list[Gram], order: int) -> Counts:
        if len(self.lambdas) != order:
            raise ValueError(
                f"a model of order {order} needs {order} lambdas, one for each length "
                f"of n-gram, got {len(self.lambdas)}: {self.lambdas!r}"
            )
        return super().tally(sentences, order)

    def probability(self, gram: Gram, counts: Counts) -> float:
        parts = self.fractions(gram, counts, len(self.lambdas))
        pairs = zip(self.lambdas, parts, strict=True)
        return math.fsum(weight * share for weight, share in pairs)  # (6)

    @staticmethod
    def fractions(gram: Gram, counts: Counts, order: int) -> list[float]:
        """c(h_n w) / c(h_n) for n = 1 … order."""
        parts: list[float] = []
        for n in range(1, order + 1):
            total = counts.total.get(gram[-n:-1])
            parts.append(counts.count.get(gram[-n:], 0) / total if total else parts[-1])
        return parts

    @classmethod
    def estimate(
        cls, order: int, train: Text, held_out: Text, *, steps: int = 50
    ) -> Self:
        """The lambdas that make `held_out` likeliest, by EM.

        held_out  must not be `train`, of which the longest n-grams know every word.
        E: which length predicted each held-out word? Share the credit for the word in
        proportion to what each contributed.  M: a length's weight is its mean credit.
        """
        model = NgramModel(order).fit(train)
        grams = [g for g in model.ngrams(held_out) if g[-1] in model.counts.vocab]
        parts = np.array([cls.fractions(g, model.counts, order) for g in grams])
        lambdas = np.full(order, 1 / order)
        for _ in range(steps):
            credit = parts * lambdas
            lambdas = (credit / credit.sum(axis=1, keepdims=True)).mean(axis=0)
        return cls(tuple(lambdas.tolist()))


@dataclass(frozen=True)
class KneserNey(Smoothing):
    """Interpolated Kneser-Ney.   Kneser and Ney 1995; Chen and Goodman 1998.

    P(w | h) = (c(h w) - D(c(h w)) + freed(h) P(w | h')) / c(h),  h' = h less its first
    word. Only the longest n-grams count as often as they occur in the text. For the
    shorter, c(h w) is the number of different words that occur before h w. Below the
    single words lies the uniform distribution, 1 / V.

    discount  None: for each length three discounts, for counts of 1, 2, and 3 or more,
              estimated from counts of counts (modified Kneser-Ney). A length whose
              counts of counts have a gap, or give no D above 0, takes FALLBACK.
              A number between 0 and 1: this one discount for every count.
    """

    discount: float | None = None

    def __post_init__(self) -> None:
        if self.discount is not None:
            above(0, discount=self.discount)
            share(discount=self.discount)

    def tally(self, sentences: list[Gram], order: int) -> Counts:
        """From the longest n-grams down; a shorter one counts words before it."""
        counts = Counts(frozenset(chain((END,), *sentences)))
        total, freed = counts.total, counts.freed
        level = Counter(g for s in sentences for g in ngrams(s, order))
        for n in range(order, 0, -1):
            D = counts.discounts[n] = self.discounts(level)
            for gram, c in level.items():
                h = gram[:-1]
                total[h] += c
                freed[h] += D[c if c < 3 else 3]
            counts.count.update(level)
            level = Counter(gram[1:] for gram in level)  # different words before it
        return counts

    def discounts(self, level: Counter[Gram]) -> tuple[float, ...]:
        """D_r = r - (r + 1) Y n_{r+1} / n_r,  Y = n_1 / (n_1 + 2 n_2).

        n_r is how many n-grams of this length have the count r; r is 1, 2, and 3,
        which stands for 3 or more.
        """
        if self.discount is not None:
            return (0.0, self.discount, self.discount, self.discount)
        sizes = Counter(level.values())
        n = [sizes[r] for r in range(5)]
        if not all(n[1:]):
            return FALLBACK
        Y = n[1] / (n[1] + 2 * n[2])
        D = [r - (r + 1) * Y * n[r + 1] / n[r] for r in (1, 2, 3)]  # (9)
        return (0.0, *D) if min(D) > 0 else FALLBACK

    def probability(self, gram: Gram, counts: Counts) -> float:
        if len(gram) == 1:
            lower = (gram[0] in counts.vocab) / len(counts.vocab)
        else:
            lower = self.probability(gram[1:], counts)
        total = counts.total.get(gram[:-1])
        if not total:
            return lower
        c = counts.count.get(gram, 0)
        kept = c - counts.discounts[len(gram)][min(c, 3)]
        return (kept + counts.freed[gram[:-1]] * lower) / total  # (8)


class OneDiscount(KneserNey):
    """Kneser-Ney with one discount for each length.   Kneser and Ney 1995.

    D = n_1 / (n_1 + 2 n_2), n_r being how many n-grams have the count r; 0.75 where
    there is no n_1 or no n_2.
    """

    def discounts(self, level: Counter[Gram]) -> tuple[float, ...]:
        n = Counter(level.values())
        D = n[1] / (n[1] + 2 * n[2]) if n[1] and n[2] else 0.75  # (7)
        return (0.0, D, D, D)


PLAIN = MaximumLikelihood()


class NgramModel:
    """P(w | h), the last order - 1 words being all of h that counts.

    A word that the training text does not hold is read as <unk>, if <unk> occurs there.
    If not, the word has probability 0, and no context that holds it ever occurred.

    >>> text = [["the", "cat", "sleeps"], ["the", "cat", "eats"], ["the", "dog"]]
    >>> model = NgramModel(order=2).fit(text)
    >>> round(model.score("cat", ["the"]), 3)
    0.667
    """

    def __init__(self, order: int, smoothing: Smoothing = PLAIN) -> None:
        whole(order=order)
        if not isinstance(smoothing, Smoothing):
            raise ValueError(
                f"smoothing must be one like KneserNey(), got {smoothing!r}"
            )
        self.order, self.smoothing = order, smoothing
        self._counts: Counts | None = None

    @property
    def counts(self) -> Counts:
        """The counts of the text that the model was fitted to."""
        if self._counts is None:
            raise ValueError("this model has no counts yet: call fit(sentences) first")
        return self._counts

    def fit(self, sentences: Text) -> Self:
        """Count the n-grams of `sentences` alone, and return the model."""
        self._counts = self.smoothing.tally(as_sentences(sentences), self.order)
        return self

    def ngrams(self, sentences: Text) -> Iterator[Gram]:
        """The n-grams of `sentences`, each unknown word read as <unk>."""
        known = map(self._read, as_sentences(sentences))
        return chain.from_iterable(ngrams(s, self.order) for s in known)

    def score(self, word: str, context: Sequence[str] | None = None) -> float:
        """P(word | context), of which the last order - 1 words count."""
        gram = self._read((*as_words(context or ()), *as_words([word])))
        return self.smoothing.probability(gram[-self.order :], self.counts)

    def logscore(self, word: str, context: Sequence[str] | None = None) -> float:
        """The logarithm of `score` to base 2, which is -inf where that is 0."""
        score = self.score(word, context)
        return math.log2(score) if score else -math.inf

    def entropy(self, sentences: Text) -> float:
        """-1/N Σ log2 P(w | h) over all N words and </s>: bits a word.   (4)"""
        counts, probability = self.counts, self.smoothing.probability
        p = [probability(gram, counts) for gram in self.ngrams(sentences)]
        with np.errstate(divide="ignore"):
            return float(np.log2(1 / np.array(p)).mean())

    def perplexity(self, sentences: Text) -> float:
        """2 to the entropy: as uncertain as a choice of so many words.   (4)"""
        return math.exp2(self.entropy(sentences))

    def generate(
        self,
        num_words: int = 1,
        text_seed: Sequence[str] | None = None,
        *,
        generator: torch.Generator | None = None,
    ) -> list[str]:
        """Draw `num_words` words one by one; after </s> a new sentence begins.

        text_seed  how the first sentence begins
        generator  the random number generator; None is torch's own
        """
        words, start = list[str](), (START,) * (self.order - 1)
        context = (*start, *self._read(as_words(text_seed or ())))
        choices = sorted(self.counts.vocab)
        for _ in range(num_words):
            context = context[len(context) - len(start) :]
            words.append(self._draw(context, choices, generator))
            context = start if words[-1] == END else (*context, words[-1])
        return words

    def _draw(
        self, context: Gram, choices: list[str], generator: torch.Generator | None
    ) -> str:
        """One of `choices`, drawn by its probability after `context`."""
        grams = [(*context, word) for word in choices]
        p = np.cumsum([self.smoothing.probability(g, self.counts) for g in grams])
        if not p[-1]:  # only with maximum likelihood: take a shorter context
            return self._draw(context[1:], choices, generator)
        u = torch.rand((), generator=generator, dtype=torch.float64).item()
        return choices[int(np.searchsorted(p, u * p[-1], side="right"))]

    def _read(self, sentence: Gram) -> Gram:
        """The sentence; each unknown word is <unk> if the vocabulary has that."""
        vocab = self.counts.vocab
        if UNK not in vocab or vocab.issuperset(sentence):
            return sentence
        return tuple(w if w in vocab or w == START else UNK for w in sentence)


def as_sentences(sentences: Text) -> list[Gram]:
    """The sentences as tuples of words.

    Raises ValueError for what is no list of sentences, for no words at all, and for a
    sentence that holds <s> or </s>.
    """
    if isinstance(sentences, str) or not hasattr(sentences, "__iter__"):
        raise ValueError(f"expected a list of sentences, got {sentences!r}")
    text = [as_words(sentence) for sentence in sentences]
    if not any(text):
        raise ValueError(f"expected sentences with words, got {len(text)} without any")
    for sentence in text:
        if not PADDING.isdisjoint(sentence):
            raise ValueError(
                f"{START} and {END} must not occur in a sentence, since the model adds "
                f"them to each, got {sentence}"
            )
    return text


def as_words(sentence: Sequence[str]) -> Gram:
    """The sentence as a tuple of words.

    Raises ValueError for what is no list of strings.
    """
    if isinstance(sentence, str) or not hasattr(sentence, "__iter__"):
        raise ValueError(f"expected a list of words (strings), got {sentence!r}")
    words = tuple(sentence)
    if not set(map(type, words)) <= {str, np.str_}:
        raise ValueError(f"expected a list of words (strings), got {sentence!r}")
    return words
