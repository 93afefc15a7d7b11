"""Recurrent language models: whole sentences in, no padding in what comes out."""

import pytest
import torch

from lookback.recipes.recurrent import (
    RECIPES,
    RecurrentConfig,
    RecurrentLearner,
    on_text,
)
from lookback.trainer.language import TEXTS
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe

from .conftest import CORPUS, learns


def recipe(cell: str = "rnn") -> Recipe[RecurrentLearner]:
    return Recipe(
        RecurrentLearner,
        Data("t"),
        0,
        RecurrentConfig(cell, m=3, n=4),
        Optimiser("adam", 0.05, clip=1.0),
        Budget(40, 12, evaluate_every=20),
    )


def test_it_learns_and_comes_back_from_its_tensors() -> None:
    learns(recipe())


def test_logits_are_those_of_the_network_and_padding_reaches_no_word() -> None:
    learner = RecurrentLearner(recipe())
    learner.vocabularies = learner.words_of(CORPUS)
    network = learner.network = learner.untrained(learner.vocabularies).eval()
    words = learner.vocabularies["words"]
    sentences = [("a", "b", "a", "c"), ("b",), ("c", "a")]
    together = learner.log_probabilities(sentences)
    for sentence, found in zip(sentences, together, strict=True):
        ids = torch.tensor([[words.start, *words.ids(sentence)]])
        p = torch.log_softmax(learner.logits(network, ids), dim=-1)[0]
        after = [*words.ids(sentence), words.end]
        expected = p[range(len(after)), after].detach().numpy()
        assert found == pytest.approx(expected, abs=1e-6)
        assert torch.equal(learner.logits(network, ids), network(ids)[0])


def test_a_configuration_refuses_what_it_does_not_know() -> None:
    learner = RecurrentLearner(recipe("elman"))
    with pytest.raises(ValueError, match="cell must be one of 'rnn', got 'elman'"):
        learner.build(learner.words_of(CORPUS))
    with pytest.raises(ValueError, match="dropout must be ≥ 0 and < 1"):
        RecurrentConfig("rnn", m=3, n=4, dropout=1.0)
    for size in ({"m": 0, "n": 4}, {"m": 3, "n": 2.0}):
        with pytest.raises(ValueError, match="must be a whole number ≥ 1"):
            RecurrentConfig("rnn", **size)  # type: ignore[arg-type]


def test_the_recipe_is_that_of_the_grammar() -> None:
    assert {"recurrent": on_text("rnn", "grammar")} == RECIPES
    assert RECIPES["recurrent"].data == TEXTS["grammar"]
    assert on_text("rnn", "grammar", seed=2).seed == 2
