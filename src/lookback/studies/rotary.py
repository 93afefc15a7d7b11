"""Positions past the trained length, in a GPT of two layers and in one of one.

The GPT of the book's tables, with its learned positions replaced by others or by none.
It learns from sentences of up to 18 words, and predicts those of the long sentences of
the study `positions`, as if these went on: the end and the full stop are left out.
"""

from dataclasses import replace

from lookback.recipes.gpt import on_text
from lookback.trainer.recipe import Recipe, smoke_recipe
from lookback.trainer.study import Experiment, Setting, Study, grid

from .modern import ChangedConfig
from .positions import SHORT, NetworkLearner, measured

SEEDS = (0, 1, 2)
STEPS = 720
KINDS = ("learned", "none", "relative", "rotary", "alibi")


def recipe(positions: str, layers: int, seed: int) -> Recipe[NetworkLearner]:
    """The GPT's, on short sentences."""
    old = on_text("grammar", seed, NetworkLearner)
    assert old.optimiser is not None
    return Recipe(
        NetworkLearner,
        data=SHORT,
        seed=seed,
        model=ChangedConfig(**{**vars(old.model), "N": layers}, change=positions),
        optimiser=replace(old.optimiser, warmup=STEPS // 20),
        budget=replace(old.budget, steps=STEPS, evaluate_every=STEPS),
    )


def arguments(positions: str, layers: int, seed: int) -> Setting:
    return {"recipe": recipe(positions, layers, seed)}


STUDY = Study(
    "positions past the trained length, in a GPT",
    {
        "positions": Experiment(
            measured,
            grid(layers=[2], positions=KINDS, seed=SEEDS)
            + grid(layers=[1], positions=KINDS[1:], seed=SEEDS),
            smoke={"recipe": smoke_recipe(recipe("alibi", 2, 0), 300, 3), "asked": 10},
            arguments=arguments,
        )
    },
)
