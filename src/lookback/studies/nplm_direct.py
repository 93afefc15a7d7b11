"""Do the direct connections of Bengio et al. 2003 help? More steps, and less decay.

The paper suspects that a network without them generalises better on little text, and
takes longer to learn. So both networks get the same steps first, and then three times
as many; and the decay, which was chosen with the connections, is halved for both.
"""

from dataclasses import replace

from lookback.recipes.nplm import BY_TEXT, NPLMLearner
from lookback.workshop import (
    Recipe,
    Row,
    Study,
    case,
    corpus,
    each,
    follow,
    on_few,
    recipe,
)

from .language_models import perplexity
from .nplm import scored

PYTHON = BY_TEXT["python_reference"]
DIRECT = {"with W": True, "without W": False}


def trained(direct: bool, steps: int, decay: float, seed: int) -> Recipe[NPLMLearner]:
    """The recipe of the Python reference with other steps, decay and seed."""
    optimiser = PYTHON.optimiser
    assert optimiser is not None
    return replace(
        PYTHON,
        seed=seed,
        model=replace(PYTHON.model, direct=direct),
        optimiser=replace(optimiser, options=(("weight_decay", decay),)),
        budget=replace(PYTHON.budget, steps=steps, evaluate_every=100),
    )


def measured(recipe: Recipe[NPLMLearner]) -> Row:
    """Perplexities of validation and test; the weights are the best on validation."""
    text = corpus(recipe.data)
    learner = follow(recipe)
    assert learner.log is not None
    assert learner.log.best is not None
    found = scored(learner, text)
    return {
        "parameters": learner.parameters,
        "best step": learner.log.best.step,
        "validation": perplexity(found["validation"]),
        "test": perplexity(found["test"]),
    }


def recipes() -> dict[str, Recipe[NPLMLearner]]:
    """Three seeds at 500 and 1 500 steps; one of 500 steps with half of the decay."""
    found = {
        f"{name}, {steps} steps, seed {seed}": trained(direct, steps, 0.8, seed)
        for name, direct in DIRECT.items()
        for steps in (500, 1500)
        for seed in (0, 1, 2)
    }
    for name, direct in DIRECT.items():
        found[f"{name}, half the decay, seed 0"] = trained(direct, 500, 0.4, 0)
    return found


STUDY = Study(
    about="direct connections from the vectors to the scores, by steps and decay",
    cases=each(measured, recipe=recipes()),
    check=case(measured, recipe=on_few(recipe("nplm-grammar"), 500, 100)),
)
