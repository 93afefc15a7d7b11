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
from lookback.workshop import Row, Study, case, grid, seeds

KS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
ORDERS = (1, 2, 3, 4, 5)
READ = (500, 1000, 2000, 4000, 8000, 16000, 32000)  # words
SEEDS = (0, 1, 2)
SYSTEMS = ("3, Kneser–Ney", "2, Kneser–Ney", "1, Kneser–Ney", "3, add-k")
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
    """Smoothing → perplexities; what was counted; what of the test was never seen.

    least  how often a known word occurs
    """
    text = python_reference(least)
    plain = NgramModel(order).fit(text.train)
    row: Row = {"words": len(plain.counts.vocab), "n-grams": len(plain.counts.count)}
    row["seen"] = sum(len(gram) == order for gram in plain.counts.count)
    test = [g for s in text.test for g in ngrams(s, order)]
    row["unseen"] = sum(g not in plain.counts.count for g in test) / len(test)
    row["maximum likelihood"] = perplexities(plain, text)
    by_k = []
    for k in KS:
        plain.smoothing = AddK(k)
        by_k.append(perplexities(plain, text))
    best = int(np.argmin([p["validation"] for p in by_k]))
    row["by k"] = [p["validation"] for p in by_k]
    row["add-k"] = {**by_k[best], "k": KS[best]}
    mix = JelinekMercer.estimate(order, text.train, text.validation)
    plain.smoothing = mix
    row["Jelinek–Mercer"] = {**perplexities(plain, text), "lambdas": [*mix.lambdas]}
    bits = {"Jelinek–Mercer": costs(plain, text.test)}
    for name, smoothing in kneser_neys().items():
        model = NgramModel(order, smoothing).fit(text.train)
        discounts = [*model.counts.discounts[order][1:]]
        row[name] = {**perplexities(model, text), "discounts": discounts}
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
    """Vocabulary, share of <unk> in the test, and its perplexity, by trigrams.

    least  how often a word must occur in order to be known
    """
    text = python_reference(least)
    found = text.counts["test"]
    perplexity = NgramModel(3, KneserNey()).fit(text.train).perplexity(text.test)
    return {
        "words": len(text.vocabulary),
        "unknown": found["<unk>"] / found["tokens"],
        "test": perplexity,
    }


STUDY = Study(
    about="orders and smoothings of n-grams on the Python reference; words read",
    cases={
        **grid("order {order}", orders, order=ORDERS),
        **{
            f"{system}, seed {seed}": case(
                reading, order=int(system[0]), smoothing=system[3:], seed=seed
            )
            for system in SYSTEMS
            for seed in SEEDS
        },
        **grid("least count {least}", known, least=COUNTS),
    },
    check=case(known, least=100),
)
