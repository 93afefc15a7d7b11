"""Tagging by hidden Markov models: unknown words, and what re-estimation does."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookback.hmm import HiddenMarkovModel, SuffixModel
from lookback.measure import accuracy, tag_counts, unknown_accuracy
from lookback.text.corpora import Tagged, TaggedCorpus
from lookback.trainer.study import Experiment, Row, Study, grid

from .features import ewt, grammar_text, tags_of, words_of

STEPS = 10
TAGGED = (100, 1000, 12_544)  # sentences; the last is all of train
SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Hmm:
    """How a tagger of the running table learns: by counting."""

    order: int
    longest: int = 10
    rare: int | None = 10

    def learn(self, text: TaggedCorpus) -> HiddenMarkovModel:
        model = HiddenMarkovModel(self.order, SuffixModel(self.longest, self.rare))
        return model.fit(text.train)


TAGGERS = {"HMM, bigrams": Hmm(2), "HMM, trigrams": Hmm(3)}


def percents(
    model: HiddenMarkovModel, some: Sequence[Tagged], text: TaggedCorpus
) -> tuple[float, float]:
    """Accuracy on all words, and on unknown ones."""
    words, gold = words_of(some), tags_of(some)
    sums = tag_counts(words, gold, model.tag(words), text.vocabulary).sum(axis=0)
    return accuracy(sums), unknown_accuracy(sums)


def unknown(order: int, longest: int, rare: int) -> Row:
    """The accuracy on unknown words of the test, by a suffix model."""
    text = ewt()
    model = Hmm(order, longest, rare).learn(text)
    return {"unknown": percents(model, text.test, text)[1]}


def per_word(model: HiddenMarkovModel, text: TaggedCorpus) -> float:
    """log2 P a word of the validation sentences whose words all occur in train."""
    known = text.vocabulary
    some = [s.words for s in text.validation if {*s.words} <= known]
    bits = model.log_likelihood(some) / math.log(2)
    return bits / sum(map(len, some))


def again(
    sentences: int, seed: int = 0, steps: int = STEPS, pairs: int | None = None
) -> Row:
    """Accuracy and log-likelihood before re-estimation, and after each step.

    So many tagged sentences, drawn from train by the seed, are counted; then the words
    of all of train are read. Where all were counted, also log2 P a word of validation.

    pairs  so many pairs of the grammar instead of English EWT
    """
    text = ewt() if pairs is None else grammar_text(pairs)
    words = words_of(text.train)
    drawn = np.random.default_rng(seed).permutation(len(words))
    some = [text.train[n] for n in sorted(drawn[:sentences])]
    model = HiddenMarkovModel(2).fit(some)
    row: Row = {"likelihood": [], "test": [], "held out": []}
    for step in range(steps + 1):
        if step:
            row["likelihood"] += model.baum_welch(words, 1)[step > 1 :]
        row["test"].append(percents(model, text.test, text)[0])
        if len(some) == len(words):
            row["held out"].append(per_word(model, text))
    return row


STUDY = Study(
    "unknown words of a hidden Markov tagger, and what re-estimation does to it",
    {
        "unknown": Experiment(unknown, grid(order=[3], longest=[0], rare=[1])),
        "again": Experiment(
            again,
            grid(sentences=TAGGED[:-1], seed=SEEDS)
            + grid(sentences=TAGGED[-1:], seed=[0]),
            smoke={"sentences": 10, "steps": 2, "pairs": 100},
        ),
    },
)
