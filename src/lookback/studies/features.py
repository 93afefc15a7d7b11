"""Hand-made features on English EWT: template by template, by data, and how sure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.features import (
    TEMPLATES,
    FeatureTagger,
    LinearModel,
    LinearSVM,
    NaiveBayes,
)
from lookback.measure import accuracy, bootstrap, tag_counts, unknown_accuracy
from lookback.text.corpora import Tagged, TaggedCorpus, grammar, tagged
from lookback.workshop import Data, Row, Study, corpus, seeds

Array = NDArray[np.float64]

NAMES = tuple(TEMPLATES)
GROUPS = {
    "the word": NAMES[:1],
    "+ its spelling": NAMES[:9],
    "+ its neighbours": NAMES[:13],
    "+ pairs": NAMES,
}
"""Templates, more and more of them."""
SENTENCES = (50, 200, 800, 3200, 12544)
COSTS = (0.03, 0.3)
ALPHAS = (0.03, 0.3, 1.0)
"""Others than those of the tables, 0.1 each."""
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)
TEMPERATURES = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0)
SHOWN = 0
"""The test sentence that the page shows: the first."""


@dataclass(frozen=True)
class Features:
    """A linear model of hand-made features, read in the order of a seed."""

    model: str
    templates: tuple[str, ...] = NAMES
    alpha: float = 0.1
    C: float = 0.1
    epochs: int = 5
    seed: int = 0

    def made(self) -> LinearModel:
        """The model, before it has learned."""
        if self.model == "Naive Bayes":
            return NaiveBayes(self.alpha)
        return LinearSVM(self.C, epochs=self.epochs)

    def learn(self, text: TaggedCorpus) -> FeatureTagger:
        """The tagger of all of train."""
        return self.fit(text.train)

    def fit(self, sentences: Sequence[Tagged]) -> FeatureTagger:
        """The tagger of these sentences."""
        return FeatureTagger(self.made(), self.templates).fit(
            [sentence.words for sentence in sentences],
            [sentence.tags for sentence in sentences],
            seeds.generator(self.seed),
        )


@dataclass(frozen=True)
class MostFrequent:
    """The tag that a word had most often; for an unknown word, that of most words."""

    def learn(self, text: TaggedCorpus) -> "Lexicon":
        """The tags of train."""
        return Lexicon(text.train)


class Lexicon:
    """The most frequent tag of each word. Of equals, the first in the alphabet."""

    def __init__(self, sentences: Sequence[Tagged]) -> None:
        counts = dict[str, Counter[str]]()
        for sentence in sentences:
            for word, tag in zip(*sentence, strict=True):
                counts.setdefault(word, Counter())[tag] += 1
        self.tags = {word: most_frequent(found) for word, found in counts.items()}
        self.other = most_frequent(Counter(self.tags.values()))

    @property
    def parameters(self) -> int:
        return len(self.tags) + 1

    def tag(self, sentences: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        """The tag of each word, whatever stands around it."""
        return [tuple(self.tags.get(w, self.other) for w in words)
                for words in sentences]  # fmt: skip


def most_frequent(counts: Counter[str]) -> str:
    return min(counts, key=lambda tag: (-counts[tag], tag))


TAGGERS: dict[str, MostFrequent | Features] = {
    "most frequent tag": MostFrequent(),
    "Naive Bayes": Features("Naive Bayes"),
    "linear SVM": Features("linear SVM"),
}
"""What the running table of taggers lists of this chapter."""


@dataclass(frozen=True)
class Score:
    """A tagger's accuracy; `sentences` of train, or all."""

    tagger: Features
    sentences: int | None = None


@dataclass(frozen=True)
class Sureness:
    """How sure a Naive Bayes tagger is, and how often it is right."""

    tagger: Features


@dataclass(frozen=True)
class Grammar:
    """A tagger of our own grammar, where the tags are nearly a function of the word."""

    tagger: Features
    pairs: int


@dataclass(frozen=True)
class Shown:
    """What taggers say of one test sentence, and the weights that decide a word."""

    sentence: int


Case = Score | Sureness | Grammar | Shown


def ewt() -> TaggedCorpus:
    """English EWT; `DataError` where there is no copy."""
    text = corpus(Data("english_ewt"))
    assert isinstance(text, TaggedCorpus)
    return text


def words_of(sentences: Sequence[Tagged]) -> list[tuple[str, ...]]:
    return [sentence.words for sentence in sentences]


def tags_of(sentences: Sequence[Tagged]) -> list[tuple[str, ...]]:
    return [sentence.tags for sentence in sentences]


def score(case: Score, text: TaggedCorpus) -> Row:
    """Accuracy on validation and on test, with intervals; known is what was read."""
    read = text.train if case.sentences is None else some(text.train, case.sentences)
    tagger = case.tagger.fit(read)
    known = {word for sentence in read for word in sentence.words}
    row: Row = {"features": len(tagger.model.columns)}
    for split in ("validation", "test"):
        held = text.split(split)
        guessed = tagger.tag(words_of(held))
        counts = tag_counts(words_of(held), tags_of(held), guessed, known)
        for name, measure in (("", accuracy), (" unknown", unknown_accuracy)):
            found = bootstrap(measure, counts, generator=seeds.generator(0))
            ends = (found.value, found.low, found.high)
            row[split + name] = [round(n, 3) for n in ends]
    return row


def some(sentences: Sequence[Tagged], many: int) -> list[Tagged]:
    """So many sentences, drawn without repetition by seed 0."""
    order = torch.randperm(len(sentences), generator=seeds.generator(0))
    return [sentences[i] for i in order[:many].tolist()]


