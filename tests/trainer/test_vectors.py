"""What all learners of word vectors share, on a network whose vectors are known."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from kit import pair_corpus, text_corpus
from lookback.trainer.data import AnyCorpus
from lookback.trainer.fit import Batches
from lookback.trainer.learner import Vocabularies, train_recipe
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe
from lookback.trainer.vectors import FIRST, VectorLearner, unique_sentences, usefulness

CORPUS = text_corpus(
    ["a b c a", "b a c", "a rare b", "c a b b", "a b c a", "c b d d"],
    ["a b", "c zz a"],
    ["b"],
)


class MeanLearner(VectorLearner):
    """A vector for each word, drawn towards 1 by every word that is read."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        return nn.Embedding(len(vocabularies["words"]) - FIRST, 3)

    def table(self, network: nn.Module) -> Tensor:
        table: Tensor = network.weight  # type: ignore[assignment]
        return table

    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        def epoch() -> Iterator[Any]:
            return (torch.tensor(row) for row in self.rows(corpus, split))

        return epoch

    def loss(self, network: nn.Module, batch: Any) -> tuple[Tensor, int]:
        return ((network(batch) - 1) ** 2).sum(), len(batch)


RECIPE = Recipe(
    MeanLearner, Data("t", min_count=2), 0, None, Optimiser("adam", 0.1), Budget(90)
)


def test_each_sentence_is_read_once_and_rare_words_are_left_out() -> None:
    assert len(unique_sentences(CORPUS, "train")) == 5
    learner = MeanLearner(RECIPE)
    learner.vocabularies = learner.words_of(CORPUS)
    assert learner.words == ("b", "a", "c", "d")
    rows = learner.rows(CORPUS, "train")
    expected = [[1, 0, 2, 1], [0, 1, 2], [1, 0], [2, 1, 0, 0], [2, 0, 3, 3]]
    assert rows == expected
    assert learner.rows(CORPUS, "validation") == [[1, 0], [2, 1]]


def test_a_sentence_with_many_translations_is_read_once() -> None:
    corpus = pair_corpus([("a b", "c"), ("a b", "d")])
    assert unique_sentences(corpus, "train") == [("a", "b")]


def test_vectors_are_those_of_the_words_without_special_tokens() -> None:
    learner = train_recipe(RECIPE, CORPUS)
    words, vectors = learner.vectors()
    assert words == learner.vocabularies["words"].entries[FIRST:]
    assert not set(learner.vocabularies["words"].specials) & set(words)
    assert vectors.shape == (4, 3)
    assert not vectors.requires_grad
    assert vectors[:3].tolist() == [[pytest.approx(1, abs=0.2)] * 3] * 3


def test_what_is_measured() -> None:
    words = ["man", "woman", "king", "queen", "boy", "girl", "dog", "cat"]
    vectors = torch.tensor(
        [[-1.0, 2, 5], [1, 2, 5], [-1, 9, 5], [1, 9, 5], [-1, 5, 5], [1, 5, 5],
         [0, -3, 1], [0, -3, 2]]
    )  # fmt: skip
    both = {"analogies": 1.0, "same kind": 1.0}
    assert usefulness(words, vectors, "tatoeba") == {"analogies": 1.0}
    assert usefulness(words, vectors, "grammar") == both
    assert usefulness(words[6:], vectors[6:], "tatoeba") == {}
