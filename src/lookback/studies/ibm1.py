"""Alignments of Model 1 and of rivals: how good, and where order is what is missing."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from lookback.hmm_alignment import HMMAlignment
from lookback.ibm1 import IBMModel1, Numbers, Words
from lookback.measure import alignment_error_rate, alignment_error_rate_interval
from lookback.measure.alignment import alignment_counts, rate
from lookback.measure.bootstrap import paired_bootstrap
from lookback.text.corpora import grammar
from lookback.text.corpus import Pair, PairCorpus
from lookback.trainer import seeds
from lookback.trainer.study import Experiment, Row, Study

Link = tuple[int, int]
Links = list[set[Link]]

ITERATIONS = (0, 1, 2, 3, 4, 5, 6, 8, 12)
TENSIONS = (4, 8, 16, 32, 64)
THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4)  # scores up to which Dice draws no link
SHOWN = (1, 2, 8)  # iterations whose posteriors are drawn
APART = ("Model 1, one iteration", "Dice coefficient", "Model 1, near the diagonal")


class Diagonal(IBMModel1):
    """Model 1 whose picks prefer the diagonal.   Dyer, Chahuneau and Smith 2013.

    tension  how much: P(a_j = i) ∝ exp(-tension |i / S - j / T|)
    empty    the probability of the empty word
    """

    def __init__(self, tension: float, empty: float = 0.08) -> None:
        super().__init__()
        self.tension, self.empty = tension, empty

    def prior(self, S: int, T: int) -> Numbers:
        i, j = np.arange(1, S + 1), np.arange(1, T + 1)[:, None]
        near = np.exp(-self.tension * abs(i / S - j / T))
        near *= (1 - self.empty) / near.sum(axis=1, keepdims=True)
        return np.hstack([np.full((T, 1), self.empty), near])


class Dice:
    """2 c(e, f) / (c(e) + c(f)), by pairs of sentences that hold the words."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.e = Counter(word for p in pairs for word in {*p.source})
        self.f = Counter(word for p in pairs for word in {*p.target})
        both = ((e, f) for p in pairs for e in {*p.source} for f in {*p.target})
        self.both = Counter(both)

    def score(self, e: str, f: str) -> float:
        c = self.both[e, f]
        return 2 * c / (self.e[e] + self.f[f]) if c else 0.0

    def align(self, source: Words, target: Words, above: float = 0) -> set[Link]:
        """Each target word with the word of the highest score, the leftmost of them,
        if that score is above a threshold."""
        links = set()
        for j, f in enumerate(target):
            scores = [self.score(e, f) for e in source]
            if max(scores) > above:
                links.add((int(np.argmax(scores)), j))
        return links


def drawn(model: IBMModel1 | Dice, pairs: Sequence[Pair]) -> Links:
    return [model.align(p.source, p.target) for p in pairs]


def error(links: Links, pairs: Sequence[Pair]) -> float:
    return alignment_error_rate(links, [p.sure for p in pairs], possible(pairs))


def possible(pairs: Sequence[Pair]) -> list[frozenset[Link]]:
    return [p.possible for p in pairs]


def scores(links: Links, pairs: Sequence[Pair]) -> Row:
    """The alignment error rate with its interval; precision and recall."""
    sure = [p.sure for p in pairs]
    found = alignment_error_rate_interval(
        links, sure, possible(pairs), generator=seeds.generator(1993)
    )
    A, S = sum(map(len, links)), sum(map(len, sure))
    right = sum(len(a & p.possible) for a, p in zip(links, pairs, strict=True))
    sure_found = sum(len(a & p.sure) for a, p in zip(links, pairs, strict=True))
    row: Row = {"AER": found.value, "low": found.low, "high": found.high}
    return row | {"precision": right / A, "recall": sure_found / S}


def apart(links: Links, other: Links, pairs: Sequence[Pair]) -> list[float]:
    """The error rate of `links` less that of `other`, and its paired interval."""
    gold = [p.sure for p in pairs], possible(pairs)
    found = paired_bootstrap(
        rate,
        alignment_counts(links, *gold),
        alignment_counts(other, *gold),
        generator=seeds.generator(1993),
    )
    return [found.value, found.low, found.high]


