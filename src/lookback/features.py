"""Hand-made features: Naive Bayes and linear support vector machines.

A word in its sentence is described by features, such as "suffix 2=ed" or "before=the",
which templates write. A linear model has a weight for each feature and class, and a
bias for each class; the class with the largest sum is its answer:

    s_c = b_c + Σ_f W_fc,   the sum over the features f that are there

`NaiveBayes` (Maron 1961) counts the weights: they are logarithms of probabilities.
`LinearSVM` (Joachims 1998, Hsieh et al. 2008) corrects them until each example is on
the right side, with a margin.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.checks import above, one_of, whole

__all__ = [
    "TEMPLATES",
    "FeatureTagger",
    "LinearModel",
    "LinearSVM",
    "NaiveBayes",
    "features",
    "shape",
]

Words = Sequence[str]
Rows = Sequence[Sequence[str]]  # the features of each example
Array = NDArray[np.float64]
Ids = list[NDArray[np.int64]]  # the numbers of each example's features
Template = Callable[[Words, int], str]


def shape(word: str) -> str:
    """Capitals X, small letters x, digits d, the rest as it is; repeats once."""
    kinds = ["X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c
             for c in word]  # fmt: skip
    return "".join(kind for kind, _ in groupby(kinds))


def _word(words: Words, t: int) -> str:
    """The word at t in small letters, or <s> or </s> outside the sentence."""
    return words[t].lower() if 0 <= t < len(words) else "<s>" if t < 0 else "</s>"


def _pair(words: Words, t: int, u: int) -> str:
    return f"{_word(words, t)} {_word(words, u)}"


TEMPLATES: dict[str, Template] = {
    "word": lambda words, t: words[t],
    "lower": _word,
    "shape": lambda words, t: shape(words[t]),
    "shape, first": lambda words, t: f"{shape(words[t])} {t == 0}",
    "prefix 2": lambda words, t: _word(words, t)[:2],
    "prefix 3": lambda words, t: _word(words, t)[:3],
    "suffix 1": lambda words, t: _word(words, t)[-1:],
    "suffix 2": lambda words, t: _word(words, t)[-2:],
    "suffix 3": lambda words, t: _word(words, t)[-3:],
    "before": lambda words, t: _word(words, t - 1),
    "after": lambda words, t: _word(words, t + 1),
    "two before": lambda words, t: _word(words, t - 2),
    "two after": lambda words, t: _word(words, t + 2),
    "before, word": lambda words, t: _pair(words, t - 1, t),
    "word, after": lambda words, t: _pair(words, t, t + 1),
    "before, after": lambda words, t: _pair(words, t - 1, t + 1),
}
"""Name → what it says of the word at position t of a sentence."""


def features(
    words: Words, t: int, templates: Sequence[str] = tuple(TEMPLATES)
) -> list[str]:
    """One feature for each template, "name=value", of the word at position t."""
    return [f"{name}={TEMPLATES[name](words, t)}" for name in templates]


class LinearModel(ABC):
    """Rows of features → classes, by weights W (V, C) and biases b (C,).

    A feature that was not in training has no weight.

    classes  the C labels, in the order of the alphabet
    columns  feature → its row of W
    """

    classes: tuple[str, ...]
    columns: dict[str, int]
    W: Array
    b: Array

    def fit(
        self,
        rows: Rows,
        labels: Sequence[str],
        generator: torch.Generator | None = None,
    ) -> Self:
        """Learn from N examples, with `generator` in random order.

        Raises `ValueError` where there are no two classes, or no label for each row.
        """
        if len(rows) != len(labels):
            raise ValueError(
                f"{len(rows)} rows have {len(labels)} labels: one for each"
            )
        if len(set(labels)) < 2:
            raise ValueError(f"expected two classes or more, got {sorted(set(labels))}")
        self.classes = tuple(sorted(set(labels)))
        names = dict.fromkeys(feature for row in rows for feature in row)
        self.columns = {feature: n for n, feature in enumerate(names)}
        y = np.array([self.classes.index(label) for label in labels])
        self.W, self.b = self.learn(self._ids(rows), y, generator)
        return self

    @abstractmethod
    def learn(
        self, X: Ids, y: NDArray[np.int64], generator: torch.Generator | None
    ) -> tuple[Array, Array]:
        """W and b from the feature numbers and the class of each example."""

    def scores(self, rows: Rows) -> Array:
        """(N, C): s_c of each row."""
        if not hasattr(self, "W"):
            raise ValueError(
                f"this {type(self).__name__} has learned nothing: call fit"
            )
        s = [self.W[ids].sum(axis=0) + self.b for ids in self._ids(rows)]  # (1)
        return np.array(s).reshape(-1, len(self.classes))

    def predict(self, rows: Rows) -> list[str]:
        """The class with the largest score, for each row."""
        return [self.classes[c] for c in self.scores(rows).argmax(axis=1)]

    def _ids(self, rows: Rows) -> Ids:
        """The columns of each row's features; one that is new has none."""
        for number, row in enumerate(rows):
            if len(set(row)) < len(row):
                raise ValueError(f"row {number} holds a feature twice: {list(row)}")
        known = ([self.columns[f] for f in row if f in self.columns] for row in rows)
        return [np.array(ids, dtype=np.int64) for ids in known]


