"""Statistical machine translation: the best translation by phrases, found with stacks.

A translation is built from left to right. Each step takes a phrase of the source that
is not translated yet and appends one of its translations. A translation of a part of
the source is a hypothesis; hypotheses that cover equally many words compete in one
stack. A log-linear model scores them. Koehn, Och and Marcu 2003 (the model), Koehn
2004 (stacks, recombination, future cost), Och 2003 (minimum error rate training, at the
end of this module). The numbers of equations are those of the chapter.
"""

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from itertools import count, islice, pairwise
from typing import NamedTuple, Protocol, Self

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.checks import whole
from lookback.ngram import END, START, NgramModel, as_words
from lookback.phrases import SCORES, Option

__all__ = [
    "FEATURES",
    "WEIGHTS",
    "Choice",
    "Hypothesis",
    "LanguageModel",
    "Stack",
    "StackDecoder",
    "Table",
    "Translation",
    "bleu_counts",
    "future_cost",
    "line_search",
    "score",
    "tune",
]

FEATURES = (*SCORES, "language model", "distortion", "words", "phrases")
"""What is weighed: four logarithms of each phrase pair, that of the language model,
minus the words jumped over, and how many words and phrases are written."""
WEIGHTS = dict(zip(FEATURES, (0.2, 0.2, 0.2, 0.2, 0.5, 0.3, 0.3, 0.1), strict=True))
"""Where tuning begins."""
NEVER = -16.0  # log P of a word that the language model has never read
ORDERS = 4  # BLEU counts n-grams up to that length
FEWEST = 1e-9  # narrower intervals of a weight, and smaller differences, are ignored

Words = tuple[str, ...]
State = tuple[str, ...]
Numbers = NDArray[np.float64]
Spans = list[list[tuple[int, int, list["Choice"]]]]


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
            self._cache[key] = (math.log(p) if p else NEVER, after)
        return self._cache[key]

    def read(self, state: State, words: Sequence[str]) -> tuple[float, State]:
        """The same for several words."""
        total = 0.0
        for word in words:
            p, state = self.step(state, word)
            total += p
        return total, state


@dataclass(slots=True, eq=False)
class Choice:
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


Arc = tuple[float, "Hypothesis", Choice, int]


@dataclass(slots=True, eq=False)
class Hypothesis:
    """A translation of a part of the source, after recombination.

    Partial translations that can be continued in the same way are one hypothesis, which
    has an arc for each of them.

    covered  bit i: word i of the source is translated
    state    of the language model
    at       where the last phrase ends
    total    the best arc's score, plus the future cost of the words not covered
    arcs     (score, the hypothesis before, the choice, where its phrase begins)
    """

    covered: int
    state: State
    at: int
    score: float
    total: float
    arcs: list[Arc] = field(default_factory=list)


