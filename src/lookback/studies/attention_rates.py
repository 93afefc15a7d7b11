"""√d_k over the learning rate: does another rate make up for the missing root?

The largest queries of the study of attention, with each score at several rates, and the
two products also for longer.
"""

from dataclasses import replace

from lookback.workshop import Optimiser, Recipe, Study, case, on_few

from .attention import (
    SCORES,
    SEEDS,
    SIZES,
    STEPS,
    M,
    OneHeadConfig,
    OneLayerLearner,
    label,
    measured,
    recipe,
)

RATES = (1e-3, 3e-3, 1e-2, 3e-2)
D_K = SIZES[-1]
LONGER = 3  # times as many steps: does the product without √d_k catch up?


def at_rate(score: str, rate: float, seed: int, steps: int) -> Recipe[OneLayerLearner]:
    """The recipe of the study of attention, with another learning rate."""
    optimiser = Optimiser("adam", rate, decay="linear", clip=1.0)
    return replace(
        recipe(OneHeadConfig(score, M, D_K), seed, steps), optimiser=optimiser
    )


def run(score: str, rate: float, steps: int) -> str:
    return f"{score}, rate {rate:g}, {steps} steps"


STUDY = Study(
    about="the three scores with 256 features in a query, over learning rate and steps",
    cases={
        label(run(score, rate, steps), seed): case(
            measured, recipe=at_rate(score, rate, seed, steps)
        )
        for steps in (STEPS, LONGER * STEPS)
        for score in SCORES
        if steps == STEPS or score != "additive"
        for rate in RATES
        for seed in SEEDS
    },
    check=case(measured, recipe=on_few(at_rate("scaled", 1e-2, 0, 10), 3500)),
)
