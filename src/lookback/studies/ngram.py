"""Orders and smoothings of n-gram models on one text, and how fast they learn."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.measure.bootstrap import paired_bootstrap
from lookback.ngram import (
    AddK,
    Counts,
    Gram,
    JelinekMercer,
    KneserNey,
    NgramModel,
    OneDiscount,
    Smoothing,
    ngrams,
)
from lookback.text.corpora import python_reference
from lookback.text.corpus import Corpus
from lookback.trainer import seeds
from lookback.trainer.study import Experiment, Row, Study, grid

KS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
ORDERS = (1, 2, 3, 4, 5)
READ = (500, 1000, 2000, 4000, 8000, 16000, 32000)  # words
SEEDS = (0, 1, 2)
SYSTEMS = ((3, "Kneser–Ney"), (2, "Kneser–Ney"), (1, "Kneser–Ney"), (3, "add-k"))
COUNTS = (2, 5, 20, 100)
APART = (
    ("Kneser–Ney, one D", "Jelinek–Mercer"),
    ("modified Kneser–Ney", "Kneser–Ney, one D"),
    ("modified Kneser–Ney", "modified, plain counts below"),
    ("modified, plain counts below", "Jelinek–Mercer"),
)
"""Pairs whose difference gets an interval: the first is expected to cost less."""

Bits = NDArray[np.float64]


class PlainBelow(KneserNey):
    """Modified Kneser–Ney without continuation counts: every length counts plainly."""

    def tally(self, sentences: list[Gram], order: int) -> Counts:
        counts = super().tally(sentences, 1)
        for n in range(2, order + 1):
            longest = super().tally(sentences, n)
            counts.discounts[n] = longest.discounts[n]
            for gram, c in longest.count.items():
                if len(gram) == n:
                    counts.count[gram] = c
                    counts.total[gram[:-1]] = longest.total[gram[:-1]]
                    counts.freed[gram[:-1]] = longest.freed[gram[:-1]]
        return counts


class Model(NgramModel):
    """An n-gram model that knows all words of a vocabulary, read or not."""

    def over(self, vocabulary: frozenset[str]) -> "Model":
        """The same counts; words that were not read have a count of 0."""
        self._counts = replace(self.counts, vocab=vocabulary)
        return self


def perplexities(model: NgramModel, text: Corpus) -> Row:
    """Of validation and of test; infinite ones are written as None."""
    found = {
        name: model.perplexity(text.split(name)) for name in ("validation", "test")
    }
    return {name: p if math.isfinite(p) else None for name, p in found.items()}


def costs(model: NgramModel, sentences: Sequence[Gram]) -> Bits:
    """Of each sentence its bits and its predictions: (N, 2)."""
    bits = [model.entropy([s]) * (len(s) + 1) for s in sentences]
    return np.array([bits, [len(s) + 1 for s in sentences]]).T


def bits_apart(one: Bits, other: Bits) -> list[float]:
    """Bits a word that the first costs less, and the 95 % interval of sentences."""
    found = paired_bootstrap(
        lambda sums: float(sums[0] / sums[1]),
        other,
        one,
        generator=seeds.generator(1995),
    )
    return [found.value, found.low, found.high]


def orders(order: int, least: int = 2) -> Row:
    """Smoothing → perplexities; what of the test was never seen.

    least  how often a known word occurs
    """
    text = python_reference(least)
    plain = NgramModel(order).fit(text.train)
    test = [g for s in text.test for g in ngrams(s, order)]
    row: Row = {
        "words": len(plain.counts.vocab),
        "unseen": sum(g not in plain.counts.count for g in test) / len(test),
        "maximum likelihood": perplexities(plain, text),
    }
    by_k = []
    for k in KS:
        plain.smoothing = AddK(k)
        by_k.append(perplexities(plain, text))
    best = int(np.argmin([p["validation"] for p in by_k]))
    row["add-k"] = {**by_k[best], "k": KS[best]}
    plain.smoothing = JelinekMercer.estimate(order, text.train, text.validation)
    row["Jelinek–Mercer"] = perplexities(plain, text)
    bits = {"Jelinek–Mercer": costs(plain, text.test)}
    for name, smoothing in kneser_neys().items():
        model = NgramModel(order, smoothing).fit(text.train)
        row[name] = perplexities(model, text)
        bits[name] = costs(model, text.test)
    row["apart"] = {f"{a} < {b}": bits_apart(bits[a], bits[b]) for a, b in APART}
    return row


def kneser_neys() -> dict[str, Smoothing]:
    """The discounts that are compared."""
    return {
        "Kneser–Ney, D = 0.1": KneserNey(discount=0.1),
        "Kneser–Ney, one D": OneDiscount(),
        "modified Kneser–Ney": KneserNey(),
        "modified, plain counts below": PlainBelow(),
    }


def reading(order: int, smoothing: str, seed: int, words: Sequence[int] = READ) -> Row:
    """The test perplexity after so many words; k is chosen anew on validation."""
    text, tests = python_reference(), []
    vocabulary = NgramModel(1).fit(text.train).counts.vocab
    for many in (*words, None):
        read = first(shuffled(text.train, seed), many)
        method = OneDiscount() if smoothing == "Kneser–Ney" else AddK()
        model = Model(order, method).fit(read).over(vocabulary)
        if isinstance(method, AddK):
            held = {}
            for k in KS:
                model.smoothing = AddK(k)
                held[k] = model.perplexity(text.validation)
            model.smoothing = AddK(min(held, key=held.__getitem__))
        tests.append(model.perplexity(text.test))
    total = sum(map(len, text.train))
    return {"words": [*words, total], "test": tests}


def shuffled(sentences: Sequence[Gram], seed: int) -> list[Gram]:
    """The sentences in an order of this seed."""
    turn = torch.randperm(len(sentences), generator=seeds.generator(seed))
    return [sentences[i] for i in turn.tolist()]


def first(sentences: Sequence[Gram], words: int | None) -> list[Gram]:
    """As many whole sentences as hold this many words; None takes all."""
    ends = np.cumsum([len(sentence) for sentence in sentences])
    many = len(ends) if words is None else int(np.searchsorted(ends, words)) + 1
    return list(sentences[:many])


def known(least: int) -> Row:
    """The test perplexity of trigrams if a known word must occur so often."""
    text = python_reference(least)
    model = NgramModel(3, KneserNey()).fit(text.train)
    return {"test": model.perplexity(text.test)}


STUDY = Study(
    "orders and smoothings of n-grams on the Python reference; words read",
    {
        "orders": Experiment(
            orders, grid(order=ORDERS), smoke={"order": 2, "least": 100}
        ),
        "reading": Experiment(
            reading,
            [
                {"order": order, "smoothing": smoothing, "seed": seed}
                for order, smoothing in SYSTEMS
                for seed in SEEDS
            ],
            smoke={"order": 1, "smoothing": "Kneser–Ney", "seed": 0, "words": [500]},
        ),
        "known": Experiment(known, grid(least=COUNTS), smoke={"least": 100}),
    },
)
