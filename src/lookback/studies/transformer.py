"""The Transformer with the batches, the words and the loss of RNNsearch.

In the table of all translators each network has a budget of its own, and only the
Transformer's labels are smoothed. Here it is given what RNNsearch was given.
"""

from dataclasses import replace
from typing import Any

from lookback.trainer.learner import summary, train_recipe
from lookback.trainer.recipe import Recipe, recipe, smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid

from .translators import EACH, by_length


def equal(seed: int) -> Setting:
    """The recipe of the Transformer with the budget and the loss of RNNsearch."""
    given: Recipe[Any] = recipe("transformer")
    model = replace(given.model, smoothing=0.0)
    budget = recipe("bahdanau").budget
    return {"recipe": replace(given, seed=seed, model=model, budget=budget)}


def measured(recipe: Recipe[Any], each: int = EACH) -> Row:
    """Train; what the table of all translators shows, and BLEU by length.

    each  how many sentences of a range of lengths; 0: none
    """
    learner = train_recipe(recipe)
    assert learner.log is not None
    row = summary(learner)
    return {
        "steps": len(learner.log.entries),
        "target tokens": learner.log.tokens,
        **{key: row[key] for key in ("parameters", "seconds", "test BLEU")},
        "bleu": [part["bleu"] for part in by_length(learner, each)] if each else [],
    }


STUDY = Study(
    "the Transformer with the batches, words and loss of RNNsearch",
    {
        "equal": Experiment(
            measured,
            grid(seed=range(3)),
            smoke={"recipe": smoke_recipe(equal(0)["recipe"], 60, 3), "each": 0},
            arguments=equal,
        )
    },
)
