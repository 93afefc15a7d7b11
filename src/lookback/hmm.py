"""Hidden Markov models: the tags are hidden states, the words are observed.

A sentence w_1 … w_T has tags t_1 … t_T. Each tag depends on the one or two before it,
and each word on its own tag alone. The sums over all sequences of tags that this needs
are computed step by step, from left to right and from right to left. Baum et al. 1970
(the sums and the re-estimation), Viterbi 1967 (the best sequence), Brants 2000 (the
mixture of transitions and the suffixes of unknown words).

`forward`, `backward`, `viterbi` and `em_iteration` say this in dictionaries, for one
sentence at a time. `HiddenMarkovModel` computes the same in arrays, which
`lookback.fast.hmm` holds.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lookback.checks import between, whole
from lookback.fast.hmm import (
    SuffixModel,
    batches,
    best_states,
    divided_by_sums,
    expected_counts,
    interpolated,
    posterior,
    scaled_forward,
    trellis,
)
from lookback.ngram import END, START, as_words

__all__ = [
    "HiddenMarkovModel",
    "SuffixModel",
    "Tagged",
    "backward",
    "em_iteration",
    "forward",
    "viterbi",
]

EDGE = 0  # the state before the first word and after the last; it emits no word

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
    return relative_frequencies(moves), relative_frequencies(written)  # (6)


def relative_frequencies(counts: Table) -> Table:
    """(a, b) → the share of b among all that a has."""
    total: Column = defaultdict(float)
    for (a, _), n in counts.items():
        total[a] += n
    return {(a, b): n / total[a] for (a, b), n in counts.items()}


class HiddenMarkovModel:
    """P(w, t) = ∏ P(t_i | t_{i-1}) P(w_i | t_i), with an end.   (1)

    Baum and Petrie 1966.

    order    2: a tag depends on the tag before it; 3: on the two before it
    unknown  tags of words that were never read; None: a new SuffixModel
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
    def from_parameters(
        cls,
        tags: Sequence[str],
        words: Sequence[str],
        transition: ArrayLike,
        emission: ArrayLike,
    ) -> Self:
        """Make a model of these numbers; unknown words are refused.

        transition  (K, K) or (K, K, K), K being one more than the tags: 0 is the edge
        emission    (V, K - 1)  P(w | t), without the edge
        """
        A, B = np.array(transition, float), np.array(emission, float)
        K, V = len(tags) + 1, len(words)
        if A.shape not in ((K, K), (K, K, K)) or B.shape != (V, K - 1):
            raise ValueError(
                f"transition has shape {A.shape} and emission {B.shape}: expected "
                f"(K, K) or (K, K, K), K being {K}, and {(V, K - 1)}"
            )
        model = cls(A.ndim)
        model.tags, model.words = tuple(tags), {w: n for n, w in enumerate(words)}
        model.transition = A
        model.emission = np.zeros((V, K))
        model.emission[:, 1:] = B
        model._tag_counts = None
        return model

    def fit(self, sentences: Iterable[Tagged]) -> Self:
        """Count tagged sentences: relative frequencies, transitions as in (7).

        Raises ValueError for no sentences, one without words, and one whose tags are
        not as many as its words.
        """
        text = [(as_words(words), as_words(tags)) for words, tags in sentences]
        for words, tags in text or [((), ())]:
            if not words or len(words) != len(tags):
                raise ValueError(
                    f"a sentence has {len(words)} words and {len(tags)} tags: "
                    "expected one tag for each word"
                )
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
        self.emission = divided_by_sums(table.T).T
        self.unknown.fit(occurs)
        return self

    @property
    def parameters(self) -> int:
        """How many numbers are not 0: transitions, emissions, counts of suffixes."""
        counted = np.count_nonzero(self.transition) + np.count_nonzero(self.emission)
        return int(counted) + self.unknown.parameters

    def posterior(self, words: Sequence[str]) -> Numbers:
        """γ_i(t) = P(tag at i | w): (T, tags), in the order of `tags`.   (4)"""
        e = self._emissions([self._read(words)])
        return posterior(self.transition, e)[:, 0, 1:]

    def log_likelihood(self, sentences: Iterable[Sequence[str]]) -> float:
        """Σ log P(w), over all sequences of tags; natural."""
        total = 0.0
        for batch in batches([self._read(words) for words in sentences]):
            _, scale = scaled_forward(self.transition, self._emissions(batch))
            with np.errstate(divide="ignore"):
                total += float(np.log(scale).sum())
        return total

    def log_joint(self, words: Sequence[str], tags: Sequence[str]) -> float:
        """log P(w, t) of one sequence of tags.   (1)

        Raises ValueError for a tag never seen, and for tags not as many as words.
        """
        read = self._read(words)
        ids = [EDGE] * (self.order - 1) + [self.tags.index(t) + 1 for t in tags]
        grams = zip(*[[*ids, EDGE][k:] for k in range(self.order)], strict=False)
        p = [self.transition[gram] for gram in grams]
        states = ids[self.order - 1 :]
        p += [self._row(word)[n] for word, n in zip(read, states, strict=True)]
        return math.fsum(math.log(n) if n else -math.inf for n in p)

    def viterbi(self, words: Sequence[str]) -> Words:
        """The likeliest sequence of tags.

        For a sentence of probability 0 it has as few impossible steps as possible.
        """
        e = self._emissions([self._read(words)])[:, 0]
        return tuple(self.tags[n - 1] for n in best_states(self.transition, e))

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
        return trellis(self.transition, e)

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
            likelihood, A = 0.0, self.transition
            moves, written = np.zeros(A.shape), np.zeros(self.emission.shape)
            for batch in batches(text):
                ids = np.array([[self.words[w] for w in words] for words in batch]).T
                e = self._emissions(batch)
                log_p, *counts = expected_counts(A, e, ids, len(written))
                likelihood += log_p
                moves, written = moves + counts[0], written + counts[1]
            likelihoods.append(likelihood)
            self.transition = divided_by_sums(moves)
            self.emission = divided_by_sums(written.T).T
        return [*likelihoods, self.log_likelihood(text)]

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
            raise ValueError(f"word {word!r} was never read")
        p: Numbers = self.unknown.probabilities(word) / self._tag_counts.clip(1)  # (8)
        return p

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
            table = np.vstack([self.emission, rows])
            self.emission = divided_by_sums(table.T).T
