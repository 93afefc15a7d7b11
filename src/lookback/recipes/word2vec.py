"""How word2vec is trained."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from lookback.trainer import seeds
from lookback.trainer.data import AnyCorpus
from lookback.trainer.fit import Batches
from lookback.trainer.learner import Vocabularies
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe, check_choice
from lookback.trainer.vectors import FIRST, VectorLearner
from lookback.word2vec import (
    CBOW,
    SkipGram,
    WordVectors,
    keep_probability,
    negative_sampling_loss,
    noise_distribution,
    running_text,
    softmax_loss,
    windows,
)

KINDS: dict[str, type[WordVectors]] = {"skip-gram": SkipGram, "cbow": CBOW}


@dataclass(frozen=True)
class Word2VecConfig:
    """The settings of word2vec.

    kind       "skip-gram" or "cbow"
    m          how long a vector is
    window     how far the context reaches at most, to either side
    negatives  k, how many noise words each true one has; 0: a softmax over all words
    t          above which share of the text words are subsampled
    power      of the counts, in the noise distribution
    """

    kind: str
    m: int
    window: int
    negatives: int
    t: float
    power: float = 0.75

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)


class Word2VecLearner(VectorLearner):
    """Skip-gram or CBOW, by negative sampling or with the whole softmax.

    Optimised by what the recipe says, in batches, like every network here. The original
    takes a step for every pair and changes no rows but its words'. A batch of some
    thousand pairs touches most rows of our small vocabularies, so that nothing would
    be saved.
    """

    def build(self, vocabularies: Vocabularies) -> WordVectors:
        config: Word2VecConfig = self.recipe.model
        return KINDS[config.kind](len(vocabularies["words"]) - FIRST, config.m)

    def table(self, network: nn.Module) -> Tensor:
        assert isinstance(network, WordVectors)
        return network.v

    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        ids, sentence = running_text(self.rows(corpus, "train"))
        counts = ids.bincount(minlength=len(self.words))
        if split != "train":
            ids, sentence = running_text(self.rows(corpus, split))
            generator = seeds.generator(self.recipe.seed)
        config, size = self.recipe.model, self.recipe.budget.tokens

        def epoch() -> Iterator[Any]:
            return examples(
                config, ids, sentence, counts, size=size, generator=generator
            )

        return epoch if split == "train" else list(epoch())

    def loss(self, network: nn.Module, batch: Any) -> tuple[Tensor, int]:
        *inputs, words = batch
        if words.ndim == 1:
            each = softmax_loss(network(*inputs), words)
        else:
            each = negative_sampling_loss(network(*inputs, words))
        return each.sum(), len(each)


def examples(
    config: Word2VecConfig,
    ids: Tensor,
    sentence: Tensor,
    counts: Tensor,
    *,
    size: int,
    generator: torch.Generator,
) -> Iterator[tuple[Tensor, ...]]:
    """An epoch of batches: the input words, and the words to score (B, 1 + k).

    Frequent words are subsampled first, then windows drawn in what is left. Without
    negatives the words to score are the true ones alone (B,).
    """
    keep = keep_probability(counts, config.t)[ids]
    chosen = torch.rand(len(ids), generator=generator) < keep
    ids, sentence = ids[chosen], sentence[chosen]
    around, mask = windows(ids, sentence, config.window, generator=generator)
    if config.kind == "skip-gram":
        parts = [ids.unsqueeze(1).expand_as(around)[mask], around[mask]]
    else:
        some = mask.any(dim=1)
        parts = [around[some], mask[some], ids[some]]
    noise = noise_distribution(counts, config.power)
    order = torch.randperm(len(parts[-1]), generator=generator)
    for rows in torch.split(order, size):
        *inputs, true = (part[rows] for part in parts)
        if config.negatives:
            drawn = torch.multinomial(
                noise, len(rows) * config.negatives, True, generator=generator
            )
            true = torch.cat([true.unsqueeze(1), drawn.view(len(rows), -1)], dim=1)
        yield (*inputs, true)


SKIP_GRAM = Word2VecConfig(kind="skip-gram", m=64, window=5, negatives=5, t=1e-3)
"""Window, k and t as the C program has them by default."""

RECIPES = {
    "word2vec": Recipe(
        Word2VecLearner,
        data=Data("grammar", (("pairs", 25_000), ("seed", 0), ("size", "small"))),
        seed=0,
        model=replace(SKIP_GRAM, m=32),
        optimiser=Optimiser("adam", 0.02, decay="linear"),
        budget=Budget(steps=1200, tokens=2048, evaluate_every=200),
    ),
    "word2vec-tatoeba": Recipe(
        Word2VecLearner,
        data=Data("tatoeba", min_count=10),
        seed=0,
        model=SKIP_GRAM,
        optimiser=Optimiser("adam", 0.015, decay="linear"),
        budget=Budget(steps=2000, tokens=4096, evaluate_every=500),
    ),
}
