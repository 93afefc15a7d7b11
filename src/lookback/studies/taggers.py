"""The running table of taggers: every system of the book on the words of English EWT.

Each is trained on the same sentences and tags the same test. The table lists them; each
chapter shows the systems up to its own time. A system's way of learning stands in the
study of its chapter, as a dataclass of all that decides the outcome.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol, runtime_checkable

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
    Cases,
    Data,
    Row,
    Study,
    Weights,
    corpus,
    known,
    results,
    seeds,
)

NAME = "taggers"
EWT = Data("english_ewt")

SYSTEMS = {
    "most frequent tag": "features",
    "Naive Bayes": "features",
    "linear SVM": "features",
    "HMM, bigrams": "hmm",
    "HMM, trigrams": "hmm",
    "window": "window",
    "BiGRU": "bahdanau",
    "BERT, not pre-trained": "bert",
    "BERT": "bert",
}
"""Each system and its chapter, in the order of history."""
SEEDS = dict.fromkeys(SYSTEMS, 1) | dict.fromkeys(
    ("window", "BiGRU", "BERT, not pre-trained", "BERT"), 3
)
"""How many seeds each has; one where nothing is left to chance, or hardly anything."""

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


def made_by(system: str, seed: int) -> Learning:
    """How a system learns, imported where a table shows it and not before."""
    if SYSTEMS[system] == "features":
        from lookback.studies.features import TAGGERS

        return TAGGERS[system]
    if SYSTEMS[system] == "hmm":
        from lookback.studies.hmm import TAGGERS as CHAINS

        return CHAINS[system]
    if SYSTEMS[system] == "window":
        from lookback.studies import window

        return replace(window.TAGGERS[system], seed=seed)
    if SYSTEMS[system] == "bahdanau":
        from lookback.studies import bahdanau_tagger

        return replace(bahdanau_tagger.TAGGERS[system], seed=seed)
    if SYSTEMS[system] == "bert":
        from lookback.studies import bert_tagger

        return replace(bert_tagger.TAGGERS[system], seed=seed)
    raise ValueError(f"{system} has no way of learning")


def lines(until: str | None = None) -> list[Line]:
    """The table as data: the systems of chapters up to `until`."""
    chapters = list(dict.fromkeys(SYSTEMS.values()))
    if until is not None:
        known("chapter with a tagger", until, chapters)
        chapters = chapters[: chapters.index(until) + 1]
    return [_line(name) for name, chapter in SYSTEMS.items() if chapter in chapters]


def rows(system: str) -> list[Row]:
    """All that was measured of a system, a row for each seed."""
    known("tagger", system, SYSTEMS)
    labels = _labels(system)
    measured = results(NAME, cases=labels)
    return [measured[label] for label in labels]


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
        "seconds": round(seconds, 2),
        "validation": round(accuracy(validation), 3),
        "test": [round(n, 3) for n in (whole.value, whole.low, whole.high)],
        "unknown": [round(n, 3) for n in (new.value, new.low, new.high)],
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


def _line(system: str) -> Line:
    each = rows(system)
    test = np.array([row["test"] for row in each])
    return Line(
        SYSTEMS[system], system, len(each), each[0]["parameters"],
        float(np.mean([row["seconds"] for row in each])),
        float(test[:, 0].mean()), float(test[:, 1].min()), float(test[:, 2].max()),
        float(np.mean([row["unknown"][0] for row in each])),
    )  # fmt: skip


def _counts(system: str) -> Weights:
    """(N, 2): words of each test sentence, and how many of them are tagged rightly."""
    each = rows(system)
    columns = [[float(n) for n in each[0]["words"].split()]]
    columns.append(
        np.mean([[float(n) for n in row["right"].split()] for row in each], axis=0)
    )
    return np.array(columns).T


def _labels(system: str) -> list[str]:
    return [f"{system}, seed {seed}" for seed in range(SEEDS[system])]


def _case(system: str, seed: int) -> Callable[[], Learning]:
    return lambda: made_by(system, seed)


STUDY = Study(
    about="accuracy of every tagger of the book on English EWT, and of unknown words",
    cases=Cases(
        {
            label: _case(name, seed)
            for name in SYSTEMS
            for seed, label in enumerate(_labels(name))
        }
    ),
    measure=measured,
    check=None,
)
