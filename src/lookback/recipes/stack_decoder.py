"""How a translator by phrases is trained, and how its tables are stored as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from lookback.hmm_alignment import HMMAlignment
from lookback.ngram import KneserNey, NgramModel
from lookback.phrases import PhraseTable, flipped, symmetrise
from lookback.stack_decoder import FEATURES, WEIGHTS, StackDecoder
from lookback.text.corpora import Pair
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
from lookback.trainer.recipe import Budget, Recipe
from lookback.trainer.translation import PAIRS, translation_metrics

from .ngram import restored, stored

EVALUATED = 200  # pairs of a split: a sentence takes as long as fifty of a network
LANGUAGE, NONE = "language.", -1


@dataclass(frozen=True)
class PhrasesConfig:
    """What is learned, and how far it is searched.

    iterations  of EM, of Model 1 and then of the HMM
    max_length, at_most, at_least  of the phrases that are kept: see `PhraseTable.fit`
    order       of the language model; of its longest n-grams those are kept that
                occurred `least` times
    weights     of FEATURES, in their order; minimum error rate training (Och 2003) on
                200 sentences of validation found them once
    beam, distortion_limit  of the decoder
    """

    iterations: int = 5
    max_length: int = 7
    at_most: int = 20
    at_least: int = 1
    order: int = 3
    least: int = 1
    weights: tuple[float, ...] = tuple(WEIGHTS.values())
    beam: int = 10
    distortion_limit: int = 6


def aligned(train: Sequence[Pair], iterations: int) -> list[set[tuple[int, int]]]:
    """The links of each pair: HMMs of both directions, joined."""
    there = [(pair.source, pair.target) for pair in train]
    back = [(target, source) for source, target in there]
    n = iterations
    ways = [HMMAlignment().fit(some, n, n).align_all(some) for some in (there, back)]
    return [symmetrise(a, flipped(b)) for a, b in zip(*ways, strict=True)]


class PhraseLearner(Learner):
    """Phrase pairs as rows of word ids, their scores, a language model, and weights."""

    network: StackDecoder

    def train(self, corpus: AnyCorpus, run: Run) -> None:
        config: PhrasesConfig = self.recipe.model
        train = pairs(corpus, "train")
        sides = zip(*((pair.source, pair.target) for pair in train), strict=True)
        self.vocabularies = {
            name: vocabulary(side, self.recipe.data)
            for name, side in zip(("source", "target"), sides, strict=True)
        }
        links = aligned(train, config.iterations)
        table = PhraseTable.fit(
            train, links, config.max_length, config.at_most, config.at_least
        )
        targets = [pair.target for pair in train]
        language = NgramModel(config.order, KneserNey()).fit(targets)
        words = self.vocabularies["target"]
        few = stored(language, words, config.least)
        language = restored(few, words, config.order, KneserNey())
        self._decoder(table, language, config.weights)

    def _decoder(
        self, table: PhraseTable, language: NgramModel, weights: Sequence[float]
    ) -> None:
        config: PhrasesConfig = self.recipe.model
        self.table = table
        self.network = StackDecoder(
            table,
            language,
            dict(zip(FEATURES, weights, strict=True)),
            beam=config.beam,
            distortion_limit=config.distortion_limit,
        )

    def tensors(self) -> Tensors:
        config: PhrasesConfig = self.recipe.model
        rows = [(f, *option) for f in self.table for option in self.table.options(f)]
        f, e, scores = zip(*rows, strict=True)
        words = self.vocabularies
        language = stored(self.network.language.model, words["target"])
        return {
            "source": _ids([words["source"].ids(p) for p in f], config.max_length),
            "target": _ids([words["target"].ids(p) for p in e], config.max_length),
            "scores": torch.tensor(scores).half(),
            "weights": torch.from_numpy(self.network.lambdas),
            **{LANGUAGE + name: tensor for name, tensor in language.items()},
        }

    def restore(self, tensors: Tensors, vocabularies: Vocabularies) -> None:
        config: PhrasesConfig = self.recipe.model
        own = {n: t for n, t in tensors.items() if not n.startswith(LANGUAGE)}
        if own.keys() != {"source", "target", "scores", "weights"}:
            raise ValueError(
                f"expected source, target, scores, weights, got {list(own)}"
            )
        sides = [
            _words(own[name], vocabularies[name].entries, name)
            for name in ("source", "target")
        ]
        rows: dict[tuple[str, ...], tuple[int, int]] = {}
        for n, f in enumerate(sides[0]):
            rows[f] = rows.get(f, (n, n))[0], n + 1
        scores = own["scores"].double().numpy()
        if not len(sides[0]) == len(sides[1]) == len(scores):
            raise ValueError("phrases do not fit their scores")
        inner = {
            n.removeprefix(LANGUAGE): t
            for n, t in tensors.items()
            if n.startswith(LANGUAGE)
        }
        language = restored(inner, vocabularies["target"], config.order, KneserNey())
        table = PhraseTable(rows, sides[1], scores, config.max_length)
        self._decoder(table, language, own["weights"].tolist())
        self.vocabularies = vocabularies

    def evaluate(self, corpus: AnyCorpus) -> Metrics:
        return translation_metrics(
            lambda sources: [*map(self.translate, sources)],
            lambda split: pairs(corpus, split)[:EVALUATED],
        )

    @property
    def parameters(self) -> int:
        n_grams = len(self.network.language.model.counts.count)
        return 4 * len(self.table) + n_grams + len(FEATURES)

    def translate(self, source: Words) -> list[str]:
        """The words of a translation."""
        return self.network.translate(source)

    def attention(self, source: Words, target: Words) -> Weights:
        """Of its own best translation alone: which phrase each word came from.

        The weight of a phrase is shared by its source words. Raises `ValueError` for
        another target.
        """
        (best,) = self.network.n_best(source, 1)
        if [*best.words] != [*target]:
            raise ValueError(
                f"the translation by phrases is {' '.join(best.words)!r}: it attends "
                f"to nothing for {' '.join(target)!r}"
            )
        weights, at = np.zeros((len(target), len(source))), 0
        for begin, end, words in best.phrases:
            weights[at : at + len(words), begin:end] = 1 / (end - begin)
            at += len(words)
        return weights


def _ids(rows: Sequence[Sequence[int]], longest: int) -> Tensor:
    """Rows of word ids (N, longest), filled with NONE."""
    filled = [[*row, *[NONE] * (longest - len(row))] for row in rows]
    return torch.tensor(filled, dtype=torch.int16)


def _words(ids: Tensor, entries: Sequence[str], name: str) -> list[tuple[str, ...]]:
    """The phrases of rows of ids."""
    if int(ids.min()) < NONE or int(ids.max()) >= len(entries):
        raise ValueError(f"{name} does not fit the vocabulary")
    return [tuple(entries[i] for i in row if i != NONE) for row in ids.tolist()]


WHOLE = Recipe(PhraseLearner, PAIRS, 0, PhrasesConfig(), None, Budget(steps=1))
TUNED = (0.34734493494033813, -0.056144628673791885, -0.003084614872932434,
         0.14440929889678955, 0.16379018127918243, 0.1400824785232544,
         0.13834801316261292, -0.006795873865485191)  # fmt: skip
SMALL = replace(
    WHOLE.model, max_length=3, at_most=5, at_least=3, least=2, weights=TUNED
)
RECIPES: dict[str, Recipe[PhraseLearner]] = {
    "stack_decoder": replace(WHOLE, model=SMALL)
}
"""Pruned to two megabytes, which a browser can load."""
