"""Recipes: what decides about a model, and nothing else."""

import math
from dataclasses import FrozenInstanceError, dataclass, fields, replace

import pytest
import torch
from lookback.workshop.makers import maker_of
from lookback.workshop.recipes import (
    RECIPES,
    Budget,
    Data,
    NgramConfig,
    Optimiser,
    Recipe,
    known,
    plain,
    recipe,
)

from lookback.ngram import AddK, KneserNey

RECIPE = Recipe(
    Data("c", (("pairs", 3),)),
    0,
    NgramConfig(2, KneserNey(0.5)),
    Optimiser("adam", 0.1, clip=1.0),
    Budget(10, tokens=5, patience=3),
)


def test_a_recipe_is_five_things_that_do_not_change() -> None:
    names = [field.name for field in fields(Recipe)]
    assert names == ["data", "seed", "model", "optimiser", "budget"]
    with pytest.raises(FrozenInstanceError):
        RECIPE.seed = 1  # type: ignore[misc]


def test_whatever_stands_in_a_recipe_is_in_its_digest() -> None:
    assert RECIPE.optimiser
    others = [
        replace(RECIPE, data=Data("d", (("pairs", 3),))),
        replace(RECIPE, data=Data("c", (("pairs", 4),))),
        replace(RECIPE, data=Data("c", (("pairs", 3),), min_count=2)),
        replace(RECIPE, seed=1),
        replace(RECIPE, model=NgramConfig(3, KneserNey(0.5))),
        replace(RECIPE, model=NgramConfig(2, KneserNey())),
        replace(RECIPE, model=NgramConfig(2, AddK(0.5))),
        replace(RECIPE, optimiser=None),
        replace(RECIPE, optimiser=replace(RECIPE.optimiser, clip=2.0)),
        replace(RECIPE, budget=Budget(11, tokens=5, patience=3)),
    ]
    digests = {RECIPE.digest, *(other.digest for other in others)}
    assert len(digests) == 1 + len(others)
    assert replace(RECIPE).digest == RECIPE.digest
    assert len(RECIPE.digest) == 64


def test_a_digest_is_the_same_in_every_process() -> None:
    """It names files of years ago: a change here makes every checkpoint old."""
    assert Recipe(Data("c"), 0, None, None, Budget(1)).digest.startswith("621525ed9689")


def test_a_recipe_holds_no_code() -> None:
    with pytest.raises(ValueError, match="a recipe holds dataclasses, numbers and"):
        replace(RECIPE, model=lambda: 1).digest  # noqa: B018
    assert plain((1, [2.5, None], "x")) == [1, [2.5, None], "x"]


def test_the_optimiser_is_torchs() -> None:
    weight = torch.nn.Parameter(torch.zeros(2))
    made = Optimiser("sgd", 0.25, (("momentum", 0.9),)).over([weight])
    assert isinstance(made, torch.optim.SGD)
    assert made.param_groups[0]["lr"] == 0.25
    assert made.param_groups[0]["momentum"] == 0.9


@pytest.mark.parametrize(
    ("decay", "factors"),
    [
        ("constant", {1: 0.25, 4: 1.0, 8: 1.0, 12: 1.0}),
        ("linear", {1: 0.25, 4: 1.0, 8: 0.5, 12: 0.0}),
        ("cosine", {1: 0.25, 4: 1.0, 8: 0.5, 10: (1 - math.sqrt(0.5)) / 2, 12: 0.0}),
        ("inverse-sqrt", {1: 0.25, 4: 1.0, 9: 2 / 3, 12: math.sqrt(1 / 3)}),
    ],
)
def test_the_rate_rises_and_decays(decay: str, factors: dict[int, float]) -> None:
    optimiser = Optimiser("adam", 0.1, warmup=4, decay=decay)
    found = {step: optimiser.factor(step, 12) for step in factors}
    assert found == pytest.approx(factors)


def test_without_warm_up_it_starts_at_the_top() -> None:
    assert Optimiser("adam", 0.1, decay="inverse-sqrt").factor(1, 9) == 1
    assert Optimiser("adam", 0.1).factor(1, 9) == 1


def test_a_plan_is_made_of_budget_and_optimiser() -> None:
    plan = replace(RECIPE, budget=Budget(12, 5, 7, 3)).plan()
    assert (plan.steps, plan.evaluate_every, plan.patience) == (12, 7, 3)
    assert plan.clip == 1.0
    with pytest.raises(ValueError, match="a model of counts takes no steps"):
        replace(RECIPE, optimiser=None).plan()
    assert RECIPE.optimiser
    falling = replace(RECIPE.optimiser, decay="linear")
    assert replace(RECIPE, optimiser=falling).plan().schedule(5) == 0.5


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (("adem", 0.1), "there is no optimiser 'adem': did you mean 'adam'?"),
        (("adam", 0.0), "rate must be > 0"),
        (("adam", 0.1, (), -1), "warmup ≥ 0"),
        (("adam", 0.1, (), 0, "cosin"), "did you mean 'cosine'?"),
    ],
)
def test_an_optimiser_that_makes_no_sense_is_refused(told, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("?", r"\?")):
        Optimiser(*told)


def test_names_are_known_or_the_nearest_is_told() -> None:
    assert recipe("ngram") is RECIPES["ngram"]
    with pytest.raises(ValueError, match="no model 'ngrams': did you mean 'ngram'"):
        recipe("ngrams")
    with pytest.raises(ValueError, match=r"^there is no x 'zz': there is b, qqqq$"):
        known("x", "zz", ["qqqq", "b"])
    with pytest.raises(ValueError, match=r"^there is no x 'zz': there is none$"):
        known("x", "zz", [])


def test_every_recipe_has_its_maker_and_a_digest() -> None:
    for one in RECIPES.values():
        assert maker_of(one).parameters
        assert one.digest

    @dataclass(frozen=True)
    class Odd:
        pass

    with pytest.raises(ValueError, match="no maker knows what to do with"):
        maker_of(replace(RECIPE, model=Odd()))