class NaiveBayes(LinearModel):
    """W_fc = ln P(f | c), b_c = ln P(c): features as if they were independent.

    P(f | c) = (n_fc + α) / (Σ_g n_gc + α V), n_fc being how often f occurs with c.

    >>> rows = [["before=the"], ["before=the"], ["before=she"]]
    >>> model = NaiveBayes().fit(rows, ["NOUN", "NOUN", "VERB"])
    >>> model.predict([["before=the", "suffix=s"]])  # this suffix was never seen
    ['NOUN']
    """

    def __init__(self, alpha: float = 1.0) -> None:
        above(0, alpha=alpha)
        self.alpha = alpha

    def learn(
        self, X: Ids, y: NDArray[np.int64], generator: torch.Generator | None
    ) -> tuple[Array, Array]:
        n = np.zeros((len(self.columns), len(self.classes)))
        for ids, c in zip(X, y, strict=True):
            n[ids, c] += 1
        n += self.alpha
        return np.log(n / n.sum(axis=0)), np.log(np.bincount(y) / len(y))  # (3)

    def log_proba(self, rows: Rows) -> Array:
        """(N, C): ln P(c | features), each row normalised."""
        s = self.scores(rows)
        total: Array = np.logaddexp.reduce(s, axis=1, keepdims=True)
        return s - total


class LinearSVM(LinearModel):
    """For each class c, against all others:  min ½|w|² + C Σ_i ξ_i.

    ξ_i = max(0, 1 - y_i s_c) for the "hinge", its square for the "squared hinge"; y_i
    is 1 for examples of the class and -1 for all others, and w is a column of W with
    its bias. Solved in its dual by coordinate descent, Hsieh et al. 2008.
    """

    def __init__(
        self, C: float = 1.0, loss: str = "squared hinge", epochs: int = 10
    ) -> None:
        above(0, C=C)
        one_of(("hinge", "squared hinge"), loss=loss)
        whole(1, epochs=epochs)
        self.C, self.loss, self.epochs = C, loss, epochs

    def learn(
        self, X: Ids, y: NDArray[np.int64], generator: torch.Generator | None
    ) -> tuple[Array, Array]:
        C = len(self.classes)
        W, b = np.zeros((len(self.columns), C)), np.zeros(C)
        signs = np.where(y[:, None] == np.arange(C), 1.0, -1.0)  # (N, C)
        squared = self.loss == "squared hinge"
        U, D = (np.inf, 0.5 / self.C) if squared else (self.C, 0.0)
        alpha = np.zeros_like(signs)  # (N, C)
        for _ in range(self.epochs):
            order = [*range(len(X))]
            if generator is not None:
                order = torch.randperm(len(X), generator=generator).tolist()
            for i in order:
                ids, sign = X[i], signs[i]
                s = W[ids].sum(axis=0) + b  # (1)
                G = sign * s - 1 + D * alpha[i]
                new = (alpha[i] - G / (len(ids) + 1 + D)).clip(0, U)  # (5)
                step = (new - alpha[i]) * sign
                alpha[i] = new
                W[ids] += step
                b += step
        return W, b


class FeatureTagger:
    """A linear model that tags each word of a sentence by its features.

    >>> tagger = FeatureTagger(LinearSVM(), ["word", "before", "suffix 2"])
    >>> tagged = [("DET", "NOUN"), ("PRON", "VERB")]
    >>> tagger = tagger.fit([("the", "dogs"), ("she", "talked")], tagged)
    >>> tagger.tag([("she", "walked")])
    [('PRON', 'VERB')]
    """

    def __init__(
        self, model: LinearModel, templates: Sequence[str] = tuple(TEMPLATES)
    ) -> None:
        for name in templates:
            one_of(TEMPLATES, template=name)
        self.model, self.templates = model, tuple(templates)

    @property
    def parameters(self) -> int:
        return self.model.W.size + self.model.b.size

    def fit(
        self,
        sentences: Sequence[Words],
        tags: Sequence[Words],
        generator: torch.Generator | None = None,
    ) -> Self:
        """Learn from sentences and the tags of their words."""
        if len(sentences) != len(tags):
            raise ValueError(f"{len(sentences)} sentences have tags for {len(tags)}")
        for words, right in zip(sentences, tags, strict=True):
            if len(words) != len(right):
                raise ValueError(f"{len(right)} tags for {len(words)} words: {words}")
        labels = [tag for sentence in tags for tag in sentence]
        self.model.fit(self.rows(sentences), labels, generator)
        return self

    def rows(self, sentences: Sequence[Words]) -> list[list[str]]:
        """The features of every word, sentence after sentence."""
        if not all(sentences):
            raise ValueError("a sentence is empty: expected one word or more")
        return [features(words, t, self.templates)
                for words in sentences for t in range(len(words))]  # fmt: skip

    def tag(self, sentences: Sequence[Words]) -> list[tuple[str, ...]]:
        """A tag for each word of each sentence."""
        found = iter(self.model.predict(self.rows(sentences)))
        return [tuple(next(found) for _ in words) for words in sentences]
