"""Hidden Markov models: the tags are hidden states, the words are observed.

A sentence w_1 … w_T has tags t_1 … t_T. Each tag depends on the one or two before it,
and each word on its own tag alone. The sums over all sequences of tags that this needs
are computed step by step, from left to right and from right to left. Baum et al. 1970
(the sums and the re-estimation), Viterbi 1967 (the best sequence), Brants 2000 (the
mixture of transitions and the suffixes of unknown words).
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lookback.checks import between, whole
from lookback.ngram import as_words

__all__ = ["Forward", "HiddenMarkovModel", "SuffixModel", "Tagged", "interpolated"]

# What Viterbi puts in place of a probability of 0. NO_WORD is the smaller one: a tag
# that its word never had costs more than a transition that never occurred.
NO_WORD, NO_STEP = 1e-300, 1e-50
EDGE = 0  # the state before the first word and after the last; it emits no word
BATCH = 512  # sentences of one length whose sums are computed at once
# Sums over states, of B sentences: one tag x, or two tags x and u; then the next, v.
LEFT = {2: "bx,xv->bv", 3: "bxu,xuv->buv"}
RIGHT = {2: "xv,bv->bx", 3: "xuv,buv->bxu"}
BOTH = {2: "bx,bv->xv", 3: "bxu,buv->xuv"}

Words = tuple[str, ...]
Tagged = tuple[Sequence[str], Sequence[str]]  # the words of a sentence, and their tags
Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


class Forward(NamedTuple):
    """The sums from the left of B sentences of T words.

    alpha  (T, B, K)   P(state at i | w_1 … w_i). Of a trigram model a state is two
                       tags, and alpha is (T, B, K, K)
    scale  (T + 1, B)  P(w_i | w_1 … w_{i-1}), and in the last row P(end | w_1 … w_T);
                       the product of all rows is P(w)
    """

    alpha: Numbers
    scale: Numbers


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
        whole(0, longest=longest)
        if rare is not None:
            whole(1, rare=rare)
        self.longest, self.rare = longest, rare
        self._counts: dict[tuple[bool, str], Numbers] = {}

    def fit(self, words: Mapping[str, Numbers]) -> Self:
        """Count suffixes: word → how often it has each tag, (K,)."""
        some = {w: c for w, c in words.items() if self._is_rare(c)} or dict(words)
        counts: dict[tuple[bool, str], Numbers] = defaultdict(
            lambda: np.zeros(len(next(iter(words.values()))))
        )
        for word, c in some.items():
            for n in range(min(self.longest, len(word)) + 1):
                counts[word[:1].isupper(), word[len(word) - n :]] += c
        self._counts, self._all = dict(counts), np.sum([*some.values()], axis=0)
        all_of_them = np.sum([*words.values()], axis=0)
        shares = all_of_them[all_of_them > 0] / all_of_them.sum()
        self._theta = float(np.std(shares, ddof=1)) if len(shares) > 1 else 0.0
        return self

    def _is_rare(self, count: Numbers) -> bool:
        return self.rare is None or count.sum() <= self.rare

    def probabilities(self, word: str) -> Numbers:
        """P(tag | word): (K,), for any word."""
        if not self._counts:
            raise ValueError("this suffix model has no counts yet: call fit(…) first")
        p = self._all / self._all.sum()
        for n in range(min(self.longest, len(word)) + 1):
            count = self._counts.get((word[:1].isupper(), word[len(word) - n :]))
            if count is None or not self.longest:
                break
            p = (count / count.sum() + self._theta * p) / (1 + self._theta)
        return np.asarray(p)


def interpolated(counts: Sequence[Numbers]) -> Numbers:
    """P(t | the tags before) as a mixture over all lengths.   Brants 2000, (6) to (8).

    counts  of single tags (K,), of pairs (K, K), … up to the model's order
    →  λ_1 P̂(t_3) + λ_2 P̂(t_3 | t_2) + λ_3 P̂(t_3 | t_1, t_2), of the last shape

    The λ do not depend on the tags. Each n-gram gives its count to the length that
    predicts it best if it itself had not been counted (deleted interpolation).
    """
    order, whole_ = len(counts), counts[-1]
    rest, shares = [], []
    for c in counts:
        context = np.broadcast_to(c.sum(axis=-1, keepdims=True), c.shape)
        left = np.divide(c - 1, context - 1, out=np.zeros(c.shape), where=context > 1)
        rest.append(np.broadcast_to(left, whole_.shape))
        shares.append(np.divide(c, context, out=np.zeros(c.shape), where=context > 0))
    best = order - 1 - np.stack(rest[::-1]).argmax(axis=0)  # the longest of equals
    lambdas = np.bincount(best.ravel(), whole_.ravel(), order) / whole_.sum()
    pairs = zip(lambdas, shares, strict=True)
    return normalised(sum(w * np.broadcast_to(p, whole_.shape) for w, p in pairs))


class HiddenMarkovModel:
    """P(w, t) = ∏ P(t_i | t_{i-1}) P(w_i | t_i), with an end.   Baum and Petrie 1966.

    order    2: a tag depends on the tag before it; 3: on the two before it
    unknown  tags of words that were never read; None refuses such words
    tags     the K - 1 tags; state 0 is the edge of the sentence
    transition  (K, K) or (K, K, K)  P(t | the tags before)
    emission    (V, K)               P(w | t) of the words that were read

    >>> model = HiddenMarkovModel().fit([(["a", "dog"], ["DET", "NOUN"])])
    >>> model.viterbi(["a", "cat"])
    ('DET', 'NOUN')
    """

    def __init__(self, order: int = 2, unknown: SuffixModel | None = None) -> None:
        between(2, 3, order=order)
        self.order = order
        self.unknown = SuffixModel() if unknown is None else unknown
        self.tags: Words = ()
        self.words: dict[str, int] = {}

    @classmethod
    def of(
        cls,
        tags: Sequence[str],
        words: Sequence[str],
        transition: ArrayLike,
        emission: ArrayLike,
    ) -> Self:
        """A model of these numbers; unknown words are refused.

        transition  (K, K) or (K, K, K), K being one more than the tags: 0 is the edge
        emission    (V, K - 1)  P(w | t), without the edge
        """
        A, B = np.array(transition, float), np.array(emission, float)
        K, V = len(tags) + 1, len(words)
        if A.ndim not in (2, 3) or set(A.shape) != {K} or B.shape != (V, K - 1):
            raise ValueError(
                f"transition has shape {A.shape} and emission {B.shape}: expected "
                f"({K}, {K}) or ({K}, {K}, {K}), and ({V}, {K - 1})"
            )
        model = cls(A.ndim)
        model.tags, model.words = tuple(tags), {w: n for n, w in enumerate(words)}
        model.transition = A
        model.emission = np.hstack([np.zeros((V, 1)), B])
        model._tag_counts = None
        return model

    def fit(self, sentences: Iterable[Tagged]) -> Self:
        """Count tagged sentences: P(w | t) by shares, transitions by `interpolated`.

        Raises ValueError for no sentences, one without words, and one whose tags are
        not as many as its words.
        """
        text = as_tagged(sentences)
        self.tags = tuple(sorted({t for _, tags in text for t in tags}))
        number = {tag: n for n, tag in enumerate(self.tags, 1)}
        counts = [np.zeros((len(self.tags) + 1,) * n) for n in range(1, self.order + 1)]
        occurs: dict[str, Numbers] = {}
        for words, tags in text:
            ids = [*[EDGE] * (self.order - 1), *(number[t] for t in tags), EDGE]
            for n, c in enumerate(counts, 1):
                for i in range(self.order - 1, len(ids)):
                    c[tuple(ids[i - n + 1 : i + 1])] += 1
            for word, tag in zip(words, tags, strict=True):
                row = occurs.setdefault(word, np.zeros(len(self.tags) + 1))
                row[number[tag]] += 1
        self.transition = interpolated(counts)
        self.words = {word: n for n, word in enumerate(occurs)}
        table = np.stack([*occurs.values()])
        self._tag_counts = table.sum(axis=0)
        self.emission = table / np.where(self._tag_counts > 0, self._tag_counts, 1)
        self.unknown.fit(occurs)
        return self

    @property
    def parameters(self) -> int:
        """How many numbers are not 0: transitions and emissions."""
        return int(np.count_nonzero(self.transition) + np.count_nonzero(self.emission))

    def forward(self, words: Sequence[str]) -> Forward:
        """The sums from the left: alpha (T, …) and scale (T + 1,)."""
        alpha, scale = self._forward(self._emissions([self._read(words)]))
        return Forward(alpha[:, 0], scale[:, 0])

    def backward(self, words: Sequence[str]) -> Numbers:
        """The sums from the right: P(w_{i+1} … | state) / P(w_{i+1} … | w_1 … w_i).

        →  (T, …); `forward(words).alpha` times it is P(state at i | w)
        """
        e = self._emissions([self._read(words)])
        return self._backward(e, self._forward(e).scale)[:, 0]

    def log_likelihood(self, sentences: Iterable[Sequence[str]]) -> float:
        """Σ log P(w), over all sequences of tags; natural."""
        total = 0.0
        for batch in self._batches([self._read(words) for words in sentences]):
            scale = self._forward(self._emissions(batch)).scale
            with np.errstate(divide="ignore"):
                total += float(np.log(scale).sum())
        return total

    def log_joint(self, words: Sequence[str], tags: Sequence[str]) -> float:
        """log P(w, t) of one sequence of tags.

        Raises ValueError for a tag never seen, and for tags not as many as words.
        """
        ((words, tags),) = as_tagged([(words, tags)])
        for tag in tags:
            if tag not in self.tags:
                raise ValueError(f"tag {tag!r} was never seen: known are {self.tags}")
        e = self._emissions([self._read(words)])[:, 0]
        ids = [EDGE] * (self.order - 1) + [self.tags.index(t) + 1 for t in tags]
        p = [e[i, n] for i, n in enumerate(ids[self.order - 1 :])]
        grams = zip(*[[*ids, EDGE][k:] for k in range(self.order)], strict=False)
        p += [self.transition[gram] for gram in grams]
        return math.fsum(math.log(n) if n else -math.inf for n in p)

    def posterior(self, words: Sequence[str]) -> Numbers:
        """P(tag at i | w): (T, tags), in the order of `tags`; each row sums to 1."""
        alpha, beta = self.forward(words).alpha, self.backward(words)
        both = alpha * beta
        return np.asarray(both.reshape(len(both), -1, both.shape[-1]).sum(1)[:, 1:])

    def viterbi(self, words: Sequence[str]) -> Words:
        """The likeliest sequence of tags.

        For a sentence of probability 0 it has as few impossible steps as possible.
        """
        return self.tag([words])[0]

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[Words]:
        """The likeliest sequence of tags of each sentence."""
        return [
            tuple(self.tags[n - 1] for n in self._best(self._read(words)).tolist())
            for words in sentences
        ]

    def trellis(self, words: Sequence[str]) -> tuple[Numbers, Indices]:
        """What Viterbi computes: log δ (T, …), and the state before (T + 1, …).

        δ is the probability of the best sequence that ends in a state at i. The last
        row of states is for the end of the sentence: of it only the entry of EDGE is
        meant.
        """
        return self._trellis(self._emissions([self._read(words)])[:, 0])

    def baum_welch(
        self, sentences: Iterable[Sequence[str]], steps: int = 1
    ) -> list[float]:
        """Re-estimate transitions and emissions from words alone; the model changes.

        Words that the model does not know are entered first, as if they had occurred
        once. →  Σ log P(w) before each step, and after the last: steps + 1 numbers
        """
        whole(0, steps=steps)
        text = [self._read(words) for words in sentences]
        self._enter({word: None for words in text for word in words})
        found = []
        for _ in range(steps):
            likelihood, transition, emission = self._expected(text)
            found.append(likelihood)
            self.transition, self.emission = normalised(transition), emission
            self.emission = normalised(emission.T).T
        return [*found, self.log_likelihood(text)]

    # --- the sums --------------------------------------------------------------------

    def _read(self, words: Sequence[str]) -> Words:
        if not self.tags:
            raise ValueError("this model has no tags yet: call fit(…) first")
        read = as_words(words)
        if not read:
            raise ValueError("the sentence has no words: expected at least one")
        return read

    def _row(self, word: str) -> Numbers:
        """P(w | t) of any word: (K,). An unknown word counts as read once."""
        if word in self.words:
            return np.asarray(self.emission[self.words[word]])
        if self._tag_counts is None:
            raise ValueError(
                f"word {word!r} was never read: this model knows no others"
            )
        p = self.unknown.probabilities(word)
        return np.asarray(p / np.where(self._tag_counts > 0, self._tag_counts, 1))

    def _emissions(self, batch: Sequence[Words]) -> Numbers:
        """P(w | t) of B sentences of T words: (T, B, K)."""
        number = self.words.get
        ids = np.array([[number(word, -1) for word in words] for words in batch])
        e = self.emission[ids]  # (B, T, K)
        for b, i in np.argwhere(ids < 0):
            e[b, i] = self._row(batch[b][i])
        return np.asarray(e.swapaxes(0, 1))

    def _forward(self, e: Numbers) -> Forward:
        """The sums from the left, of (T, B, K)."""
        A, B = self.transition, e.shape[1]
        before = np.zeros((B, *A.shape[1:]))
        before.reshape(B, -1)[:, EDGE] = 1
        alpha, scale = [], []
        for e_i in e:
            now = np.einsum(LEFT[self.order], before, A) * emitted(e_i, self.order)
            scale.append(now.reshape(B, -1).sum(axis=1))
            total = np.where(scale[-1] > 0, scale[-1], 1)
            before = now / self._wide(total)
            alpha.append(before)
        scale.append((before * A[..., EDGE]).reshape(B, -1).sum(axis=1))
        return Forward(np.array(alpha), np.array(scale))

    def _backward(self, e: Numbers, scale: Numbers) -> Numbers:
        """The sums from the right, of (T, B, K) and the scale of the left ones."""
        A, T = self.transition, len(e)
        scale = np.where(scale > 0, scale, 1)
        beta = [A[..., EDGE] / self._wide(scale[T])]
        for i in range(T - 1, 0, -1):
            after = beta[-1] * emitted(e[i], self.order)
            right = np.einsum(RIGHT[self.order], A, after)
            beta.append(right / self._wide(scale[i]))
        return np.array(beta[::-1])

    def _wide(self, scale: Numbers) -> Numbers:
        """(B,) → (B, 1), or (B, 1, 1) where a state is two tags: to divide states."""
        return scale.reshape(-1, *[1] * (self.order - 1))

    def _trellis(self, e: Numbers) -> tuple[Numbers, Indices]:
        A, logs = np.log(self.transition.clip(NO_STEP)), np.log(e.clip(NO_WORD))
        logs[:, EDGE] = -np.inf
        delta = np.full(A.shape[1:], -np.inf)
        delta[(EDGE,) * (self.order - 1)] = 0
        rows, back = [], []
        for log_e in logs:
            ways = delta[..., None] + A
            back.append(ways.argmax(axis=0))
            delta = ways.max(axis=0) + log_e
            rows.append(delta)
        back.append((delta[..., None] + A).argmax(axis=0))
        return np.array(rows), np.array(back)

    def _best(self, words: Words) -> Indices:
        """The states of the best sequence, from the last back to the first."""
        delta, back = self._trellis(self._emissions([words])[:, 0])
        ends = delta[-1] + np.log(self.transition[..., EDGE].clip(NO_STEP))
        state = [int(n) for n in np.unravel_index(int(ends.argmax()), ends.shape)]
        for row in back[-2::-1]:
            state.insert(0, int(row[tuple(state[: self.order - 1])]))
        return np.array(state[self.order - 1 :][-len(words) :])

    def _expected(self, text: Sequence[Words]) -> tuple[float, Numbers, Numbers]:
        """log P, and the expected counts of transitions and of words by their tags."""
        likelihood, A = 0.0, self.transition
        moves, written = np.zeros(A.shape), np.zeros(self.emission.shape)
        for batch in self._batches(text):
            e = self._emissions(batch)
            alpha, scale = self._forward(e)
            beta = self._backward(e, scale)
            likelihood += float(np.log(scale).sum())
            begin = np.zeros(alpha[0].shape)
            begin.reshape(len(batch), -1)[:, EDGE] = 1
            for i, e_i in enumerate(e):
                left = alpha[i - 1] if i else begin
                after = beta[i] * emitted(e_i, self.order) / self._wide(scale[i])
                moves += A * np.einsum(BOTH[self.order], left, after)
            ends = alpha[-1] * A[..., EDGE]
            moves[..., EDGE] += (ends / self._wide(scale[-1])).sum(axis=0)
            both = (alpha * beta).reshape(*alpha.shape[:2], -1, A.shape[-1]).sum(axis=2)
            ids = np.array([[self.words[w] for w in words] for words in batch]).T
            for k in range(1, A.shape[-1]):
                column = both[..., k].ravel()
                written[:, k] += np.bincount(ids.ravel(), column, len(written))
        return likelihood, moves, written

    def _enter(self, words: Iterable[str]) -> None:
        """Words that are not known become rows of the table, which is normalised."""
        new = [word for word in words if word not in self.words]
        if new:
            rows = np.stack([self._row(word) for word in new])
            self.words |= {w: len(self.words) + n for n, w in enumerate(new)}
            self.emission = normalised(np.vstack([self.emission, rows]).T).T

    @staticmethod
    def _batches(text: Sequence[Words]) -> Iterator[list[Words]]:
        """Sentences of one length, not too many at once."""
        by_length: dict[int, list[Words]] = defaultdict(list)
        for words in text:
            by_length[len(words)].append(words)
        for same in by_length.values():
            for n in range(0, len(same), BATCH):
                yield same[n : n + BATCH]


def emitted(e: Numbers, order: int) -> Numbers:
    """P(w | t) as a factor of states: (B, K), or (B, 1, K) where they are two tags."""
    return e if order == 2 else e[:, None]


def normalised(counts: Numbers) -> Numbers:
    """Shares of the last axis; a row of zeros stays."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.asarray(counts / np.where(total > 0, total, 1))


def as_tagged(sentences: Iterable[Tagged]) -> list[tuple[Words, Words]]:
    """The sentences as tuples; `ValueError` if they are anything else."""
    if isinstance(sentences, str) or not isinstance(sentences, Iterable):
        raise ValueError(f"expected a list of tagged sentences, got {sentences!r}")
    text = []
    for n, pair in enumerate(sentences):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(f"sentence {n} is {pair!r}: expected (words, tags)")
        words, tags = as_words(pair[0]), as_words(pair[1])
        if not words:
            raise ValueError(f"sentence {n} has no words: expected at least one")
        if len(words) != len(tags):
            raise ValueError(
                f"sentence {n} has {len(words)} words and {len(tags)} tags: expected "
                "one tag for each word"
            )
        text.append((words, tags))
    if not text:
        raise ValueError("expected tagged sentences, got none")
    return text
