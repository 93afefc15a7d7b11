"""Makers of models that count: their tables as tensors, and back."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lookback.ngram import END, Counts, Gram, KneserNey, NgramModel

from .data import AnyCorpus, english, vocabulary
from .language_models import TEXTS, enter
from .makers import (
    MAKERS,
    Bench,
    Generates,
    Maker,
    Metrics,
    Tensors,
    Trained,
    Vocabularies,
    Words,
)
from .predicting import Predicts
from .recipes import Budget, NgramConfig, Recipe


class NgramMaker(Maker, Generates, Predicts):
    """n-grams of each length as rows of word numbers, beside their counts."""

    def train(self, recipe: Recipe, corpus: AnyCorpus, bench: Bench) -> Trained:
        sentences = english(corpus, "train")
        words = vocabulary(sentences, recipe.data)
        read = [words.words(words.ids(sentence)) for sentence in sentences]
        model = NgramModel(recipe.model.order, recipe.model.smoothing).fit(read)
        return Trained(model, {"words": words})

    def tensors(self, model: NgramModel, vocabularies: Vocabularies) -> Tensors:
        words, found = vocabularies["words"], dict[str, Tensor]()
        small = torch.int16 if len(words) < 2**15 else torch.int32
        for n in range(1, model.order + 1):
            grams = [g for g in model.counts.count if len(g) == n]
            ids = torch.tensor([words.ids(gram) for gram in grams], dtype=small)
            counts = torch.tensor([model.counts.count[gram] for gram in grams])
            fits = counts.max() < 2**15
            found[f"grams.{n}"] = ids
            found[f"counts.{n}"] = counts.to(torch.int16 if fits else torch.int32)
        for n, discounts in model.counts.discounts.items():
            found[f"discounts.{n}"] = torch.tensor(discounts, dtype=torch.float64)
        return found

    def build(
        self, recipe: Recipe, tensors: Tensors, vocabularies: Vocabularies
    ) -> NgramModel:
        config: NgramConfig = recipe.model
        model = NgramModel(config.order, config.smoothing)
        lengths = range(1, config.order + 1)
        wanted = {f"{what}.{n}" for n in lengths for what in ("grams", "counts")}
        if isinstance(config.smoothing, KneserNey):
            wanted |= {f"discounts.{n}" for n in lengths}
        if wanted != tensors.keys():
            raise ValueError(f"expected {sorted(wanted)}, got {sorted(tensors)}")
        words = vocabularies["words"].entries
        counts = Counts(frozenset())
        for n in lengths:  # n-grams in the order of tally: sums of floats depend on it
            if f"discounts.{n}" in tensors:
                counts.discounts[n] = tuple(tensors[f"discounts.{n}"].tolist())
            for gram, c in _rows(tensors, n, words):
                counts.count[gram] = c
                counts.total[gram[:-1]] += c
                if counts.discounts:
                    counts.freed[gram[:-1]] += counts.discounts[n][min(c, 3)]
        vocab = frozenset(gram[0] for gram in counts.count if len(gram) == 1)
        # The model has no door for counts that it did not make: this is the only one.
        model._counts = Counts(
            vocab, counts.count, counts.total, counts.freed, counts.discounts
        )
        return model

    def measure(
        self, model: NgramModel, vocabularies: Vocabularies, corpus: AnyCorpus
    ) -> Metrics:
        return {
            f"{split} perplexity": model.perplexity(
                [s for s in english(corpus, split) if s]
            )
            for split in ("validation", "test")
        }

    def parameters(self, model: NgramModel) -> int:
        return len(model.counts.count)

    def log_probabilities(
        self, model: NgramModel, vocabularies: Vocabularies, sentences: Sequence[Words]
    ) -> list[NDArray[np.float64]]:
        probability, counts, found = model.smoothing.probability, model.counts, []
        for sentence in sentences:
            p = [probability(gram, counts) for gram in model.ngrams([sentence])]
            with np.errstate(divide="ignore"):  # ln 0 is minus infinity
                found.append(np.log(p))
        return found

    def generate(
        self,
        model: NgramModel,
        vocabularies: Vocabularies,
        words: int,
        start: Words,
        generator: torch.Generator,
    ) -> list[list[str]]:
        drawn = [*start, *model.generate(words, start, generator=generator)]
        sentences: list[list[str]] = [[]]
        for word in drawn:
            if word == END:
                sentences.append([])
            else:
                sentences[-1].append(word)
        return [sentence for sentence in sentences if sentence]


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


MAKERS[NgramConfig] = NgramMaker()

for order, name in {2: "bigrams", 3: "trigrams", 5: "5-grams"}.items():
    for text, read in TEXTS.items():
        counted = Recipe(read, 0, NgramConfig(order, KneserNey()), None, Budget(1))
        enter("ngram", f"{name}, Kneser–Ney", text, counted)