def compared(pairs: int) -> Row:
    """Iterations and tension by validation; then every system on test."""
    text = grammar(pairs=pairs)
    train, held, test = text.train, text.validation, text.test
    fits = {n: IBMModel1().fit(train, n) for n in ITERATIONS}
    by_n = {n: error(drawn(model, held), held) for n, model in fits.items()}
    best = min(by_n, key=by_n.__getitem__)
    tried = {
        tension: error(drawn(Diagonal(tension).fit(train, best), held), held)
        for tension in TENSIONS
    }
    tension = min(tried, key=tried.__getitem__)
    dice = Dice(train)
    cautious = {
        str(above): error([dice.align(p.source, p.target, above) for p in held], held)
        for above in THRESHOLDS
    }
    links = {
        "Model 1, one iteration": drawn(fits[1], test),
        "Dice coefficient": drawn(dice, test),
        "Model 1": drawn(fits[best], test),
    }
    back = IBMModel1().fit([(p.target, p.source) for p in train], best)
    links["French to English"] = [
        {(i, j) for j, i in back.align(p.target, p.source)} for p in test
    ]
    both = zip(links["Model 1"], links["French to English"], strict=True)
    links["both directions agree"] = [a & b for a, b in both]
    near = "Model 1, near the diagonal"
    links[near] = drawn(Diagonal(tension).fit(train, best), test)
    level = drawn(Diagonal(0).fit(train, best), test)
    it = fits[best].translations("it")
    return {
        "pairs": len(train),
        "bits": likelihoods(train),
        "best": best,
        "validation": list(by_n.values()),
        "tension": tension,
        "Dice, thresholds, validation": cautious,
        "systems": {name: scores(found, test) for name, found in links.items()},
        "apart": {
            name: apart(links["Model 1"], links[name], test) for name in APART
        },
        "ambiguous": {
            "Model 1": ambiguous(links["Model 1"], test),
            "its empty word as near the diagonal": ambiguous(level, test),
            near: ambiguous(links[near], test),
        },
        "it": {f: p for f, p in it if f in ("il", "elle")},
        **maps(fits, best, text),
    }  # fmt: skip


def likelihoods(train: Sequence[Pair]) -> list[float]:
    """Bits for each target word, before the first iteration and after each."""
    long = IBMModel1().fit(train, ITERATIONS[-1])
    words = sum(len(p.target) for p in train)
    bits: list[float] = (-np.array(long.log_likelihood) / words / np.log(2)).tolist()
    return bits


def ambiguous(links: Links, pairs: Sequence[Pair]) -> Row:
    """The error rate of links to source words that their sentence has twice, and of
    all other links."""

    def only(repeated: bool, some: Iterable[Link], source: Sequence[str]) -> set[Link]:
        return {(i, j) for i, j in some if (source.count(source[i]) > 1) == repeated}

    row: Row = {}
    for name, repeated in (("twice", True), ("once", False)):
        found, sure, may = (
            [
                only(repeated, some, pair.source)
                for some, pair in zip(every, pairs, strict=True)
            ]
            for every in (links, [p.sure for p in pairs], possible(pairs))
        )
        rate = alignment_error_rate_interval(
            found, sure, may, generator=seeds.generator(1993)
        )
        row[name] = [rate.value, rate.low, rate.high, sum(map(len, sure))]
    return row


def turns(pair: Pair, words: int) -> bool:
    """Whether `words` words in a row come out in reverse order."""
    goes = dict(pair.sure)
    runs = ([goes.get(i + k, -99) + k for k in range(words)] for i in goes)
    return any(len(set(run)) == 1 for run in runs)


def maps(fits: Mapping[int, IBMModel1], best: int, text: PairCorpus) -> Row:
    """Posteriors of a short sentence by iterations, and of one with a word twice."""
    short = (p for p in text.test if len(p.source) == 7 and turns(p, 2))
    twice = (p for p in text.test if len(p.source) < 13 and p.source.count("the") == 2)
    shortest = min(text.test, key=lambda pair: len(pair.source))  # of a few pairs
    one, other = next(short, shortest), next(twice, shortest)
    by_n = {str(n): posterior(fits[n], one) for n in SHOWN}
    return {
        "short": {**described(one), "posteriors": by_n},
        "twice": {**described(other), "posterior": posterior(fits[best], other)},
    }


def described(pair: Pair) -> Row:
    return {
        "source": list(pair.source),
        "target": list(pair.target),
        "sure": sorted(map(list, pair.sure)),
        "possible": sorted(map(list, pair.possible)),
    }


def posterior(model: IBMModel1 | HMMAlignment, pair: Pair) -> list[list[float]]:
    rows: list[list[float]] = model.posterior(pair.source, pair.target).tolist()
    return rows


STUDY = Study(
    "alignments of Model 1 and of rivals on the grammar",
    {"compared": Experiment(compared, [{"pairs": 6250}], smoke={"pairs": 300})},
)