def sureness(case: Sureness, text: TaggedCorpus) -> Row:
    """Bins of confidence on test, before and after dividing by a temperature.

    The temperature makes the validation tags likeliest; it changes no answer.
    """
    tagger = case.tagger.learn(text)
    found = {s: judged(tagger, text.split(s)) for s in ("validation", "test")}
    scores, gold = found["validation"]
    costs = [cross_entropy(scores / T, gold) for T in TEMPERATURES]
    T = TEMPERATURES[int(np.argmin(costs))]
    row: Row = {"temperature": T, "costs": [round(cost, 4) for cost in costs]}
    scores, gold = found["test"]
    for name, divisor in (("as counted", 1.0), ("cooled", T)):
        row[name] = calibration(scores / divisor, gold)
    return row


def judged(
    tagger: FeatureTagger, sentences: Sequence[Tagged]
) -> tuple[Array, NDArray[np.int64]]:
    """The scores (N, C) of all words, and their right classes (N,); -1 is none."""
    model = tagger.model
    place = {tag: c for c, tag in enumerate(model.classes)}
    gold = [place.get(tag, -1) for tags in tags_of(sentences) for tag in tags]
    return model.scores(tagger.rows(words_of(sentences))), np.array(gold)


def log_softmax(scores: Array) -> Array:
    return np.asarray(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))


def cross_entropy(scores: Array, gold: NDArray[np.int64]) -> float:
    """Mean of -ln P(right class)."""
    return float(-log_softmax(scores)[np.arange(len(gold)), gold].mean())


def calibration(scores: Array, gold: NDArray[np.int64]) -> Row:
    """How sure, how often right: in bins, on average, and where it was wrong."""
    p = np.exp(log_softmax(scores))
    sure, right = p.max(axis=1), p.argmax(axis=1) == gold
    bins = []
    for low, high in pairwise(EDGES):
        inside = (sure >= low) & ((sure < high) | (high == 1))
        if inside.any():
            both = [float(sure[inside].mean()), float(right[inside].mean())]
            bins.append([int(inside.sum()), *(round(n, 4) for n in both)])
    gaps = [n * abs(confidence - share) for n, confidence, share in bins]
    return {
        "bins": bins,
        "confidence": round(float(sure.mean()), 4),
        "accuracy": round(float(right.mean()), 4),
        "calibration error": round(sum(gaps) / len(gold), 4),
        "confidence when wrong": round(float(sure[~right].mean()), 4),
        "wrong and above .99": round(float((sure[~right] > 0.99).mean()), 4),
        "cross-entropy": round(cross_entropy(scores, gold), 4),
    }


def on_grammar(case: Grammar) -> Row:
    """The accuracy on the test of the grammar."""
    text = grammar(case.pairs)
    tagger = case.tagger.fit(tagged(text.train))
    held = tagged(text.test)
    guessed = tagger.tag(words_of(held))
    counts = tag_counts(words_of(held), tags_of(held), guessed, ())
    return {"test": round(accuracy(counts.sum(axis=0)), 3)}


def shown(case: Shown, text: TaggedCorpus) -> Row:
    """Word by word: the right tag, what each tagger says, how sure Naive Bayes is."""
    sentence = text.test[case.sentence]
    row: Row = {"words": list(sentence.words), "tags": list(sentence.tags)}
    row["unknown"] = [word not in text.vocabulary for word in sentence.words]
    for name, learning in TAGGERS.items():
        tagger = learning.learn(text)
        row[name] = list(tagger.tag([sentence.words])[0])
        if isinstance(tagger, FeatureTagger):
            rows = tagger.rows([sentence.words])
            row[f"{name}, weights"] = [weights(tagger.model, one) for one in rows]
            if isinstance(tagger.model, NaiveBayes):
                sure = np.exp(tagger.model.log_proba(rows).max(axis=1))
                row["sure"] = [round(float(p), 4) for p in sure]
    return row


def weights(model: LinearModel, row: list[str]) -> list[list[str | float]]:
    """The features of a word that were met, with their weights for the best two tags.

    First stand these two tags, and their biases.
    """
    best, second = model.scores([row])[0].argsort()[::-1][:2]
    found: list[list[str | float]] = [[model.classes[best], model.classes[second]]]
    found.append(["bias", *(round(float(model.b[c]), 3) for c in (best, second))])
    for feature in row:
        if feature in model.columns:
            W = model.W[model.columns[feature]]
            found.append([feature, *(round(float(W[c]), 3) for c in (best, second))])
    return found


def measured(case: Case) -> Row:
    """What the case asks for."""
    if isinstance(case, Grammar):
        return on_grammar(case)
    text = ewt()
    if isinstance(case, Score):
        return score(case, text)
    if isinstance(case, Sureness):
        return sureness(case, text)
    return shown(case, text)


MODELS = ("Naive Bayes", "linear SVM")
STUDY = Study(
    about="hand-made features on English EWT: templates, data, confidence",
    cases={
        "Naive Bayes, grammar": Grammar(Features("Naive Bayes", NAMES[:1]), 2000),
        "shown": Shown(SHOWN),
        **{
            f"{model}, {name}": Score(Features(model, templates))
            for model in MODELS
            for name, templates in GROUPS.items()
        },
        **{f"alpha {a}": Score(Features("Naive Bayes", alpha=a)) for a in ALPHAS},
        **{
            f"Naive Bayes, sure, {name}": Sureness(
                Features("Naive Bayes", GROUPS[name])
            )
            for name in ("the word", "+ pairs")
        },
        **{
            f"{model}, {n} sentences": Score(Features(model), n)
            for model in MODELS
            for n in SENTENCES[:-1]
        },
        **{f"C {C}": Score(Features("linear SVM", C=C)) for C in COSTS},
    },
    measure=measured,
    check="Naive Bayes, grammar",
)
