"""How translators of sub-words are trained: the Transformer and RNNsearch.

What goes in and what comes out are words. In between, each is cut into symbols of a
joint BPE, and source and target are ids of one list.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any

import torch

from lookback.bahdanau import RNNSearchConfig
from lookback.bpe import BPE, merge_pair
from lookback.ngram import UNK
from lookback.text.corpora import SPLITS, Pair, PairCorpus
from lookback.text.vocabulary import Vocabulary, words_of
from lookback.trainer.data import AnyCorpus, pairs
from lookback.trainer.fit import Batches
from lookback.trainer.learner import Vocabularies, Weights, Words
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe
from lookback.trainer.translation import EVALUATED, AttentionLearner

from .bahdanau import RNNSearchLearner
from .transformer import RECIPES as WORDS
from .transformer import Maps, SmoothedConfig, TransformerLearner, adam

SPACE = " "
"""It ends a symbol that ends a word."""


@dataclass(frozen=True)
class JointData(Data):
    """Pairs of which both sides are cut by one BPE, learned from train.

    symbols  how many there are, the specials and the alphabet among them
    """

    symbols: int = 4000


class SubwordLearner(AttentionLearner):
    """Reads and predicts symbols, translates words; its data is a `JointData`.

    Mixed with the learner of a network. A character that train lacks is <unk>.
    Attention is between symbols and links are between words.
    """

    def words_of(self, corpus: AnyCorpus) -> Vocabularies:
        data = self.recipe.data
        if not isinstance(data, JointData):
            raise ValueError(f"sub-words are learned from JointData, got {data!r}")
        text = [
            SPACE.join(side)
            for pair in pairs(corpus, "train")
            for side in (pair.source, pair.target)
        ]
        bpe = BPE.train(text, data.symbols, byte_fallback=False)
        joint = Vocabulary(bpe.entries)
        return {"source": joint, "target": joint}

    @property
    def bpe(self) -> BPE:
        """The tokenizer whose symbols are the vocabulary."""
        return bpe_of(self.vocabularies["source"])

    def cut(self, words: Words) -> tuple[str, ...]:
        return tuple(self.bpe.segment(SPACE.join(words_of(words)))) if words else ()

    def cut_pair(self, pair: Pair) -> Pair:
        """The symbols of both sides, without what was annotated of words."""
        return Pair(self.cut(pair.source), self.cut(pair.target))

    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        cut = tuple(map(self.cut_pair, pairs(corpus, split)))
        train, validation, test = (cut if name == split else () for name in SPLITS)
        text = PairCorpus(corpus.name, corpus.version, train, validation, test)
        return super().batches(text, split, generator)

    def joined(self, pieces: Sequence[str]) -> list[str]:
        return joined(pieces)

    def knows(self, word: str) -> bool:
        """Did train have all of its characters?"""
        return UNK not in self.cut([word])

    def measured_on(self, corpus: AnyCorpus, split: str) -> Sequence[Pair]:
        """About EVALUATED pairs from all of a split: its first may be its shortest."""
        read = pairs(corpus, split)
        return read[:: max(1, len(read) // EVALUATED)]

    def attention_weights(self, read: Sequence[tuple[Words, Words]]) -> list[Weights]:
        """The weights between the symbols of each pair, </s> the last of either."""
        return super().attention_weights([(self.cut(s), self.cut(t)) for s, t in read])

    def places(self, words: Words) -> set[int]:
        """The symbols of hidden words."""
        hidden = super().places(joined(words))
        return {k for k, word in enumerate(word_of(words)) if word in hidden}

    def link(self, source: Words, target: Words) -> set[tuple[int, int]]:
        """Words of which a symbol has its largest weight on a symbol of the other."""
        i, j = (word_of(self.cut(side)) for side in (source, target))
        return {(i[s], j[t]) for s, t in super().link(source, target)}


class SubwordTransformer(SubwordLearner, TransformerLearner):
    """The Transformer, with one table of vectors for both sides."""

    def maps(self, pairs: Sequence[Pair]) -> list[Maps]:
        """The weights of all heads between the symbols of each pair."""
        return super().maps([self.cut_pair(pair) for pair in pairs])


class SubwordRNNSearch(SubwordLearner, RNNSearchLearner):
    """RNNsearch, with a table of vectors for each side."""


def joined(symbols: Sequence[str]) -> list[str]:
    """The words of symbols, of which those that end a word end with a space.

    >>> joined(["un ", "ch", "at ", "dort "])
    ['un', 'chat', 'dort']
    """
    return "".join(symbols).split()


def word_of(symbols: Sequence[str]) -> list[int]:
    """The index of the word to which each symbol belongs.

    >>> word_of(["un ", "ch", "at ", "dort "])
    [0, 1, 1, 2]
    """
    ends = accumulate((symbol.endswith(SPACE) for symbol in symbols), initial=0)
    return list(ends)[:-1]


@lru_cache(maxsize=4)
def bpe_of(vocabulary: Vocabulary) -> BPE:
    """The tokenizer with these entries and without bytes: a vocabulary holds no merges.

    The merges before a symbol cut it in two, and these two were merged. Raises
    `ValueError` for a symbol that they do not cut so.
    """
    symbols = vocabulary.entries[len(vocabulary.specials) :]
    alphabet = tuple(s for s in symbols if len(s) == 1)
    index = {symbol: i for i, symbol in enumerate(symbols)}
    known, merges = dict[tuple[int, int], int](), list[tuple[str, str]]()
    for new, symbol in enumerate(symbols[len(alphabet) :], len(alphabet)):
        ids = [index.get(character, -1) for character in symbol]
        while len(ids) > 2 and (found := [p for p in pairwise(ids) if p in known]):
            first = min(found, key=known.__getitem__)
            ids = merge_pair(ids, first, known[first])
        if len(ids) != 2 or -1 in ids:
            raise ValueError(f"{symbol!r} is no merge of two symbols before it")
        known[ids[0], ids[1]] = new
        merges.append((symbols[ids[0]], symbols[ids[1]]))
    return BPE(alphabet, tuple(merges), byte_fallback=False)


def on_subwords(
    words: Recipe[TransformerLearner], tokens: int, symbols: int = 4000
) -> Recipe[SubwordTransformer]:
    """A Transformer's recipe with sub-words in place of words, and nothing else.

    tokens  that a batch may hold: choose them so that it holds as many sentences
    """
    return Recipe(
        SubwordTransformer,
        data=JointData(words.data.corpus, words.data.options, symbols=symbols),
        seed=words.seed,
        model=replace(words.model, shared=True),
        optimiser=words.optimiser,
        budget=replace(words.budget, tokens=tokens),
    )


SENTENCES = JointData("tatoeba", symbols=2000)
"""A short list leaves room for layers: a browser loads these models."""

RECIPES: dict[str, Recipe[Any]] = {
    # The captions' Transformer; a batch holds as many captions as one of words.
    "bpe-multi30k": on_subwords(WORDS["transformer-multi30k"], tokens=800),
    "bpe-transformer": Recipe(
        SubwordTransformer,
        data=SENTENCES,
        seed=0,
        model=SmoothedConfig(
            N=3,
            d_model=128,
            h=4,
            d_ff=384,
            smoothing=0.1,
            shared=True,
            norm_first=True,
        ),
        optimiser=adam(3e-3),
        budget=Budget(steps=3000, tokens=1400, evaluate_every=500),
    ),
    "bpe-bahdanau": Recipe(
        SubwordRNNSearch,
        data=SENTENCES,
        seed=0,
        model=RNNSearchConfig(m=88, n=184, k=112, l=96),
        optimiser=Optimiser("adam", 2.5e-3, warmup=300, decay="linear", clip=1.0),
        budget=Budget(steps=3000, tokens=1400, evaluate_every=500),
    ),
}
