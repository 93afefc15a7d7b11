"""Statistical machine translation: the best translation by phrases, found with stacks.

A translation is built from left to right. Each step takes a phrase of the source that
is not translated yet and appends one of its translations. A translation of a part of
the source is a hypothesis; hypotheses that cover equally many words compete in one
stack. A log-linear model scores them. Koehn, Och and Marcu 2003 (the model), Koehn
2004 (stacks, recombination, future cost). The numbers of equations are those of the
chapter.
"""

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from itertools import count, islice, pairwise
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from lookback.checks import whole
from lookback.ngram import END, START, NgramModel, as_words
from lookback.phrases import SCORES, Option

__all__ = [
    "FEATURES",
    "WEIGHTS",
    "Hypothesis",
    "LanguageModel",
    "Stack",
    "StackDecoder",
    "Table",
    "Translation",
    "TranslationOption",
    "future_cost",
]

FEATURES = (*SCORES, "language model", "distortion", "words", "phrases")
"""What is weighed: four logarithms of each phrase pair, that of the language model,
minus the words jumped over, and how many words and phrases are written."""
WEIGHTS = dict(zip(FEATURES, (0.2, 0.2, 0.2, 0.2, 0.5, 0.3, 0.3, 0.1), strict=True))
"""Weights that were not tuned."""
LOG_P_UNSEEN = -16.0  # of a word that the language model has never read

Words = tuple[str, ...]
State = tuple[str, ...]
Numbers = NDArray[np.float64]
Spans = list[list[tuple[int, int, list["TranslationOption"]]]]


class Table(Protocol):
    """Where the translations of phrases come from, such as `PhraseTable`."""

    @property
    def max_length(self) -> int: ...

    def options(self, phrase: Words) -> tuple[Option, ...]: ...


class LanguageModel:
    """log P(words | state), natural; a state is the last words of the translation.

    A context that did not occur in the text gives the same probabilities as a shorter
    one, so a state drops the words that cannot matter. Results are cached.
    """

    def __init__(self, model: NgramModel) -> None:
        self.model, self.start = model, (START,) * (model.order - 1)
        self._cache: dict[tuple[State, str], tuple[float, State]] = {}

    def step(self, state: State, word: str) -> tuple[float, State]:
        """log P(word | state), and the state after it."""
        key = (state, word)
        if key not in self._cache:
            counts = self.model.counts
            p = self.model.smoothing.probability((*state, word), counts)
            after = (*state, word)[1 - self.model.order :] if self.start else ()
            while after and after not in counts.total:
                after = after[1:]
            self._cache[key] = (math.log(p) if p else LOG_P_UNSEEN, after)
        return self._cache[key]

    def read(self, state: State, words: Sequence[str]) -> tuple[float, State]:
        """The same for several words."""
        total = 0.0
        for word in words:
            p, state = self.step(state, word)
            total += p
        return total, state


@dataclass(slots=True, eq=False)
class TranslationOption:
    """A translation of a phrase, with its scores.

    score     the weighted sum of its features, but for language model and distortion
    estimate  score plus the weighted log P of its words with no words before them; the
              future cost is computed from it
    after     state → (weighted log P of its words, the state after them)
    """

    target: Words
    features: Numbers
    score: float = 0.0
    estimate: float = 0.0
    after: dict[State, tuple[float, State]] = field(default_factory=dict)


Edge = tuple[float, "Hypothesis", TranslationOption, int]


@dataclass(slots=True, eq=False)
class Hypothesis:
    """A translation of a part of the source, after recombination.

    Partial translations that can be continued in the same way are one hypothesis, which
    has an edge for each of them.

    covered  bit i: word i of the source is translated
    state    of the language model
    at       where the last phrase ends
    total    the best edge's score, plus the future cost of the words not covered
    edges    (score, the hypothesis before, the option, where its phrase begins)
    """

    covered: int
    state: State
    at: int
    score: float
    total: float
    edges: list[Edge] = field(default_factory=list)


class Stack(dict[tuple[int, State, int], Hypothesis]):
    """Hypotheses that cover equally many words, by what decides how they can go on.

    best  the totals of the `beam` best, a heap; what is below them all is dropped
    """

    def __init__(self, beam: int) -> None:
        self.best = [-math.inf] * beam

    def add(
        self, covered: int, state: State, at: int, score: float, rest: float, edge: Edge
    ) -> None:
        """Recombine with a hypothesis that can go on alike, or begin a new one."""
        found = self.get((covered, state, at))
        if found is None:
            total = score + rest
            if total <= self.best[0]:
                return
            heapq.heapreplace(self.best, total)
            found = Hypothesis(covered, state, at, score, total)
            self[covered, state, at] = found
        elif score > found.score:
            found.score, found.total = score, score + rest
        found.edges.append(edge)


