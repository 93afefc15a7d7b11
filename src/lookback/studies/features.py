"""Hand-made features on English EWT: template by template, and how confident."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
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
from lookback.trainer import seeds
from lookback.trainer.data import corpus
from lookback.trainer.recipe import Data
from lookback.trainer.study import Experiment, Row, Setting, Study, grid

Array = NDArray[np.float64]

NAMES = tuple(TEMPLATES)
GROUPS = {
    "the word": NAMES[:1],
    "+ its spelling": NAMES[:9],
    "+ its neighbours": NAMES[:13],
    "+ pairs": NAMES,
}
"""Templates, more and more of them."""
COSTS = (0.03, 0.3)
ALPHAS = (0.03, 0.3, 1.0)
"""Others than those of the tables, 0.1 each."""
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)


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
        words, tags = words_of(text.train), tags_of(text.train)
        tagger = FeatureTagger(self.made(), self.templates)
        return tagger.fit(words, tags, seeds.generator(self.seed))


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


def described() -> Row:
    """How many sentences and words English EWT has, and how many are unknown."""
    return {**ewt().counts}


def score(tagger: Features, pairs: int | None = None) -> Row:
    """Accuracy on validation and test, with intervals; pairs: of our own grammar."""
    text = ewt() if pairs is None else grammar_text(pairs)
    learned, row = tagger.learn(text), Row()
    for split in ("validation", "test"):
        held = text.split(split)
        guessed = learned.tag(words_of(held))
        counts = tag_counts(words_of(held), tags_of(held), guessed, text.vocabulary)
        for name, measure in (("", accuracy), (" unknown", unknown_accuracy)):
            found = bootstrap(measure, counts, generator=seeds.generator(0))
            row[split + name] = [found.value, found.low, found.high]
    return row


def confidence(tagger: Features) -> Row:
    """How sure a tagger is on the test: [words, confidence, share right] in bins."""
    text = ewt()
    scores, gold = judged(tagger.learn(text), text.test)
    p = np.exp(log_softmax(scores))
    sure, right = p.max(axis=1), p.argmax(axis=1) == gold
    bins = []
    for low, high in pairwise(EDGES):
        inside = (sure >= low) & ((sure < high) | (high == 1))
        if inside.any():
            both = [float(sure[inside].mean()), float(right[inside].mean())]
            bins.append([int(inside.sum()), *both])
    return {
        "bins": bins,
        "confidence when wrong": float(sure[~right].mean()),
        "wrong and above .99": float((sure[~right] > 0.99).mean()),
    }


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


def shown(sentence: int = 0) -> Row:
    """Of a sentence of the test: the right tags, and what each tagger says."""
    text = ewt()
    words, tags = text.test[sentence]
    row: Row = {"words": list(words), "tags": list(tags)}
    row["unknown"] = [word not in text.vocabulary for word in words]
    for name, learning in TAGGERS.items():
        row[name] = list(learning.learn(text).tag([words])[0])
    return row


def features(model: str, templates: str = "+ pairs", **rest: float) -> Setting:
    return {"tagger": Features(model, GROUPS[templates], **rest)}  # type: ignore[arg-type]


BAYES, SVM = MODELS = ("Naive Bayes", "linear SVM")
STUDY = Study(
    "hand-made features on English EWT: templates and confidence",
    {
        "text": Experiment(described),
        "shown": Experiment(shown),
        "scores": Experiment(
            score,
            grid(model=MODELS, templates=GROUPS)
            + grid(model=[BAYES], alpha=ALPHAS)
            + grid(model=[SVM], C=COSTS),
            smoke={"tagger": Features(SVM), "pairs": 300},
            arguments=features,
        ),
        "confidence": Experiment(confidence, grid(model=[BAYES]), arguments=features),
    },
)
