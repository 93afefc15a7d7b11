"""The running table of taggers: every system of the book on the words of English EWT.

Each is trained on the same sentences and tags the same test. The table lists them; each
chapter shows the systems up to its own time. A system's way of learning stands in the
study of its chapter, as a dataclass of all that decides the outcome.
"""

import time
from collections.abc import Mapping, Sequence
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
from lookback.trainer import seeds
from lookback.trainer.data import corpus
from lookback.trainer.learner import Weights
from lookback.trainer.recipe import Data
from lookback.trainer.running_table import RunningTable, System, mean
from lookback.trainer.study import Experiment, Row, Setting, Study, results

NAME = "taggers"
EWT = Data("english_ewt")
SAMPLES = 1000  # of the bootstrap of a difference

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


SEEDS = (0, 1, 2)


def _system(chapter: str, name: str, seeds: Sequence[int] = (0,)) -> System:
    """A tagger of the TAGGERS of its chapter's study."""

    def arguments(seed: int) -> Mapping[str, Any]:
        study = import_module(f"lookback.studies.{chapter}")
        learning: Any = study.TAGGERS[name]
        return {"learning": replace(learning, seed=seed) if seed else learning}

    return System(chapter, name, arguments, [{"seed": seed} for seed in seeds])


TABLE = RunningTable(
    NAME,
    "tagger",
    [
        _system("features", "most frequent tag"),
        _system("features", "Naive Bayes"),
        _system("features", "linear SVM"),
        _system("hmm", "HMM, bigrams"),
        _system("hmm", "HMM, trigrams"),
        _system("window", "window", SEEDS),
        _system("bert", "BERT, not pre-trained", SEEDS),
        _system("bert", "BERT", SEEDS),
    ],
)
PAIRS = (
    ("linear SVM", "Naive Bayes"),
    ("HMM, trigrams", "HMM, bigrams"),
    ("Naive Bayes", "HMM, trigrams"),
    ("window", "linear SVM"),
    ("BERT", "window"),
)
"""Systems that a chapter compares on the same sentences."""


def lines(until: str | None = None) -> list[Line]:
    """The table as data: the systems of chapters up to `until`."""
    return [_line(system) for system in TABLE.until(until)]


def better(one: str, other: str) -> Interval:
    """By how many points `one` is more accurate than `other`, on the same sentences."""
    value, low, high = results(NAME)["better"].row(one=one, other=other)["points"]
    return Interval(value, low, high, 0.95, SAMPLES)


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


def text_of(pairs: int | None) -> TaggedCorpus:
    """English EWT; or so many pairs of our own grammar."""
    if pairs is not None:
        from .features import grammar_text

        return grammar_text(pairs)
    text = corpus(EWT)
    assert isinstance(text, TaggedCorpus)
    return text


def measured(learning: Learning, pairs: int | None = None) -> Row:
    """Train a tagger on English EWT, or on our grammar; its scores."""
    return scores(learning, text_of(pairs))


def scores(learning: Learning, text: TaggedCorpus) -> Row:
    """Accuracy on validation and, with intervals, on test and on its unknown words."""
    tagger, seconds = trained(learning, text)
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
    }


def compared(
    one: Sequence[Learning], other: Sequence[Learning], pairs: int | None = None
) -> Row:
    """Train two systems; by how many points the first is more accurate on the test.

    A paired bootstrap; of a system with several seeds, the mean of their right words.
    """
    text, both = text_of(pairs), list[Weights]()
    for system in (one, other):
        taggers = [trained(learning, text)[0] for learning in system]
        each = [counted(tagger, text.test, text)[:, :2] for tagger in taggers]
        both.append(np.mean(each, axis=0))
    generator = seeds.generator(0)
    found = paired_bootstrap(accuracy, *both, generator=generator, samples=SAMPLES)
    return {"points": [found.value, found.low, found.high]}


def trained(learning: Learning, text: TaggedCorpus) -> tuple[Tagger, float]:
    """A tagger, and its seconds, without those of what it begins with."""
    if isinstance(learning, Prepared):
        learning.prepare()
    began = time.process_time()
    tagger = learning.learn(text)
    return tagger, time.process_time() - began


def counted(tagger: Tagger, sentences: Sequence[Tagged], text: TaggedCorpus) -> Weights:
    """`tag_counts` of sentences that the tagger tags; known is what train holds."""
    words = [sentence.words for sentence in sentences]
    gold = [sentence.tags for sentence in sentences]
    return tag_counts(words, gold, tagger.tag(words), text.vocabulary)


def _line(system: System) -> Line:
    each = TABLE.rows(system.name)
    test = np.array([row["test"] for row in each])
    return Line(
        system.chapter, system.name, len(each), each[0]["parameters"],
        mean(each, "seconds"),
        float(test[:, 0].mean()), float(test[:, 1].min()), float(test[:, 2].max()),
        float(np.mean([row["unknown"][0] for row in each])),
    )  # fmt: skip


def learnings(name: str) -> list[Learning]:
    """Of each seed of a system."""
    system = TABLE.systems[name]
    return [system.arguments(**setting)["learning"] for setting in system.settings]


def both(one: str, other: str) -> Setting:
    return {"one": learnings(one), "other": learnings(other)}


def few() -> Setting:
    """A training in a moment, on our own grammar."""
    (learning,) = learnings("Naive Bayes")
    return {"learning": learning, "pairs": 300}


STUDY = Study(
    "accuracy of every tagger of the book on English EWT, and of unknown words",
    {
        "systems": TABLE.experiment(measured, few()),
        "better": Experiment(
            compared,
            [{"one": one, "other": other} for one, other in PAIRS],
            arguments=both,
        ),
    },
)