class Translation(NamedTuple):
    """A translation, its score, and the features that the weights were applied to.

    phrases  (first word, word after the last, their translation), as they were written
    """

    words: Words
    score: float
    features: Numbers
    phrases: tuple[tuple[int, int, Words], ...]


def future_cost(best: Numbers) -> Numbers:
    """The best score that each span of words can reach, by itself.   Koehn 2004.

    best (S, S + 1)  best[i, j]: of one phrase for the words i … j - 1; -inf for none
    →  (S + 1, S + 1): the maximum of that and of all ways to cut the span in two
    """
    S = len(best)
    future = np.full((S + 1, S + 1), -np.inf)
    np.fill_diagonal(future, 0)
    for length in range(1, S + 1):
        for i in range(S - length + 1):
            j = i + length
            cuts = future[i, i + 1 : j] + future[i + 1 : j, j]
            future[i, j] = max(best[i, j], cuts.max(initial=-np.inf))  # (4)
    return future


class StackDecoder:
    """argmax_e Σ_k λ_k h_k(e, f): translates by phrases.   Koehn 2004.

    table    phrases and their translations: anything with `options` and `max_length`
    language the language model of what is written
    weights  λ by the name of the feature; one that is not named weighs nothing
    beam     how many hypotheses of a stack are expanded
    distortion_limit  how far the next phrase may begin from the end of the last one,
             and how far a phrase may end from the first word left out; None: any
    options  how many translations of a phrase are tried, the best by themselves

    A word that the table cannot translate by itself is copied.

    >>> from lookback.ngram import KneserNey
    >>> from lookback.phrases import PhraseTable
    >>> pairs = [(["the", "flower"], ["la", "fleur"]), (["the", "law"], ["la", "loi"])]
    >>> table = PhraseTable.fit(pairs, [{(0, 0), (1, 1)}] * 2)
    >>> language = NgramModel(2, KneserNey()).fit([target for _, target in pairs])
    >>> StackDecoder(table, language).translate(["the", "law"])
    ['la', 'loi']
    """

    def __init__(
        self,
        table: Table,
        language: NgramModel,
        weights: Mapping[str, float] = WEIGHTS,
        *,
        beam: int = 10,
        distortion_limit: int | None = 6,
        options: int = 20,
    ) -> None:
        whole(beam=beam, options=options)
        self.table, self.language = table, LanguageModel(language)
        self.beam, self.options = beam, options
        self.distortion_limit = distortion_limit
        self._set_weights(weights)

    def _set_weights(self, weights: Mapping[str, float]) -> None:
        for name, weight in weights.items():
            if name not in FEATURES or not math.isfinite(weight):
                raise ValueError(
                    f"the weight of {name!r} is {weight}: expected a finite number for "
                    f"some of {FEATURES}"
                )
        self.weights = dict(weights)
        self.lambdas = np.array([weights.get(name, 0.0) for name in FEATURES])
        self._lm, self._jump = self.lambdas[4:6].tolist()
        self._options: dict[Words, list[TranslationOption]] = {}

    def with_weights(self, weights: Mapping[str, float]) -> Self:
        """The same decoder with other weights."""
        decoder = copy(self)
        decoder._set_weights(weights)
        return decoder

    def translate(self, source: Sequence[str]) -> list[str]:
        """The words of the best translation."""
        return list(self.n_best(source, 1)[0].words)

    def n_best(self, source: Sequence[str], n: int) -> list[Translation]:
        """The n best translations whose words differ, the best first; maybe fewer.

        Raises ValueError for a source without words.
        """
        whole(n=n)
        goal = self._goal(self.stacks(source)[-1])
        found = dict[Words, Translation]()
        for score, edges in islice(k_best(goal), 20 * n):
            words = tuple(w for _, _, option, _ in edges for w in option.target)
            if words not in found:
                found[words] = self._translation(words, score, edges)
                if len(found) == n:
                    break
        return list(found.values())

    # --- the search ------------------------------------------------------------------

    def translation_options(self, phrase: Words) -> list[TranslationOption]:
        """The best translations of a phrase by themselves, scored once."""
        if phrase not in self._options:
            found = self.table.options(phrase)
            if not found and len(phrase) == 1:  # an unknown word is copied
                found = (Option(phrase, (0.0,) * len(SCORES)),)
            some = []
            for target, scores in found:
                features = np.array([*scores, 0.0, 0.0, len(target), 1.0])
                score = float(self.lambdas @ features)  # (2), but for two features
                estimate = score + self._lm * self.language.read((), target)[0]
                some.append(TranslationOption(target, features, score, estimate))
            some.sort(key=lambda option: -option.estimate)
            self._options[phrase] = some[: self.options]
        return self._options[phrase]

    def stacks(self, source: Sequence[str]) -> list[Stack]:
        """All hypotheses that were kept, by how many words they have translated."""
        words = as_words(source)
        if not words:
            raise ValueError("the source has no words: expected at least one")
        spans = self._spans(words)
        rest = self.rest(spans)
        stacks = [Stack(self.beam) for _ in range(len(words) + 1)]
        start = self.language.start
        stacks[0][0, start, 0] = Hypothesis(0, start, 0, 0.0, rest(0))
        for stack in stacks[:-1]:
            for hypothesis in self.survivors(stack):
                self.expand(hypothesis, spans, rest, stacks)
        return stacks

    def survivors(self, stack: Stack) -> list[Hypothesis]:
        """The hypotheses of a stack that are expanded, the best first."""
        return heapq.nlargest(self.beam, stack.values(), key=lambda each: each.total)

    def expand(
        self,
        before: Hypothesis,
        spans: Spans,
        rest: Callable[[int], float],
        stacks: list[Stack],
    ) -> None:
        """Append every phrase that may come next; put the results on their stacks.

        spans  for each word: (end, bits, options) of the phrases that begin there
        rest   covered → the future cost of all words that are not
        """
        covered, state, at = before.covered, before.state, before.at
        gap = (~covered & (covered + 1)).bit_length() - 1  # the first word left out
        limit = len(spans) if self.distortion_limit is None else self.distortion_limit
        for start in range(max(gap, at - limit), min(len(spans), at + limit + 1)):
            base = before.score - self._jump * abs(start - at)  # (3)
            for end, bits, options in spans[start]:
                if covered & bits or (start > gap and end - gap > limit):
                    break  # and so do all longer ones
                now = covered | bits
                stack, future = stacks[now.bit_count()], rest(now)
                for option in options:
                    p, after = option.after.get(state) or self._read(option, state)
                    score = base + option.score + p  # (2)
                    edge = score, before, option, start
                    stack.add(now, after, end, score, future, edge)

    def _read(self, option: TranslationOption, state: State) -> tuple[float, State]:
        p, after = self.language.read(state, option.target)
        option.after[state] = self._lm * p, after
        return option.after[state]

    def _spans(self, words: Words) -> Spans:
        """For each word: (end, bits, options) of the phrases that begin there."""
        S, longest, spans = len(words), max(1, self.table.max_length), []
        for i in range(S):
            ends = range(i + 1, min(S, i + longest) + 1)
            row = [
                (j, (1 << j) - (1 << i), self.translation_options(words[i:j]))
                for j in ends
            ]
            spans.append([each for each in row if each[2]])
        return spans

    def rest(self, spans: Spans) -> Callable[[int], float]:
        """covered → the future cost of all words that are not: the sum over gaps."""
        S = len(spans)
        best = np.full((S, S + 1), -np.inf)
        for i, row in enumerate(spans):
            for j, _, options in row:
                best[i, j] = options[0].estimate
        future = future_cost(best).tolist()
        return cache(lambda covered: sum(future[i][j] for i, j in gaps(covered, S)))

    def _goal(self, stack: Stack) -> Hypothesis:
        """The end of the sentence, to which all whole translations lead."""
        goal = Hypothesis(0, (), 0, -math.inf, 0.0)
        nothing = TranslationOption((), np.zeros(len(FEATURES)))
        for each in stack.values():
            score = each.score + self._lm * self.language.step(each.state, END)[0]
            goal.edges.append((score, each, nothing, 0))
            goal.score = max(goal.score, score)
        return goal

    def _translation(
        self, words: Words, score: float, edges: Sequence[Edge]
    ) -> Translation:
        """The translation of a path, with its features."""
        features, at, phrases = np.zeros(len(FEATURES)), 0, []
        for (_, _, option, start), after in pairwise(edges):
            end = after[1].at
            features += option.features
            features[5] -= abs(start - at)
            phrases.append((start, end, option.target))
            at = end
        features[4] = self.language.read(self.language.start, (*words, END))[0]
        return Translation(words, score, features, tuple(phrases))


def gaps(covered: int, S: int) -> Iterator[tuple[int, int]]:
    """The spans of words that are not covered: (first, after the last)."""
    i = 0
    while i < S:
        j = i
        while j < S and not covered >> j & 1:
            j += 1
        if j > i:
            yield i, j
        i = j + 1


def k_best(goal: Hypothesis) -> Iterator[tuple[float, tuple[Edge, ...]]]:
    """All paths to the goal, the best first: the score, and the edges from the start.

    The search begins at the goal and goes backwards. It knows exactly what the best
    path to each hypothesis scores.
    """
    order = count()
    queue: list[tuple[float, int, tuple[Edge, ...]]] = []
    for edge in goal.edges:
        heapq.heappush(queue, (-edge[0], next(order), (edge,)))
    while queue:
        cost, _, edges = heapq.heappop(queue)
        before = edges[0][1]
        if not before.edges:
            yield -cost, edges
        for edge in before.edges:
            worse = cost + before.score - edge[0]
            heapq.heappush(queue, (worse, next(order), (edge, *edges)))
