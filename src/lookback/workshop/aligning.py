"""The maker of IBM Model 1: its table of translations as tensors, and back."""

import numpy as np
import torch
from numpy.typing import NDArray

from lookback.ibm1 import IBMModel1
from lookback.measure import alignment_error_rate
from lookback.text.corpora import Pair, PairCorpus

from .data import AnyCorpus, vocabulary
from .makers import (
    MAKERS,
    Aligns,
    Bench,
    Maker,
    Metrics,
    Tensors,
    Trained,
    Translates,
    Vocabularies,
    Words,
)
from .recipes import Ibm1Config, Recipe

LEAST = 1e-4  # what is less probable is not kept: most of the table, little of its use


class Ibm1Maker(Maker, Translates, Aligns):
    """t(f | e) in half precision, and rows of the words' numbers (e, f).

    The empty word has the number 0.
    """

    def train(self, recipe: Recipe, corpus: AnyCorpus, bench: Bench) -> Trained:
        pairs = _pairs(corpus, "train")
        words = {
            "source": vocabulary([pair.source for pair in pairs], recipe.data),
            "target": vocabulary([pair.target for pair in pairs], recipe.data),
        }
        return Trained(IBMModel1().fit(pairs, recipe.budget.steps), words)

    def tensors(self, model: IBMModel1, vocabularies: Vocabularies) -> Tensors:
        kept = model._t >= LEAST
        e, f = np.divmod(model._word_pairs[kept], len(model._target))
        source = [word for word in model._source if word is not None]
        e_ids = np.array([0, *vocabularies["source"].ids(source)])
        f_ids = np.array(vocabularies["target"].ids(list(model._target)))
        rows = np.stack([e_ids[e], f_ids[f]], axis=1)
        small = np.int16 if rows.max() < 2**15 else np.int32
        return {
            "words": torch.from_numpy(rows.astype(small)),
            "t": torch.from_numpy(model._t[kept]).half(),
            "log_likelihood": torch.tensor(model.log_likelihood, dtype=torch.float64),
        }

    def build(
        self, recipe: Recipe, tensors: Tensors, vocabularies: Vocabularies
    ) -> IBMModel1:
        if tensors.keys() != {"words", "t", "log_likelihood"}:
            raise ValueError(f"expected words, t, log_likelihood, got {list(tensors)}")
        source, target = vocabularies["source"], vocabularies["target"]
        # Specials have the first numbers; the empty word stands in their place.
        specials = len(source.specials)
        model, rows = IBMModel1(), tensors["words"].long().numpy()
        e, f = np.maximum(rows[:, 0] - specials + 1, 0), rows[:, 1] - specials
        model._source = {
            word: n for n, word in enumerate((None, *source.entries[specials:]))
        }
        model._target = {word: n for n, word in enumerate(target.entries[specials:])}
        inside = e.max() < len(model._source) and f.max() < len(model._target)
        inside = inside and rows.min() >= 0 and f.min() >= 0
        if len(rows) != len(tensors["t"]) or not inside:
            raise ValueError("words do not fit t or the vocabularies")
        keys = e * len(model._target) + f
        order = np.argsort(keys)
        # The model has no door for a table that it did not make: this is the only one.
        model._word_pairs = keys[order]
        model._t = tensors["t"].double().numpy()[order]
        model._unmet = 0
        model.log_likelihood = tuple(tensors["log_likelihood"].tolist())
        return model

    def measure(
        self, model: IBMModel1, vocabularies: Vocabularies, corpus: AnyCorpus
    ) -> Metrics:
        """The alignment error rate, where the corpus has gold links."""
        found = {}
        for split in ("validation", "test"):
            pairs = [pair for pair in _pairs(corpus, split) if pair.possible]
            links = [model.align(pair.source, pair.target) for pair in pairs]
            sure, possible = [p.sure for p in pairs], [p.possible for p in pairs]
            found[f"{split} AER"] = alignment_error_rate(links, sure, possible)
        return found

    def parameters(self, model: IBMModel1) -> int:
        return len(model._t)

    def align(
        self, model: IBMModel1, vocabularies: Vocabularies, source: Words, target: Words
    ) -> set[tuple[int, int]]:
        return model.align(source, target)

    def weights(
        self, model: IBMModel1, vocabularies: Vocabularies, source: Words, target: Words
    ) -> NDArray[np.float64]:
        return np.asarray(model.posterior(source, target)[:, 1:])

    def translate(
        self, model: IBMModel1, vocabularies: Vocabularies, source: Words
    ) -> list[str]:
        """Word by word, each by its likeliest translation: the model has no order."""
        return [model.translations(word)[0][0] for word in source]


def _pairs(corpus: AnyCorpus, split: str) -> tuple[Pair, ...]:
    if not isinstance(corpus, PairCorpus):
        raise ValueError(f"IBM Model 1 learns from pairs, {corpus.name} has none")
    return corpus.split(split)


MAKERS[Ibm1Config] = Ibm1Maker()