class Stack(dict[tuple[int, State, int], Hypothesis]):
    """Hypotheses that cover equally many words, by what decides how they can go on.

    best  the totals of the `beam` best, a heap; what is below them all is dropped
    """

    def __init__(self, beam: int) -> None:
        self.best = [-math.inf] * beam

    def add(
        self, covered: int, state: State, at: int, score: float, rest: float, arc: Arc
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
        found.arcs.append(arc)


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
    if best.ndim != 2 or best.shape[1] != best.shape[0] + 1:
        raise ValueError(f"best has shape {best.shape}: expected (S, S + 1)")
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
    future   False: hypotheses are compared by their scores alone, without future cost

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
        future: bool = True,
    ) -> None:
        whole(1, beam=beam, options=options)
        if distortion_limit is not None:
            whole(0, distortion_limit=distortion_limit)
        self.table, self.language = table, LanguageModel(language)
        self.beam, self.options, self.future = beam, options, future
        self.distortion_limit = distortion_limit
        self._weigh(weights)

    def _weigh(self, weights: Mapping[str, float]) -> None:
        for name in weights:
            if name not in FEATURES:
                raise ValueError(f"there is no feature {name!r}: there is {FEATURES}")
            if not math.isfinite(weights[name]):
                raise ValueError(f"the weight of {name!r} is {weights[name]}")
        self.weights = dict(weights)
        self.lambdas = np.array([weights.get(name, 0.0) for name in FEATURES])
        self._lm, self._jump = self.lambdas[4:6].tolist()
        self._picked: dict[Words, list[Choice]] = {}

    def with_weights(self, weights: Mapping[str, float]) -> Self:
        """The same decoder with other weights."""
        decoder = copy(self)
        decoder._weigh(weights)
        return decoder

    def translate(self, source: Sequence[str]) -> list[str]:
        """The words of the best translation."""
        return list(self.n_best(source, 1)[0].words)

    def n_best(self, source: Sequence[str], n: int) -> list[Translation]:
        """The n best translations whose words differ, the best first; maybe fewer.

        Raises ValueError for a source without words.
        """
        whole(n=n)
        goal = self._goal(self.stacks(source, ways=n > 1)[-1])
        found = dict[Words, Translation]()
        for score, arcs in islice(paths(goal), 20 * n):
            words = tuple(w for _, _, choice, _ in arcs for w in choice.target)
            if words not in found:
                found[words] = self._translation(words, score, arcs)
                if len(found) == n:
                    break
        return list(found.values())

    # --- the search ------------------------------------------------------------------

    def choices(self, phrase: Words) -> list[Choice]:
        """The best translations of a phrase by themselves, picked once."""
        if phrase not in self._picked:
            found = self.table.options(phrase)
            if not found and len(phrase) == 1:  # an unknown word is copied
                found = (Option(phrase, (0.0,) * len(SCORES)),)
            some = []
            for target, scores in found:
                features = np.array([*scores, 0.0, 0.0, len(target), 1.0])
                score = float(self.lambdas @ features)  # (2), but for two features
                p, _ = self.language.read((), target)
                some.append(Choice(target, features, score, score + self._lm * p))
            some.sort(key=lambda choice: -choice.estimate)
            self._picked[phrase] = some[: self.options]
        return self._picked[phrase]

    def stacks(self, source: Sequence[str], *, ways: bool = True) -> list[Stack]:
        """All hypotheses that were kept, by how many words they have translated.

        ways  False: only the best way to each is needed, and others may be lost
        """
        ways = ways or self._lm < 0
        words = as_words(source)
        if not words:
            raise ValueError("the source has no words: expected at least one")
        spans = self._spans(words)
        rest = self._rest(spans)
        stacks = [Stack(self.beam) for _ in range(len(words) + 1)]
        start = self.language.start
        stacks[0][0, start, 0] = Hypothesis(0, start, 0, 0.0, rest(0))
        for stack in stacks[:-1]:
            for hypothesis in self.survivors(stack):
                self.expand(hypothesis, spans, rest, stacks, ways)
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
        ways: bool,
    ) -> None:
        """Append every phrase that may come next; put the results on their stacks.

        spans  for each word: (end, bits, choices) of the phrases that begin there
        rest   covered → the future cost of all words that are not
        ways   False: what is too bad for its stack is dropped before the language model
               is read, which adds a logarithm that is never above 0
        """
        covered, state, at = before.covered, before.state, before.at
        gap = (~covered & (covered + 1)).bit_length() - 1  # the first word left out
        limit = len(spans) if self.distortion_limit is None else self.distortion_limit
        for start in range(max(gap, at - limit), min(len(spans), at + limit + 1)):
            base = before.score - self._jump * abs(start - at)  # (3)
            for end, bits, choices in spans[start]:
                if covered & bits or (start > gap and end - gap > limit):
                    break  # and so do all longer ones
                now = covered | bits
                stack, future = stacks[now.bit_count()], rest(now)
                least = stack.best[0] - base - future if not ways else -math.inf
                for choice in choices:
                    if choice.score >= least:
                        p, after = choice.after.get(state) or self._read(choice, state)
                        score = base + choice.score + p  # (2)
                        arc = score, before, choice, start
                        stack.add(now, after, end, score, future, arc)

    def _goal(self, stack: Stack) -> Hypothesis:
        """The end of the sentence, to which all whole translations lead."""
        goal = Hypothesis(0, (), 0, -math.inf, 0.0)
        for each in stack.values():
            score = each.score + self._lm * self.language.step(each.state, END)[0]
            goal.arcs.append((score, each, NOTHING, 0))
            goal.score = max(goal.score, score)
        return goal

    def _read(self, choice: Choice, state: State) -> tuple[float, State]:
        p, after = self.language.read(state, choice.target)
        choice.after[state] = self._lm * p, after
        return choice.after[state]

    def _spans(self, words: Words) -> Spans:
        """For each word: (end, bits, choices) of the phrases that begin there."""
        S, longest = len(words), max(1, self.table.max_length)
        spans = []
        for i in range(S):
            ends = range(i + 1, min(S, i + longest) + 1)
            row = [(j, (1 << j) - (1 << i), self.choices(words[i:j])) for j in ends]
            spans.append([each for each in row if each[2]])
        return spans

    def _rest(self, spans: Spans) -> Callable[[int], float]:
        """covered → the future cost of all words that are not: the sum over gaps."""
        S = len(spans)
        best = np.full((S, S + 1), -np.inf)
        for i, row in enumerate(spans):
            for j, _, choices in row:
                best[i, j] = choices[0].estimate
        future = future_cost(best).tolist()
        if not self.future:
            return lambda covered: 0.0
        return cache(lambda covered: sum(future[i][j] for i, j in gaps(covered, S)))

    def _translation(
        self, words: Words, score: float, arcs: Sequence[Arc]
    ) -> Translation:
        """The translation of a path, with its features."""
        features, at, phrases = np.zeros(len(FEATURES)), 0, []
        for (_, _, choice, start), after in pairwise(arcs):
            end = after[1].at
            features += choice.features
            features[5] -= abs(start - at)
            phrases.append((start, end, choice.target))
            at = end
        features[4] = self.language.read(self.language.start, (*words, END))[0]
        return Translation(words, score, features, tuple(phrases))


