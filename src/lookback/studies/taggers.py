"""The running table of taggers: every system of the book on the words of English EWT.

Each is trained on the same sentences and tags the same test. The table lists them; each
chapter shows the systems up to its own time. A system's way of learning stands in the
study of its chapter, as a dataclass of all that decides the outcome.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from lookback.measure import (
    Interval,
    accuracy,
    bootstrap,
    paired_bootstrap,
    tag_counts,
    unknown_accuracy,
)
from lookback.text.corpora import Tagged, TaggedCorpus
from lookback.workshop import (
    Case,
    Data,
    Row,
    RunningTable,
    Study,
    System,
    Weights,
    case,
    corpus,
    mean,
    seeds,
)

NAME = "taggers"
EWT = Data("english_ewt")

Words = tuple[str, ...]


class Tagger(Protocol):
    """What has learned to tag."""

    @property
    def parameters(self) -> int:
        """How many numbers it stores."""
        ...

    def tag(self, sentences: Sequence[Words]) -> list[Words]:
        """A tag for each word of each sentence."""
        ...


class Learning(Protocol):
    """How a tagger comes about: a frozen dataclass of all that decides the outcome."""

    def learn(self, text: TaggedCorpus) -> Tagger:
        """A tagger that was trained on the train of `text`."""
        ...


@runtime_checkable
class Prepared(Protocol):
    """How a tagger comes about that begins with what was learned before."""

    def prepare(self) -> None:
        """Learn that, once for all seeds; the seconds of the tagger do not hold it."""
        ...


class Line(NamedTuple):
    """What a system scored on the test: percent, means over its seeds.

    `low` and `high` are the ends of the 95 % interval of `accuracy`, by resampling
    sentences; of several seeds the lowest and the highest end.
    """

    chapter: str
    system: str
    seeds: int
    parameters: int
    seconds: float
    accuracy: float
    low: float
    high: float
    unknown: float


def _system(chapter: str, name: str, seeds: int = 1) -> System:
    """A tagger of the TAGGERS of its chapter's study."""

    def make(seed: int) -> Case:
        module = {"bahdanau": "bahdanau_tagger", "bert": "bert_tagger"}
        study = import_module(f"lookback.studies.{module.get(chapter, chapter)}")
        learning: Any = study.TAGGERS[name]
        if seeds > 1:
            learning = replace(learning, seed=seed)
        return case(measured, learning=learning)

    return System(chapter, name, make, seeds)


TABLE = RunningTable(
    NAME,
    "tagger",
    [
        _system("features", "most frequent tag"),
        _system("features", "Naive Bayes"),
        _system("features", "linear SVM"),
        _system("hmm", "HMM, bigrams"),
        _system("hmm", "HMM, trigrams"),
        _system("window", "window", 3),
        _system("bahdanau", "BiGRU", 3),
        _system("bert", "BERT, not pre-trained", 3),
        _system("bert", "BERT", 3),
    ],
)


def lines(until: str | None = None) -> list[Line]:
    """The table as data: the systems of chapters up to `until`."""
    return [_line(system) for system in TABLE.until(until)]


def better(one: str, other: str, samples: int = 1000) -> Interval:
    """By how many points `one` is more accurate than `other`, on the same sentences.

    A paired bootstrap; of a system with several seeds, the mean of their right words.
    """
    return paired_bootstrap(
        accuracy,
        _counts(one),
        _counts(other),
        generator=seeds.generator(0),
        samples=samples,
    )


def table(until: str | None = None) -> tuple[list[str], list[list[str]]]:
    """Header and rows for `figures.Table`; see `lines`."""
    header = ["system", "numbers", "training, s", "all words", "95 %", "unknown"]
    return header, [
        [
            line.system,
            f"{line.parameters:,}",
            f"{line.seconds:.0f}" if line.seconds >= 10 else f"{line.seconds:.1f}",
            f"{line.accuracy:.1f}",
            f"{line.low:.1f}–{line.high:.1f}",
            f"{line.unknown:.1f}",
        ]
        for line in lines(until)
    ]


def measured(learning: Learning) -> Row:
    """Train a tagger on English EWT, and let it tag validation and test."""
    text = corpus(EWT)
    assert isinstance(text, TaggedCorpus)
    if isinstance(learning, Prepared):
        learning.prepare()
    return scores(learning, text)


def scores(learning: Learning, text: TaggedCorpus) -> Row:
    """Accuracy on the test of `text`, with intervals, and what each sentence adds."""
    began = time.process_time()
    tagger = learning.learn(text)
    seconds = time.process_time() - began
    validation = counted(tagger, text.validation, text).sum(axis=0)
    counts = counted(tagger, text.test, text)
    whole = bootstrap(accuracy, counts, generator=seeds.generator(0))
    new = bootstrap(unknown_accuracy, counts, generator=seeds.generator(0))
    return {
        "parameters": tagger.parameters,
        "seconds": seconds,
        "validation": accuracy(validation),
        "test": [whole.value, whole.low, whole.high],
        "unknown": [new.value, new.low, new.high],
        "words": written(counts[:, 0]),
        "right": written(counts[:, 1]),
    }


def counted(tagger: Tagger, sentences: Sequence[Tagged], text: TaggedCorpus) -> Weights:
    """`tag_counts` of sentences that the tagger tags; known is what train holds."""
    words = [sentence.words for sentence in sentences]
    gold = [sentence.tags for sentence in sentences]
    return tag_counts(words, gold, tagger.tag(words), text.vocabulary)


def written(column: Weights) -> str:
    """Whole numbers, one for each sentence, on one line."""
    return " ".join(f"{n:.0f}" for n in column)


def _line(system: System) -> Line:
    each = TABLE.rows(system.name)
    test = np.array([row["test"] for row in each])
    return Line(
        system.chapter, system.name, len(each), each[0]["parameters"],
        mean(each, "seconds"),
        float(test[:, 0].mean()), float(test[:, 1].min()), float(test[:, 2].max()),
        float(np.mean([row["unknown"][0] for row in each])),
    )  # fmt: skip


def _counts(system: str) -> Weights:
    """(N, 2): words of each test sentence, and how many of them are tagged rightly."""
    each = TABLE.rows(system)
    columns = [[float(n) for n in each[0]["words"].split()]]
    columns.append(
        np.mean([[float(n) for n in row["right"].split()] for row in each], axis=0)
    )
    return np.array(columns).T


def check(name: str, pairs: int) -> Row:
    """The scores of a tagger that learns the tags of our own grammar."""
    from .features import grammar_text

    learning = TABLE.systems[name].make(0).arguments["learning"]
    return scores(learning, grammar_text(pairs))


STUDY = Study(
    about="accuracy of every tagger of the book on English EWT, and of unknown words",
    cases=TABLE.cases(),
    check=case(check, name="Naive Bayes", pairs=300),
)
