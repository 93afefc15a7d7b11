"""Translators that learned from no sentence of more than 18 words."""

from dataclasses import replace
from typing import Any

from lookback.workshop import SHORT_PAIRS, Recipe, Study, case, each, on_few, recipe

from .translators import measured


def shortened(name: str, steps: int, seed: int) -> Recipe[Any]:
    """A translator's recipe, trained on no sentence of more than 18 words."""
    whole = recipe(name)
    budget = replace(whole.budget, steps=steps)
    return replace(whole, data=SHORT_PAIRS, seed=seed, budget=budget)


SEEDS = (0, 1, 2)
FIXED, ATTENTION = "fixed vector", "attention"
STUDY = Study(
    about="translators that learned from no sentence of more than 18 words",
    cases=each(
        measured,
        recipe={
            f"{system}, seed {seed}": shortened(name, steps, seed)
            for system, name, steps in (
                (FIXED, "encdec", 2000),
                (ATTENTION, "bahdanau", 1200),
            )
            for seed in SEEDS
        },
    ),
    check=case(measured, recipe=on_few(shortened("bahdanau", 3, 0), 2000, 3), each=2),
)