NOTHING = Choice((), np.zeros(len(FEATURES)))


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


def paths(goal: Hypothesis) -> Iterator[tuple[float, tuple[Arc, ...]]]:
    """All ways to the goal, the best first: the score, and the arcs from the start.

    The search begins at the goal and goes backwards. It knows exactly what the best way
    to each hypothesis scores.
    """
    order = count()
    queue: list[tuple[float, int, tuple[Arc, ...]]] = []
    for arc in goal.arcs:
        heapq.heappush(queue, (-arc[0], next(order), (arc,)))
    while queue:
        cost, _, arcs = heapq.heappop(queue)
        before = arcs[0][1]
        if not before.arcs:
            yield -cost, arcs
        for arc in before.arcs:
            worse = cost + before.score - arc[0]
            heapq.heappush(queue, (worse, next(order), (arc, *arcs)))


# --- tuning --------------------------------------------------------------------------


class Tuned(NamedTuple):
    """The tuned weights, and how each round of tuning went.

    weights  those with which the decoder itself had the highest BLEU
    rounds   (BLEU of the decoder with the weights that the round began with, the BLEU
             that the line searches reached on all lists, candidates in all lists)
    """

    weights: dict[str, float]
    rounds: tuple[tuple[float, float, int], ...]


def bleu_counts(words: Sequence[str], reference: Sequence[str]) -> Numbers:
    """What BLEU adds up over sentences: (10,).   Papineni et al. 2002.

    Words written and wanted; n-grams that are right for n = 1 … 4; n-grams written.
    """
    right, written = [], []
    for n in range(1, ORDERS + 1):
        ours, theirs = (
            Counter(zip(*[side[k:] for k in range(n)], strict=False))
            for side in (words, reference)
        )
        right.append((ours & theirs).total())
        written.append(ours.total())
    return np.array([len(words), len(reference), *right, *written], float)


def score(counts: Numbers) -> Numbers:
    """BLEU, 0 to 100, of summed counts (…, 10): (…). It is 0 if no 4-gram is right."""
    right, written = counts[..., 2 : 2 + ORDERS], counts[..., 2 + ORDERS :]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision: Numbers = np.log(right / written.clip(1)).mean(axis=-1)
        brevity = np.minimum(0, 1 - counts[..., 1] / counts[..., 0])
    return 100 * np.exp(precision) * np.exp(brevity)


