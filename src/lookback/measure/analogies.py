"""Analogies: is b - a + c near d, where a is to b as c is to d?

Every ordered pair of pairs of a class is a question, and none is chosen by hand. Since
the questions of a class share their pairs, the interval resamples pairs: a bootstrap
over questions would be far too narrow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from lookback.measure.bootstrap import Interval, draws, interval

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Answers:
    """What vectors answer to all questions of a class of n pairs.

    pairs     the pairs whose words are both known
    left_out  how many pairs were not
    guesses   (n, n) the word numbers answered: row i asks with pair i, a is to b, about
              pair j, c is to what?; -1 where i = j
    asked     (n, n, 4) the word numbers of a, b, c and of d, which is right
    """

    pairs: tuple[tuple[str, str], ...]
    left_out: int
    guesses: NDArray[np.int64]
    asked: NDArray[np.int64]

    @property
    def questions(self) -> int:
        return len(self.pairs) * (len(self.pairs) - 1)

    def share(self, which: int = 3) -> float:
        """The share of questions answered with a (0), b (1), c (2), or d (3)."""
        return mean(self.guesses == self.asked[..., which])

    def accuracy(
        self, generator: torch.Generator, samples: int = 1000, level: float = 0.95
    ) -> Interval:
        """The share answered right, and its interval: a bootstrap over pairs."""
        right = self.guesses == self.asked[..., 3]
        drawn = [
            mean(right, r)
            for r in draws(len(right), samples, generator)
            if len(set(r.tolist())) > 1  # else no question is left
        ]
        return interval(mean(right), drawn, level)


def mean(right: NDArray[np.bool_], rows: NDArray[np.int64] | None = None) -> float:
    """The mean of (n, n) answers, a pair combined with itself left out.

    rows  which pairs, where one may occur several times; None: each once
    """
    pair = np.arange(len(right)) if rows is None else rows
    return float(right[np.ix_(pair, pair)][pair[:, None] != pair].mean())


def analogy_answers(
    pairs: Pairs,
    words: Sequence[str],
    vectors: ArrayLike,
    *,
    exclude: bool = True,
    offset: bool = True,
) -> Answers:
    """The nearest word by cosine to b - a + c, all vectors of length 1.

    pairs    of words in one relation; those with an unknown word are left out
    words    of the rows of vectors (V, m)
    exclude  a, b and c cannot be the answer
    offset   False: the word nearest to c alone, without b - a
    Raises `ValueError` where fewer than two pairs are known, sizes differ, or a vector
    is zero or not finite.
    """
    rows, index = unit(vectors, words), {word: n for n, word in enumerate(words)}
    known = [pair for pair in pairs if index.keys() >= {*pair}]
    if len(known) < 2:
        raise ValueError(
            f"a question takes two pairs of known words, got {len(known)} of "
            f"{len(pairs)}: {list(pairs)[:3]}"
        )
    ids = np.array([[index[a], index[b]] for a, b in known])  # (n, 2)
    n = len(ids)
    first, then = np.divmod(np.arange(n * n), n)
    asked = np.concatenate([ids[first], ids[then]], axis=1)  # (n n, 4)
    a, b, c = (rows[asked[:, k]] for k in range(3))  # each (n n, m)
    near = (b - a + c if offset else c) @ rows.T  # (n n, V)
    if exclude:
        np.put_along_axis(near, asked[:, :3], -np.inf, axis=1)
    guesses = near.argmax(axis=1)
    guesses[first == then] = -1
    left_out = len(pairs) - len(known)
    return Answers(
        tuple(known), left_out, guesses.reshape(n, n), asked.reshape(n, n, 4)
    )


def unit(vectors: ArrayLike, words: Sequence[str]) -> NDArray[np.float64]:
    """The rows (V, m) at length 1; `ValueError` where they cannot be or do not fit."""
    rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != len(words):
        raise ValueError(
            f"vectors must be (V, m), one for each of {len(words)} words, got "
            f"{rows.shape}"
        )
    length = np.linalg.norm(rows, axis=1)
    if not (np.isfinite(length) & (length > 0)).all():
        strange = [w for w, x in zip(words, length, strict=True) if not 0 < x < np.inf]
        raise ValueError(f"vectors need a length above 0, those of {strange[:5]} don't")
    return np.asarray(rows / length[:, None])


@dataclass(frozen=True)
class AnalogyScore:
    """How vectors do on one class of analogies.

    pairs, left_out  pairs of known words, and pairs with an unknown one
    right            share right when a, b and c cannot be the answer, with interval
    alone            share right when the word nearest to c is the answer: no b - a
    open             share right when every word can be the answer
    is_b, is_c       share of answers that are b, or c, when every word can be
    """

    pairs: int
    left_out: int
    right: Interval
    alone: float
    open: float
    is_b: float
    is_c: float

    @property
    def questions(self) -> int:
        return self.pairs * (self.pairs - 1)


def analogy_scores(
    classes: Mapping[str, Pairs],
    words: Sequence[str],
    vectors: ArrayLike,
    *,
    generator: torch.Generator,
    samples: int = 1000,
    least: int = 3,
) -> dict[str, AnalogyScore]:
    """The scores of each class with at least `least` pairs of known words."""
    known, scores = set(words), {}
    for name, pairs in classes.items():
        if sum(known >= {*pair} for pair in pairs) < least:
            continue
        closed = analogy_answers(pairs, words, vectors)
        near = analogy_answers(pairs, words, vectors, offset=False)
        any_word = analogy_answers(pairs, words, vectors, exclude=False)
        scores[name] = AnalogyScore(
            len(closed.pairs),
            closed.left_out,
            closed.accuracy(generator, samples),
            near.share(),
            any_word.share(),
            any_word.share(1),
            any_word.share(2),
        )
    return scores
