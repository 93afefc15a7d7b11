"""Agreement over distance at four learning rates: RNN, LSTM and GRU."""

from dataclasses import replace
from typing import Any

from lookback.recipes.lstm import on_text
from lookback.workshop import (
    Recipe,
    Results,
    Row,
    Study,
    case,
    corpus,
    english,
    follow,
    on_few,
)

from .recurrent import PROBE, SEEDS, answers, probe

SYSTEMS = {"RNN": "rnn", "LSTM": "lstm", "GRU": "gru"}
RATES = (2e-3, 4e-3, 8e-3, 16e-3)


def at_rate(cell: str, rate: float, seed: int) -> Recipe[Any]:
    """The recipe of a cell on the grammar, with this learning rate."""
    recipe = on_text(cell, "grammar", seed)
    assert recipe.optimiser is not None
    return replace(recipe, optimiser=replace(recipe.optimiser, rate=rate))


def system_at(system: str, rate: float) -> str:
    """The name of a system at a rate, without its seed."""
    return f"{system} at {rate:g}"


def measured(recipe: Recipe[Any], pairs: int = PROBE) -> Row:
    """Train; agreement over distance, gradients, and perplexity on validation."""
    learner = follow(recipe)
    valid = english(corpus(recipe.data), "validation")
    row = answers(learner, probe(recipe.data, pairs))
    return row | {"validation perplexity": learner.perplexity(valid)}


def best_rate(study: Results, system: str) -> float:
    """The rate whose mean perplexity on validation is lowest."""
    of = {
        rate: sum(
            r["validation perplexity"] for r in study.seeds(system_at(system, rate))
        )
        for rate in RATES
    }
    return min(RATES, key=lambda rate: of[rate])


STUDY = Study(
    about="agreement and gradients over distance, by learning rate",
    cases={
        f"{system_at(system, rate)}, seed {seed}": case(
            measured, recipe=at_rate(cell, rate, seed)
        )
        for system, cell in SYSTEMS.items()
        for rate in RATES
        for seed in SEEDS
    },
    check=case(measured, recipe=on_few(at_rate("rnn", 8e-3, 0), steps=3), pairs=600),
)