def line_search(
    scores: Numbers, slopes: Numbers, counts: Numbers
) -> tuple[float, float]:
    """The best γ if candidate k of sentence n scores scores + γ slopes.   Och 2003.

    scores (N, K), -inf for no candidate;  slopes (N, K);  counts (N, K, 10) of BLEU
    →  γ, the middle of the best interval, and the BLEU there. It is exact: the winner
    of a sentence changes only where two lines cross.
    """
    rows = np.arange(len(scores))
    there = np.isfinite(scores)
    flat = np.where(there, slopes, np.inf)
    least = flat.min(axis=1, keepdims=True)
    now = np.where(flat == least, scores, -np.inf).argmax(axis=1)  # at γ = -∞
    total = counts[rows, now].sum(axis=0)
    where, change = [], []
    while len(rows):
        a, b = scores[rows], np.where(there[rows], slopes[rows], -np.inf)
        own = np.arange(len(rows)), now[rows]
        steeper = b > b[own][:, None]
        apart = np.where(steeper, b - b[own][:, None], 1)
        meet = np.where(steeper, (a[own][:, None] - a) / apart, np.inf)
        first = meet.min(axis=1)
        # of lines that meet in one point, the steepest goes on
        then = np.where(meet == first[:, None], b, -np.inf).argmax(axis=1)
        on = np.isfinite(first)
        rows, then = rows[on], then[on]
        where.append(first[on])
        change.append(counts[rows, then] - counts[rows, now[rows]])
        now[rows] = then
    at, steps = np.concatenate(where), np.concatenate(change)
    order = at.argsort(kind="stable")
    at = at[order]
    found = score(total + np.cumsum([0 * total, *steps[order]], axis=0))
    if not len(at):
        return 0.0, float(found[0])
    ends = np.array([at[0] - 2, *at, at[-1] + 2])
    middles, widths = (ends[1:] + ends[:-1]) / 2, np.diff(ends)
    found = np.where(widths > FEWEST, found, -1)
    best = np.flatnonzero(found >= found.max() - FEWEST)
    k = best[np.abs(middles[best]).argmin()]
    return float(middles[k]), float(found[k])


Candidates = dict[tuple[Words, bytes], tuple[Numbers, Numbers]]
"""Of one sentence: words and rounded features → features, counts of BLEU."""


def arrays(lists: Sequence[Candidates]) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """features (N, K, F), counts (N, K, 10), and where there is a candidate."""
    N, K = len(lists), max(map(len, lists))
    features, counts = np.zeros((N, K, len(FEATURES))), np.zeros((N, K, 2 + 2 * ORDERS))
    there = np.zeros((N, K), bool)
    for n, candidates in enumerate(lists):
        for k, (h, bleu) in enumerate(candidates.values()):
            features[n, k], counts[n, k], there[n, k] = h, bleu, True
    return features, counts, there


def optimum(
    lambdas: Numbers, features: Numbers, counts: Numbers, there: NDArray[np.bool_]
) -> tuple[Numbers, float]:
    """Line searches along one weight after another, until none gains: λ and BLEU."""
    lambdas, best = lambdas.copy(), -1.0
    while True:
        before = best
        for k in range(len(lambdas)):
            scores = np.where(there, features @ lambdas, -np.inf)
            step, found = line_search(scores, features[..., k], counts)
            if found > best + 1e-6:
                lambdas[k], best = lambdas[k] + step, found
        if best < before + 0.01:
            return lambdas, best


def tune(
    decoder: StackDecoder,
    pairs: Sequence[tuple[Sequence[str], Sequence[str]]],
    *,
    generator: torch.Generator,
    rounds: int = 5,
    n: int = 100,
    starts: int = 5,
) -> Tuned:
    """Weights that raise BLEU on held-out pairs.   Och 2003.

    Each round translates them all with n-best lists, adds these to all lists so far,
    and climbs by exact line searches from the weights and from random others.

    pairs      (source, reference), not those that the table was made of
    generator  draws the other starts
    Raises ValueError for no pairs.
    """
    whole(rounds=rounds, n=n, starts=starts)
    if not pairs:
        raise ValueError("expected pairs to tune on, got none")
    lists: list[Candidates] = [{} for _ in pairs]
    lambdas, tried, found = decoder.lambdas, [], []
    for _ in range(rounds):
        decoder = decoder.with_weights(_named(lambdas))
        best = []
        for candidates, (source, reference) in zip(lists, pairs, strict=True):
            some = decoder.n_best(source, n)
            best.append(bleu_counts(some[0].words, reference))
            for one in some:
                key = one.words, one.features.round(6).tobytes()
                candidates[key] = one.features, bleu_counts(one.words, reference)
        own = float(score(np.sum(best, axis=0)))
        features, counts, there = arrays(lists)
        others = torch.rand(starts - 1, len(FEATURES), generator=generator).numpy()
        climbs = [
            optimum(start, features, counts, there) for start in (lambdas, *others)
        ]
        tried.append(lambdas)
        lambdas, promised = max(climbs, key=lambda climb: climb[1])
        lambdas = lambdas / np.abs(lambdas).sum()
        found.append((own, promised, int(there.sum())))
    best_round = max(range(rounds), key=lambda k: found[k][0])
    return Tuned(_named(tried[best_round]), tuple(found))


def _named(lambdas: Numbers) -> dict[str, float]:
    return dict(zip(FEATURES, lambdas.tolist(), strict=True))
