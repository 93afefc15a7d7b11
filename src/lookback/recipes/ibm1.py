"""How IBM Model 1 is trained, and how its table is stored as tensors."""

import numpy as np
import torch

from lookback.ibm1 import IBMModel1
from lookback.measure import alignment_error_rate
from lookback.text.vocabulary import words_of
from lookback.trainer.data import AnyCorpus, pairs, vocabulary
from lookback.trainer.learner import (
    Learner,
    Metrics,
    Run,
    Tensors,
    Vocabularies,
    Weights,
    Words,
)
from lookback.trainer.recipe import Budget, Data, Recipe

LEAST = 1e-4  # what is less probable is not stored: most of the table, of little use


class Ibm1Learner(Learner):
    """t(f | e) in half precision, and rows of the words' ids (e, f).

    The empty word has the id 0.
    """

    network: IBMModel1

    def train(self, corpus: AnyCorpus, run: Run) -> None:
        train = pairs(corpus, "train")
        self.vocabularies = {
            "source": vocabulary([pair.source for pair in train], self.recipe.data),
            "target": vocabulary([pair.target for pair in train], self.recipe.data),
        }
        self.network = IBMModel1().fit(train, self.recipe.budget.steps)

    def tensors(self) -> Tensors:
        model, words = self.network, self.vocabularies
        likely = model.t >= LEAST
        e, f = np.divmod(model.word_pairs[likely], len(model.target_ids))
        source = [word for word in model.source_ids if word is not None]
        e_ids = np.array([0, *words["source"].ids(source)])
        f_ids = np.array(words["target"].ids(list(model.target_ids)))
        rows = np.stack([e_ids[e], f_ids[f]], axis=1)
        small = np.int16 if rows.max() < 2**15 else np.int32
        return {
            "words": torch.from_numpy(rows.astype(small)),
            "t": torch.from_numpy(model.t[likely]).half(),
            "log_likelihood": torch.tensor(model.log_likelihood, dtype=torch.float64),
        }

    def restore(self, tensors: Tensors, vocabularies: Vocabularies) -> None:
        if tensors.keys() != {"words", "t", "log_likelihood"}:
            raise ValueError(f"expected words, t, log_likelihood, got {list(tensors)}")
        source, target = vocabularies["source"], vocabularies["target"]
        # Special tokens have the first ids; the empty word takes their place.
        specials = len(source.specials)
        model, rows = IBMModel1(), tensors["words"].long().numpy()
        e, f = np.maximum(rows[:, 0] - specials + 1, 0), rows[:, 1] - specials
        model.source_ids = {
            word: n for n, word in enumerate((None, *source.entries[specials:]))
        }
        model.target_ids = {word: n for n, word in enumerate(target.entries[specials:])}
        inside = e.max() < len(model.source_ids) and f.max() < len(model.target_ids)
        inside = inside and rows.min() >= 0 and f.min() >= 0
        if len(rows) != len(tensors["t"]) or not inside:
            raise ValueError("words do not fit t or the vocabularies")
        keys = e * len(model.target_ids) + f
        order = np.argsort(keys)
        # The model takes no table that it did not make: this is the only place.
        model.word_pairs = keys[order]
        model.t = tensors["t"].double().numpy()[order]
        model._unmet = 0
        model.log_likelihood = tuple(tensors["log_likelihood"].tolist())
        self.network, self.vocabularies = model, vocabularies

    def evaluate(self, corpus: AnyCorpus) -> Metrics:
        """The alignment error rate, where the corpus has gold links."""
        metrics = {}
        for split in ("validation", "test"):
            gold = [pair for pair in pairs(corpus, split) if pair.possible]
            links = [self.link(pair.source, pair.target) for pair in gold]
            sure, possible = [p.sure for p in gold], [p.possible for p in gold]
            metrics[f"{split} AER"] = alignment_error_rate(links, sure, possible)
        return metrics

    @property
    def parameters(self) -> int:
        return len(self.network.t)

    def link(self, source: Words, target: Words) -> set[tuple[int, int]]:
        """Links (source index, target index): which word comes from which."""
        return self.network.align(source, target)

    def attention(self, source: Words, target: Words) -> Weights:
        """The posterior (T, S) of each target word over the source words.

        The share of the empty word is left out, so that rows sum to 1 or less.
        """
        return np.asarray(self.network.posterior(source, target)[:, 1:])

    def translate(self, source: Words) -> list[str]:
        """Word by word, each by its likeliest translation: the model has no order.

        Raises `ValueError` for a word that it does not know.
        """
        found = {word: self.network.translations(word) for word in words_of(source)}
        if strange := [word for word, likely in found.items() if not likely]:
            raise ValueError(f"{self.name} does not know {', '.join(strange)}")
        return [found[word][0][0] for word in source]


RECIPES: dict[str, Recipe[Ibm1Learner]] = {
    "ibm1": Recipe(
        Ibm1Learner,
        data=Data("grammar", (("pairs", 5000), ("seed", 0), ("size", "small"))),
        seed=0,
        model=None,
        optimiser=None,
        budget=Budget(steps=8),
    )
}
