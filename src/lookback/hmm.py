"""Hidden Markov models: the tags are hidden states, the words are observed.

A sentence w_1 … w_T has tags t_1 … t_T. Each tag depends on the one or two before it,
and each word on its own tag alone. The sums over all sequences of tags that this needs
are computed step by step, from left to right and from right to left. Baum et al. 1970
(the sums and the re-estimation), Viterbi 1967 (the best sequence), Brants 2000 (the
mixture of transitions and the suffixes of unknown words).

`forward`, `backward`, `viterbi` and `em_iteration` say this in dictionaries, for one
sentence at a time. `HiddenMarkovModel` computes the same with arrays.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lookback.checks import between, whole
from lookback.ngram import END, START, as_words

__all__ = [
    "Forward",
    "HiddenMarkovModel",
    "SuffixModel",
    "Tagged",
    "backward",
    "em_iteration",
    "forward",
    "interpolated",
    "viterbi",
]

# What Viterbi puts in place of a probability of 0. NO_WORD is the smaller one: a tag
# that its word never had costs more than a transition that never occurred.
NO_WORD, NO_STEP = 1e-300, 1e-50
EDGE = 0  # the state before the first word and after the last; it emits no word
BATCH = 512  # sentences of one length whose sums are computed at once

Words = tuple[str, ...]
Tagged = tuple[Sequence[str], Sequence[str]]  # the words of a sentence, and their tags
Table = Mapping[tuple[str, str], float]
Counts = defaultdict[tuple[str, str], float]
Column = defaultdict[str, float]  # tag → a sum
Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


# --- in dictionaries: the transitions (t', t) → P(t | t'), with <s> before the first
# word and </s> after the last; the emissions (t, w) → P(w | t). What is not there is 0.


def forward(words: Sequence[str], transitions: Table, emissions: Table) -> list[Column]:
    """α_i(t) = Σ_t' α_{i-1}(t') P(t | t') P(w_i | t).   Baum et al. 1970

    →  tag → α before the first word, and after each: T + 1 columns
    """
    alpha: list[Column] = [defaultdict(float, {START: 1.0})]
    for word in words:
        column: Column = defaultdict(float)
        for (before, tag), p in transitions.items():
            if before in alpha[-1] and (tag, word) in emissions:
                column[tag] += alpha[-1][before] * p * emissions[tag, word]  # (2)
        alpha.append(column)
    return alpha


def backward(
    words: Sequence[str], transitions: Table, emissions: Table
) -> list[Column]:
    """β_i(t) = Σ_t' P(t' | t) P(w_{i+1} | t') β_{i+1}(t').   Baum et al. 1970

    →  tag → β before the first word, and after each: T + 1 columns
    """
    ends = {tag: p for (tag, after), p in transitions.items() if after == END}
    beta: list[Column] = [defaultdict(float, ends)]
    for word in reversed(words):
        column: Column = defaultdict(float)
        for (tag, after), p in transitions.items():
            if after in beta[0] and (after, word) in emissions:
                column[tag] += p * emissions[after, word] * beta[0][after]  # (3)
        beta.insert(0, column)
    return beta


def viterbi(words: Sequence[str], transitions: Table, emissions: Table) -> list[str]:
    """The likeliest sequence of tags.   Viterbi 1967

    δ_i(t) = max_t' δ_{i-1}(t') P(t | t') P(w_i | t), and the t' of the maximum.
    """
    delta, back = {START: 1.0}, []
    for word in words:
        column: dict[str, float] = {}
        best: dict[str, str] = {}
        for (before, tag), p in transitions.items():
            if before in delta and (tag, word) in emissions:
                value = delta[before] * p * emissions[tag, word]
                if value > column.get(tag, 0):
                    column[tag], best[tag] = value, before  # (5)
        delta = column
        back.append(best)
    ends = {tag: p * transitions.get((tag, END), 0) for tag, p in delta.items()}
    if not any(ends.values()):
        raise ValueError(f"no sequence of tags writes {' '.join(words)!r}")
    tags = [max(ends, key=ends.__getitem__)]
    for best in back[:0:-1]:
        tags.insert(0, best[tags[0]])
    return tags


def em_iteration(
    text: Iterable[Sequence[str]], transitions: Table, emissions: Table
) -> tuple[Table, Table]:
    """New transitions and emissions from expected counts.   Baum et al. 1970

    ξ_i(t', t) = α_{i-1}(t') P(t | t') P(w_i | t) β_i(t) / P(w): how likely the i-th
    step goes from t' to t.
    """
    moves: Counts = defaultdict(float)
    written: Counts = defaultdict(float)
    for words in text:
        alpha = forward(words, transitions, emissions)
        beta = backward(words, transitions, emissions)
        total = beta[0][START]  # P(w)
        if not total:
            raise ValueError(f"no sequence of tags writes {' '.join(words)!r}")
        for i, word in enumerate(words):
            for (before, tag), p in transitions.items():
                if before in alpha[i] and (tag, word) in emissions:
                    xi = alpha[i][before] * p * emissions[tag, word] * beta[i + 1][tag]
                    moves[before, tag] += xi / total
                    written[tag, word] += xi / total
        for tag, a in alpha[-1].items():
            moves[tag, END] += a * beta[-1][tag] / total
    return shares(moves), shares(written)  # (6)


def shares(counts: Table) -> Table:
    """(a, b) → the share of b among all that a has."""
    total: Column = defaultdict(float)
    for (a, _), n in counts.items():
        total[a] += n
    return {(a, b): n / total[a] for (a, b), n in counts.items()}


# --- counted with tags ---------------------------------------------------------------


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
        P.append(np.broadcast_to(c / positive(context), longest.shape))
    best = order - 1 - np.stack(rest[::-1]).argmax(axis=0)  # the longest of equals
    lambdas = np.bincount(best.ravel(), longest.ravel(), order) / longest.sum()
    mixture = sum(weight * p for weight, p in zip(lambdas, P, strict=True))  # (7)
    return normalised(mixture)


# --- with arrays ---------------------------------------------------------------------


class Forward(NamedTuple):
    """The sums from the left of B sentences of T words.

    alpha  (T, B, K)   P(state at i | w_1 … w_i). Of a trigram model a state is two
                       tags, and alpha is (T, B, K, K)
    scale  (T + 1, B)  P(w_i | w_1 … w_{i-1}), and in the last row P(end | w_1 … w_T);
                       the product of all rows is P(w)
    """

    alpha: Numbers
    scale: Numbers


class HiddenMarkovModel:
    """P(w, t) = ∏ P(t_i | t_{i-1}) P(w_i | t_i), with an end.   (1)

    Baum and Petrie 1966.

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
        if (
            A.ndim not in (2, 3)
            or {*A.shape} != {len(tags) + 1}
            or B.shape != (len(words), len(tags))
        ):
            raise ValueError(
                f"transition has shape {A.shape} and emission {B.shape}: expected "
                f"(K, K) or (K, K, K), K being {len(tags) + 1}, and "
                f"{(len(words), len(tags))}"
            )
        model = cls(A.ndim)
        model.tags, model.words = tuple(tags), {w: n for n, w in enumerate(words)}
        model.transition = A
        model.emission = np.hstack([np.zeros((len(words), 1)), B])
        model._tag_counts = None
        return model

    def fit(self, sentences: Iterable[Tagged]) -> Self:
        """Count tagged sentences: emissions by shares, transitions as in (7).

        Raises ValueError for what `as_tagged` refuses.
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
        self.emission = table / positive(self._tag_counts)
        self.unknown.fit(occurs)
        return self

    @property
    def parameters(self) -> int:
        """How many numbers are not 0: transitions, emissions, counts of suffixes."""
        counted = np.count_nonzero(self.transition) + np.count_nonzero(self.emission)
        return int(counted) + self.unknown.parameters

    def forward(self, words: Sequence[str]) -> Forward:
        """The sums from the left: alpha (T, …) and scale (T + 1,)."""
        alpha, scale = self._forward(self._emissions([self._read(words)]))
        return Forward(alpha[1:, 0], scale[:, 0])

    def backward(self, words: Sequence[str]) -> Numbers:
        """The sums from the right: P(w_{i+1} … | state) / P(w_{i+1} … | w_1 …).

        →  (T, …); `forward(words).alpha` times it is P(state at i | w)
        """
        e = self._emissions([self._read(words)])
        return self._backward(e, self._forward(e).scale)[:, 0]

    def posterior(self, words: Sequence[str]) -> Numbers:
        """γ_i(t) = P(tag at i | w): (T, tags), in the order of `tags`.   (4)"""
        both = self.forward(words).alpha * self.backward(words)
        gamma: Numbers = both.reshape(len(both), -1, both.shape[-1]).sum(axis=1)
        return gamma[:, 1:]

    def log_likelihood(self, sentences: Iterable[Sequence[str]]) -> float:
        """Σ log P(w), over all sequences of tags; natural."""
        total = 0.0
        for batch in self._batches([self._read(words) for words in sentences]):
            scale = self._forward(self._emissions(batch)).scale
            with np.errstate(divide="ignore"):
                total += float(np.log(scale).sum())
        return total

    def log_joint(self, words: Sequence[str], tags: Sequence[str]) -> float:
        """log P(w, t) of one sequence of tags.   (1)

        Raises ValueError for a tag never seen, and for tags not as many as words.
        """
        ((words, tags),) = as_tagged([(words, tags)])
        for tag in tags:
            if tag not in self.tags:
                raise ValueError(f"tag {tag!r} was never seen: known are {self.tags}")
        ids = [EDGE] * (self.order - 1) + [self.tags.index(t) + 1 for t in tags]
        grams = zip(*[[*ids, EDGE][k:] for k in range(self.order)], strict=False)
        p = [self.transition[gram] for gram in grams]
        read = zip(self._read(words), ids[self.order - 1 :], strict=True)
        p += [self._row(word)[n] for word, n in read]
        return math.fsum(math.log(n) if n else -math.inf for n in p)

    def viterbi(self, words: Sequence[str]) -> Words:
        """The likeliest sequence of tags.

        For a sentence of probability 0 it has as few impossible steps as possible.
        """
        delta, back = self.trellis(words)
        ends = delta[-1] + np.log(self.transition[..., EDGE].clip(NO_STEP))
        states = [int(n) for n in np.unravel_index(int(ends.argmax()), ends.shape)]
        for row in back[-2::-1]:
            states.insert(0, int(row[tuple(states[: self.order - 1])]))
        return tuple(self.tags[n - 1] for n in states[self.order - 1 :])

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[Words]:
        """The likeliest sequence of tags of each sentence."""
        return [self.viterbi(words) for words in sentences]

    def trellis(self, words: Sequence[str]) -> tuple[Numbers, Indices]:
        """What Viterbi computes: log δ (T, …), and the state before (T + 1, …).

        δ is the probability of the best sequence that ends in a state at i. The last
        row of states is for the end of the sentence: of it only the entry of EDGE is
        meant.
        """
        e = self._emissions([self._read(words)])[:, 0]
        A, logs = np.log(self.transition.clip(NO_STEP)), np.log(e.clip(NO_WORD))
        logs[..., EDGE] = -np.inf
        delta = np.where(self._begin(1)[0] > 0, 0, -np.inf)
        rows, back = [], []
        for log_e in logs:
            ways = delta[..., None] + A
            delta = ways.max(axis=0) + log_e  # (5)
            rows.append(delta)
            back.append(ways.argmax(axis=0))
        back.append((delta[..., None] + A).argmax(axis=0))
        return np.array(rows), np.array(back)

    def baum_welch(
        self, sentences: Iterable[Sequence[str]], steps: int = 1
    ) -> list[float]:
        """Re-estimate the model from words alone; it changes.   Baum et al. 1970

        Words that the model does not know are entered first, as if they had occurred
        once. →  Σ log P(w) before each step, and after the last: steps + 1 numbers
        """
        whole(0, steps=steps)
        text = [self._read(words) for words in sentences]
        self._enter({word: None for words in text for word in words})
        likelihoods = []
        for _ in range(steps):
            likelihood, moves, written = self._expected(text)
            likelihoods.append(likelihood)
            self.transition, self.emission = normalised(moves), normalised(written.T).T
        return [*likelihoods, self.log_likelihood(text)]

    # --- sums of B sentences of T words. A state is a tag x, or of trigrams two tags: b
    # counts the sentences, and … stands for the second tag, if there is one.

    def _forward(self, e: Numbers) -> Forward:
        """The sums from the left; alpha begins before the first word."""
        A = self.transition
        alpha, scale = [self._begin(e.shape[1])], []
        for e_i in e:
            now = np.einsum("bx...,x...v->b...v", alpha[-1], A) * e_i  # (2)
            scale.append(now.reshape(len(now), -1).sum(axis=1))
            alpha.append(now / self._wide(positive(scale[-1])))
        ends = alpha[-1] * A[..., EDGE]
        scale.append(ends.reshape(len(ends), -1).sum(axis=1))
        return Forward(np.array(alpha), np.array(scale))

    def _backward(self, e: Numbers, scale: Numbers) -> Numbers:
        """The sums from the right, divided by the scale of the left ones."""
        A, (*scale_, end) = self.transition, positive(scale)
        beta = [A[..., EDGE] / self._wide(end)]
        for e_i, s in zip(e[:0:-1], scale_[:0:-1], strict=True):
            right = np.einsum("x...v,b...v->bx...", A, e_i * beta[-1])  # (3)
            beta.append(right / self._wide(s))
        return np.array(beta[::-1])

    def _expected(self, text: Sequence[Words]) -> tuple[float, Numbers, Numbers]:
        """log P, and the expected counts of transitions and of words by tags."""
        likelihood, A = 0.0, self.transition
        moves, written = np.zeros(A.shape), np.zeros(self.emission.shape)
        for batch in self._batches(text):
            e = self._emissions(batch)
            alpha, scale = self._forward(e)
            beta = self._backward(e, scale)
            likelihood += float(np.log(scale).sum())
            for i, e_i in enumerate(e):
                after = beta[i] * e_i / self._wide(scale[i])
                moves += A * np.einsum("bx...,b...v->x...v", alpha[i], after)  # ξ
            ends = alpha[-1] * A[..., EDGE] / self._wide(scale[-1])
            moves[..., EDGE] += ends.sum(axis=0)
            gamma = alpha[1:] * beta
            gamma = gamma.reshape(*gamma.shape[:2], -1, len(A)).sum(axis=2)
            ids = np.array([[self.words[w] for w in words] for words in batch]).T
            for k in range(1, len(A)):
                column = gamma[..., k].ravel()
                written[:, k] += np.bincount(ids.ravel(), column, len(written))
        return likelihood, moves, written

    def _begin(self, B: int) -> Numbers:
        """alpha before the first word: 1 where all tags are EDGE."""
        begin = np.zeros((B, *self.transition.shape[1:]))
        begin.reshape(B, -1)[:, EDGE] = 1
        return begin

    def _wide(self, scale: Numbers) -> Numbers:
        """(B,) → (B, 1), or (B, 1, 1) for two tags: to divide states by it."""
        return scale.reshape(-1, *[1] * (self.order - 1))

    # --- words -----------------------------------------------------------------------

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
            return self.emission[self.words[word], :]
        if self._tag_counts is None:
            raise ValueError(
                f"word {word!r} was never read: this model knows no others"
            )
        return self.unknown.probabilities(word) / positive(self._tag_counts)  # (8)

    def _emissions(self, batch: Sequence[Words]) -> Numbers:
        """P(w | t) of B sentences of T words: (T, B, K), or (T, B, 1, K)."""
        number = self.words.get
        ids: Indices = np.array([[number(w, -1) for w in words] for words in batch])
        e = self.emission[ids]  # (B, T, K)
        for b, i in np.argwhere(ids < 0):
            e[b, i] = self._row(batch[b][i])
        e = e.swapaxes(0, 1)
        return e if self.order == 2 else e[:, :, None]

    def _enter(self, words: Iterable[str]) -> None:
        """Words that are not known become rows of the emissions."""
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


def positive(x: Numbers) -> Numbers:
    """x, and 1 where it is 0: what one can divide by."""
    return np.where(x > 0, x, 1)


def normalised(counts: Numbers) -> Numbers:
    """Shares of the last axis; a row of zeros stays."""
    return counts / positive(counts.sum(axis=-1, keepdims=True))


def as_tagged(sentences: Iterable[Tagged]) -> list[tuple[Words, Words]]:
    """The sentences as tuples of words and of tags.

    Raises ValueError for no sentences, one without words, and one whose tags are not as
    many as its words.
    """
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
