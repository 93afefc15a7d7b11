"""How n-gram models are trained, and how their tables are stored as tensors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lookback.ngram import END, Counts, Gram, KneserNey, NgramModel, Smoothing
from lookback.text.vocabulary import Vocabulary
from lookback.trainer.data import AnyCorpus, english, vocabulary
from lookback.trainer.language import TEXTS, PerplexityLearner
from lookback.trainer.learner import (
    Metrics,
    Run,
    Tensors,
    Vocabularies,
    Weights,
    Words,
)
from lookback.trainer.recipe import Budget, Data, Recipe, check_choice

SMOOTHINGS: dict[str, Smoothing] = {"Kneser–Ney": KneserNey()}


@dataclass(frozen=True)
class NgramConfig:
    """An n-gram model of the corpus's English; smoothing is one of SMOOTHINGS."""

    order: int
    smoothing: str

    def __post_init__(self) -> None:
        check_choice("smoothing", self.smoothing, SMOOTHINGS)


class NgramLearner(PerplexityLearner):
    """n-grams of each length as rows of word ids, beside their counts."""

    network: NgramModel

    def train(self, corpus: AnyCorpus, run: Run) -> None:
        sentences = english(corpus, "train")
        words = vocabulary(sentences, self.recipe.data)
        read = [words.words(words.ids(sentence)) for sentence in sentences]
        self.network = self._untrained().fit(read)
        self.vocabularies = {"words": words}

    def _untrained(self) -> NgramModel:
        config: NgramConfig = self.recipe.model
        return NgramModel(config.order, SMOOTHINGS[config.smoothing])

    def tensors(self) -> Tensors:
        return stored(self.network, self.vocabularies["words"])

    def restore(self, tensors: Tensors, vocabularies: Vocabularies) -> None:
        words, model = vocabularies["words"], self._untrained()
        self.network = restored(tensors, words, model.order, model.smoothing)
        self.vocabularies = vocabularies

    def evaluate(self, corpus: AnyCorpus) -> Metrics:
        return {
            f"{split} perplexity": self.network.perplexity(
                [s for s in english(corpus, split) if s]
            )
            for split in ("validation", "test")
        }

    @property
    def parameters(self) -> int:
        return len(self.network.counts.count)

    def log_probabilities(self, sentences: Sequence[Words]) -> list[Weights]:
        model, rows = self.network, []
        for sentence in sentences:
            grams = model.ngrams([sentence])
            p = [model.smoothing.probability(gram, model.counts) for gram in grams]
            with np.errstate(divide="ignore"):  # ln 0 is minus infinity
                rows.append(np.log(p))
        return rows

    def generate(
        self, words: int, *, start: Words = (), generator: torch.Generator
    ) -> list[list[str]]:
        """Sentences of `words` words together, the first of which begins with start."""
        text = [*start, *self.network.generate(words, start, generator=generator)]
        sentences: list[list[str]] = [[]]
        for word in text:
            if word == END:
                sentences.append([])
            else:
                sentences[-1].append(word)
        return [sentence for sentence in sentences if sentence]


def stored(model: NgramModel, words: Vocabulary, least: int = 1) -> Tensors:
    """The n-grams of each length as rows of ids, their counts, and the discounts.

    least  how often one of the longest must have occurred to be kept
    """
    tensors = dict[str, Tensor]()
    small = torch.int16 if len(words) < 2**15 else torch.int32
    for n in range(1, model.order + 1):
        least_of = least if n == model.order else 1
        kept = {
            gram: c
            for gram, c in model.counts.count.items()
            if len(gram) == n and c >= least_of
        }
        ids = torch.tensor([words.ids(gram) for gram in kept], dtype=small)
        counts = torch.tensor([*kept.values()])
        fits = counts.max() < 2**15
        tensors[f"grams.{n}"] = ids
        tensors[f"counts.{n}"] = counts.to(torch.int16 if fits else torch.int32)
    for n, discounts in model.counts.discounts.items():
        tensors[f"discounts.{n}"] = torch.tensor(discounts, dtype=torch.float64)
    return tensors


def restored(
    tensors: Tensors, vocabulary: Vocabulary, order: int, smoothing: Smoothing
) -> NgramModel:
    """The model whose n-grams these are; `ValueError` where they do not fit."""
    model, lengths = NgramModel(order, smoothing), range(1, order + 1)
    wanted = {f"{what}.{n}" for n in lengths for what in ("grams", "counts")}
    if isinstance(smoothing, KneserNey):
        wanted |= {f"discounts.{n}" for n in lengths}
    if wanted != tensors.keys():
        raise ValueError(f"expected {sorted(wanted)}, got {sorted(tensors)}")
    counts = Counts(frozenset())
    for n in lengths:  # n-grams in the order of tally: sums of floats depend on it
        if f"discounts.{n}" in tensors:
            counts.discounts[n] = tuple(tensors[f"discounts.{n}"].tolist())
        for gram, c in _rows(tensors, n, vocabulary.entries):
            counts.count[gram] = c
            counts.total[gram[:-1]] += c
            if counts.discounts:
                counts.freed[gram[:-1]] += counts.discounts[n][min(c, 3)]
    vocab = frozenset(gram[0] for gram in counts.count if len(gram) == 1)
    # The model takes no counts that it did not make: this is the only place.
    model._counts = Counts(
        vocab, counts.count, counts.total, counts.freed, counts.discounts
    )
    return model


def _rows(
    tensors: Tensors, n: int, words: tuple[str, ...]
) -> Iterator[tuple[Gram, int]]:
    """The n-grams of one length and their counts, in the order of the file."""
    grams, counts = tensors[f"grams.{n}"], tensors[f"counts.{n}"]
    inside = int(grams.min()) >= 0 and int(grams.max()) < len(words)
    if grams.shape != (len(counts), n) or not inside:
        raise ValueError(f"grams.{n} does not fit its counts or the vocabulary")
    rows = np.array(words, dtype=object)[grams.numpy()]  # (N, n)
    for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
        yield tuple(row), count


def ngrams(text: str, order: int) -> Recipe[NgramLearner]:
    """Smoothed n-grams of one of TEXTS."""
    config = NgramConfig(order, "Kneser–Ney")
    return Recipe(NgramLearner, TEXTS[text], 0, config, None, Budget(1))


RECIPES: dict[str, Recipe[NgramLearner]] = {
    "ngram": Recipe(
        NgramLearner,
        # Not the Python reference: its text is another with each version of Python.
        data=Data(
            "grammar", (("pairs", 5000), ("seed", 0), ("size", "small")), min_count=2
        ),
        seed=0,
        model=NgramConfig(order=3, smoothing="Kneser–Ney"),
        optimiser=None,
        budget=Budget(steps=1),
    )
}
