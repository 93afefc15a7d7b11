"""The makers of word vectors: what all of them share, and that of word2vec."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from lookback.measure import analogy_scores, neighbour_agreement
from lookback.text.analogies import ANALOGIES
from lookback.text.grammar import noun_kinds
from lookback.text.vocabulary import SPECIALS
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

from . import seeds
from .checkpoints import Pretrained
from .data import AnyCorpus, Sentences, english, vocabulary
from .fit import Anew
from .makers import MAKERS, Metrics, Vocabularies
from .neural import NeuralMaker
from .recipes import RECIPES, Budget, Data, Optimiser, Recipe

FIRST = len(SPECIALS)
"""Row 0 of the vectors is the vocabulary's first word behind its specials."""

KINDS: dict[str, type[WordVectors]] = {"skip-gram": SkipGram, "cbow": CBOW}


@dataclass(frozen=True)
class Word2VecConfig:
    """What word2vec is told.

    kind       "skip-gram" or "cbow"
    m          how long a vector is
    window     how far a word looks at most, to either side
    negatives  k, how many noise words each true one has; 0: a softmax over all words
    t          above which share of the text words are thinned out
    power      of the counts, in the noise distribution
    """

    kind: str
    m: int
    window: int
    negatives: int
    t: float
    power: float = 0.75

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind is one of {', '.join(KINDS)}, got {self.kind!r}")


class VectorMaker(NeuralMaker):
    """Models whose use is the vectors of their words. No row belongs to a special."""

    @abstractmethod
    def vectors(self, model: nn.Module) -> Tensor:
        """The vector of each word (V, m)."""

    def vocabularies(self, recipe: Recipe, corpus: AnyCorpus) -> Vocabularies:
        return {"words": vocabulary(sentences(corpus, "train"), recipe.data)}

    def text(
        self, vocabularies: Vocabularies, corpus: AnyCorpus, split: str
    ) -> tuple[Tensor, Tensor]:
        """The rows of a split's words (N,), and the numbers of their sentences (N,).

        Unknown words are left out, so that those around them move together.
        """
        words = vocabularies["words"]
        rows = [
            [i - FIRST for i in words.ids(s) if i >= FIRST]
            for s in sentences(corpus, split)
        ]
        return running_text(rows)

    def measure(
        self, model: nn.Module, vocabularies: Vocabularies, corpus: AnyCorpus
    ) -> Metrics:
        """Analogies right, mean of all classes; on the grammar, kinds that agree."""
        words = vocabularies["words"].entries[FIRST:]
        return found_in(words, self.vectors(model).detach(), corpus.name)


def found_in(words: Sequence[str], vectors: Tensor, corpus: str) -> Metrics:
    """What a table of vectors says of their worth, each figure a share from 0 to 1."""
    chance, found = seeds.generator(0), Metrics()
    scores = analogy_scores(ANALOGIES, words, vectors, generator=chance, samples=1)
    if scores:
        right = [score.right.value for score in scores.values()]
        found["analogies"] = sum(right) / len(right)
    if corpus == "grammar":
        kinds = {word: kind.kind for word, kind in noun_kinds("full").items()}
        agreed = neighbour_agreement(kinds, words, vectors, generator=chance, samples=1)
        found["same kind"] = agreed.right.value
    return found


class Word2VecMaker(VectorMaker):
    """Skip-gram or CBOW, by negative sampling or with the whole softmax.

    Optimised by what the recipe says, in batches, like every module here. The original
    takes a step for every pair and changes no rows but its words'. A batch of some
    thousand pairs touches most rows of our small vocabularies, so that nothing would
    be saved.
    """

    def module(self, config: Word2VecConfig, vocabularies: Vocabularies) -> WordVectors:
        return KINDS[config.kind](len(vocabularies["words"]) - FIRST, config.m)

    def vectors(self, model: nn.Module) -> Tensor:
        assert isinstance(model, WordVectors)
        return model.v

    def batches(
        self,
        recipe: Recipe,
        vocabularies: Vocabularies,
        corpus: AnyCorpus,
        split: str,
        generator: torch.Generator,
    ) -> Iterable[Any]:
        ids, sentence = self.text(vocabularies, corpus, "train")
        V = len(vocabularies["words"]) - FIRST
        counts = ids.bincount(minlength=V)
        if split != "train":
            ids, sentence = self.text(vocabularies, corpus, split)
            generator = seeds.generator(recipe.seed)
        config, size = recipe.model, recipe.budget.tokens

        def draw() -> Iterator[Any]:
            return examples(
                config, ids, sentence, counts, size=size, generator=generator
            )

        return Anew(draw) if split == "train" else list(draw())

    def loss(self, module: nn.Module, batch: Any) -> tuple[Tensor, int]:
        *inputs, words = batch
        if words.ndim == 1:
            each = softmax_loss(module(*inputs), words)
        else:
            each = negative_sampling_loss(module(*inputs, words))
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
    """An epoch of batches: what is looked from, and the words asked about (B, 1 + k).

    Frequent words are thinned out first, then windows drawn in what is left. Without
    negatives the words asked about are the true ones alone (B,).
    """
    keep = keep_probability(counts, config.t)[ids]
    kept = torch.rand(len(ids), generator=generator) < keep
    ids, sentence = ids[kept], sentence[kept]
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


def sentences(corpus: AnyCorpus, split: str) -> Sentences:
    """The English sentences of a split, each once, though it has many translations."""
    return list(dict.fromkeys(english(corpus, split)))


def word_vectors(found: Pretrained) -> tuple[Sequence[str], Tensor]:
    """The words of a trained model, the frequent ones first, and their vectors (V, m).

    Raises `ValueError` for a model that has none.
    """
    maker = MAKERS[type(found.recipe.model)]
    if not isinstance(maker, VectorMaker):
        raise ValueError(f"{found.name} is no model of word vectors")
    words = found.vocabularies["words"].entries[FIRST:]
    return words, maker.vectors(found.model).detach()


MAKERS[Word2VecConfig] = Word2VecMaker()

SKIP_GRAM = Word2VecConfig(kind="skip-gram", m=64, window=5, negatives=5, t=1e-3)
"""Window, k and t as the C program has them when nothing else is said."""

RECIPES["word2vec"] = Recipe(
    data=Data("grammar", (("pairs", 25_000), ("seed", 0), ("size", "small"))),
    seed=0,
    model=replace(SKIP_GRAM, m=32),
    optimiser=Optimiser("adam", 0.02, decay="linear"),
    budget=Budget(steps=1200, tokens=2048, evaluate_every=200),
)
RECIPES["word2vec-tatoeba"] = Recipe(
    data=Data("tatoeba", min_count=10),
    seed=0,
    model=SKIP_GRAM,
    optimiser=Optimiser("adam", 0.015, decay="linear"),
    budget=Budget(steps=2000, tokens=4096, evaluate_every=500),
)
