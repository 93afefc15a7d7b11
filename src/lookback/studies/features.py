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
from lookback.workshop import Data, Row, Study, case, corpus, seeds

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


def ewt() -> TaggedCorpus:
    """English EWT; `DataError` where there is no copy."""
    text = corpus(Data("english_ewt"))
    assert isinstance(text, TaggedCorpus)
    return text


def grammar_text(pairs: int) -> TaggedCorpus:
    """So many pairs of our own grammar, as tagged English."""
    text = grammar(pairs)
    splits = (tagged(s) for s in (text.train, text.validation, text.test))
    return TaggedCorpus(text.name, text.version, *map(tuple, splits))


def words_of(sentences: Sequence[Tagged]) -> list[tuple[str, ...]]:
    return [sentence.words for sentence in sentences]


def tags_of(sentences: Sequence[Tagged]) -> list[tuple[str, ...]]:
    return [sentence.tags for sentence in sentences]


def score(tagger: Features, sentences: int | None = None) -> Row:
    """Accuracy on validation and on test, with intervals; known is what was read.

    sentences  how many are read of train; None: all
    """
    text = ewt()
    read = text.train if sentences is None else some(text.train, sentences)
    learned = tagger.fit(read)
    known = {word for sentence in read for word in sentence.words}
    row: Row = {"features": len(learned.model.columns)}
    for split in ("validation", "test"):
        held = text.split(split)
        guessed = learned.tag(words_of(held))
        counts = tag_counts(words_of(held), tags_of(held), guessed, known)
        for name, measure in (("", accuracy), (" unknown", unknown_accuracy)):
            found = bootstrap(measure, counts, generator=seeds.generator(0))
            row[split + name] = [found.value, found.low, found.high]
    return row


def some(sentences: Sequence[Tagged], many: int) -> list[Tagged]:
    """So many sentences, drawn without repetition by seed 0."""
    order = torch.randperm(len(sentences), generator=seeds.generator(0))
    return [sentences[i] for i in order[:many].tolist()]


def confidence(tagger: Features) -> Row:
    """Bins of confidence on test, before and after dividing by a temperature.

    The temperature makes the validation tags likeliest; it changes no answer.
    """
    text = ewt()
    learned = tagger.learn(text)
    found = {s: judged(learned, text.split(s)) for s in ("validation", "test")}
    scores, gold = found["validation"]
    costs = [cross_entropy(scores / T, gold) for T in TEMPERATURES]
    T = TEMPERATURES[int(np.argmin(costs))]
    row: Row = {"temperature": T, "costs": costs}
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
            bins.append([int(inside.sum()), *both])
    gaps = [n * abs(confidence - share) for n, confidence, share in bins]
    return {
        "bins": bins,
        "confidence": float(sure.mean()),
        "accuracy": float(right.mean()),
        "calibration error": sum(gaps) / len(gold),
        "confidence when wrong": float(sure[~right].mean()),
        "wrong and above .99": float((sure[~right] > 0.99).mean()),
        "cross-entropy": cross_entropy(scores, gold),
    }


def on_grammar(tagger: Features, pairs: int) -> Row:
    """The accuracy on the test of our own grammar, whose tags follow from the word."""
    text = grammar(pairs)
    learned = tagger.fit(tagged(text.train))
    held = tagged(text.test)
    guessed = learned.tag(words_of(held))
    counts = tag_counts(words_of(held), tags_of(held), guessed, ())
    return {"test": accuracy(counts.sum(axis=0))}


def shown(sentence: int) -> Row:
    """Word by word: the right tag, what each tagger says, how sure Naive Bayes is.

    And the weights that decide; of a sentence of the test.
    """
    text = ewt()
    words, tags = text.test[sentence]
    row: Row = {"words": list(words), "tags": list(tags)}
    row["unknown"] = [word not in text.vocabulary for word in words]
    for name, learning in TAGGERS.items():
        tagger = learning.learn(text)
        row[name] = list(tagger.tag([words])[0])
        if isinstance(tagger, FeatureTagger):
            rows = tagger.rows([words])
            row[f"{name}, weights"] = [weights(tagger.model, one) for one in rows]
            if isinstance(tagger.model, NaiveBayes):
                sure = np.exp(tagger.model.log_proba(rows).max(axis=1))
                row["sure"] = [float(p) for p in sure]
    return row


def weights(model: LinearModel, row: list[str]) -> list[list[str | float]]:
    """The features of a word that were met, with their weights for the best two tags.

    First stand these two tags, and their biases.
    """
    best, second = model.scores([row])[0].argsort()[::-1][:2]
    found: list[list[str | float]] = [[model.classes[best], model.classes[second]]]
    found.append(["bias", *(float(model.b[c]) for c in (best, second))])
    for feature in row:
        if feature in model.columns:
            W = model.W[model.columns[feature]]
            found.append([feature, *(float(W[c]) for c in (best, second))])
    return found


BAYES, SVM = MODELS = ("Naive Bayes", "linear SVM")
STUDY = Study(
    about="hand-made features on English EWT: templates, data, confidence",
    cases={
        "Naive Bayes, grammar": case(
            on_grammar, tagger=Features(BAYES, NAMES[:1]), pairs=2000
        ),
        "shown": case(shown, sentence=SHOWN),
        **{
            f"{model}, {name}": case(score, tagger=Features(model, templates))
            for model in MODELS
            for name, templates in GROUPS.items()
        },
        **{f"alpha {a}": case(score, tagger=Features(BAYES, alpha=a)) for a in ALPHAS},
        **{
            f"Naive Bayes, sure, {name}": case(
                confidence, tagger=Features(BAYES, GROUPS[name])
            )
            for name in ("the word", "+ pairs")
        },
        **{
            f"{model}, {n} sentences": case(score, tagger=Features(model), sentences=n)
            for model in MODELS
            for n in SENTENCES[:-1]
        },
        **{f"C {C}": case(score, tagger=Features(SVM, C=C)) for C in COSTS},
    },
    check=case(on_grammar, tagger=Features(SVM), pairs=300),
)
