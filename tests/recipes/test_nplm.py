"""How neural language models are trained: their windows, and their decay."""

from dataclasses import replace

import pytest

from kit import LETTERS
from lookback.nplm import NPLM, NPLMConfig
from lookback.recipes.nplm import BY_TEXT, RECIPES, SEEDS, NPLMLearner
from lookback.trainer.language import TEXTS
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe

RECIPE = Recipe(
    NPLMLearner,
    Data("t"),
    0,
    NPLMConfig(n=3, m=2, h=4, direct=True),
    Optimiser("adamw", 0.05, (("weight_decay", 0.01),), decay="linear"),
    Budget(30, 12, evaluate_every=10),
)


@pytest.mark.parametrize("direct", [True, False])
def test_weights_decay_and_biases_do_not(direct: bool) -> None:
    network = NPLM(NPLMConfig(n=3, m=2, h=4, direct=direct), 5)
    assert RECIPE.optimiser
    optimiser = RECIPE.optimiser.over(NPLMLearner(RECIPE).groups(network))
    decay = {
        id(tensor): group["weight_decay"]
        for group in optimiser.param_groups
        for tensor in group["params"]
    }
    named = {name: decay[id(tensor)] for name, tensor in network.named_parameters()}
    weights = dict.fromkeys("CHUW" if direct else "CHU", 0.01)
    assert named == {**weights, "b": 0.0, "d": 0.0}


def test_its_groups_are_those_that_are_trained() -> None:
    """A decay of all that is learned pulls the weights to 0, and no bias."""
    assert RECIPE.optimiser
    pulled = replace(
        RECIPE,
        optimiser=replace(RECIPE.optimiser, options=(("weight_decay", 20.0),)),
    )
    network = train_recipe(pulled, LETTERS).network
    lengths = {name: p.norm().item() for name, p in network.named_parameters()}
    assert max(lengths[name] for name in "CHUW") < min(lengths[name] for name in "bd")


def test_each_text_has_its_recipe() -> None:
    assert BY_TEXT.keys() == SEEDS.keys() == TEXTS.keys()
    for text, recipe in BY_TEXT.items():
        assert recipe.data == TEXTS[text]
    for name, text in (("nplm", "python_reference"), ("nplm-grammar", "grammar")):
        assert RECIPES[name] is BY_TEXT[text]
