"""Recurrent language models: whole sentences in, no padding in what comes out."""

import pytest

from lookback.recipes.recurrent import (
    RecurrentConfig,
    RecurrentLearner,
)
from lookback.text.corpora import grammar
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe


def recipe(cell: str = "rnn") -> Recipe[RecurrentLearner]:
    return Recipe(
        RecurrentLearner,
        Data("t"),
        0,
        RecurrentConfig(cell, m=3, n=4),
        Optimiser("adam", 0.05, clip=1.0),
        Budget(40, 12, evaluate_every=20),
    )


def test_a_configuration_refuses_what_it_does_not_know() -> None:
    learner = RecurrentLearner(recipe("elman"))
    with pytest.raises(ValueError, match="cell must be one of 'rnn', got 'elman'"):
        learner.build(learner.words_of(grammar(10)))
    with pytest.raises(ValueError, match="dropout must be ≥ 0 and < 1"):
        RecurrentConfig("rnn", m=3, n=4, dropout=1.0)
    for size in ({"m": 0, "n": 4}, {"m": 3, "n": 2.0}):
        with pytest.raises(ValueError, match="must be a whole number ≥ 1"):
            RecurrentConfig("rnn", **size)  # type: ignore[arg-type]
