"""Recipes: all that decides what a model is, and nothing else, found by their names."""

import math
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pytest
import torch

import lookback.recipes
from lookback.trainer.learner import Learner
from lookback.trainer.recipe import (
    Budget,
    Data,
    Optimiser,
    Recipe,
    check_choice,
    modules,
    plain,
    recipe,
    recipes,
)


class SomeLearner(Learner):
    """It is not made here: a recipe names its class alone."""


class OtherLearner(Learner):
    """The same under another name."""


@dataclass(frozen=True)
class Inner:
    share: float


@dataclass(frozen=True)
class Config:
    order: int
    inner: Inner
    kind: str = "plain"


@dataclass(frozen=True)
class RenamedInner:
    share: float


@dataclass(frozen=True)
class RenamedConfig:
    order: int
    inner: RenamedInner
    kind: str = "plain"


RECIPE = Recipe(
    SomeLearner,
    Data("c", (("pairs", 3),)),
    0,
    Config(2, Inner(0.5)),
    Optimiser("adam", 0.1, clip=1.0),
    Budget(10, tokens=5, patience=3),
)


OTHER: dict[str, dict[str, Any]] = {
    "data": {"corpus": "d", "options": (("pairs", 4),), "min_count": 2},
    "model": {"order": 3, "inner": Inner(0.6), "kind": "odd"},
    "optimiser": {"name": "adamw", "rate": 0.2, "options": (("eps", 1e-9),),
                  "warmup": 1, "decay": "linear", "clip": 2.0},
    "budget": {"steps": 11, "tokens": 6, "evaluate_every": 7, "patience": None},
}  # fmt: skip


def test_every_field_of_a_recipe_but_its_learner_is_in_its_digest() -> None:
    digests = [replace(RECIPE, seed=1).digest, replace(RECIPE, optimiser=None).digest]
    for name, others in OTHER.items():
        part = getattr(RECIPE, name)
        assert others.keys() == {field.name for field in fields(part)}
        for field, value in others.items():
            changed = {name: replace(part, **{field: value})}
            digests.append(replace(RECIPE, **changed).digest)
    assert len({RECIPE.digest, *digests}) == 1 + len(digests)
    assert replace(RECIPE).digest == RECIPE.digest
    assert len(RECIPE.digest) == 64


def test_names_of_classes_are_not_in_it() -> None:
    renamed = replace(RECIPE, model=RenamedConfig(2, RenamedInner(0.5)))
    assert renamed.digest == RECIPE.digest
    assert replace(RECIPE, learner=OtherLearner).digest == RECIPE.digest
    assert "Config" not in str(plain(RECIPE))
    assert "learner" not in plain(RECIPE)


def test_names_of_fields_are_in_it() -> None:
    @dataclass(frozen=True)
    class OtherField:
        n: int
        inner: Inner
        kind: str = "plain"

    assert replace(RECIPE, model=OtherField(2, Inner(0.5))).digest != RECIPE.digest


def test_a_digest_is_the_same_in_every_process() -> None:
    """Stored files are known by it: a change here makes every checkpoint outdated."""
    one = Recipe(SomeLearner, Data("c"), 0, None, None, Budget(1))
    assert one.digest.startswith("50119ab2929d")


def test_a_recipe_holds_no_code() -> None:
    with pytest.raises(ValueError, match="a recipe holds dataclasses, numbers and"):
        replace(RECIPE, model=lambda: 1).digest  # noqa: B018
    assert plain((1, [2.5, None], "x")) == [1, [2.5, None], "x"]


# --- optimiser and budget


def test_the_optimiser_is_torchs() -> None:
    weight = torch.nn.Parameter(torch.zeros(2))
    optimiser = Optimiser("sgd", 0.25, (("momentum", 0.9),)).over([weight])
    assert isinstance(optimiser, torch.optim.SGD)
    assert optimiser.param_groups[0]["lr"] == 0.25
    assert optimiser.param_groups[0]["momentum"] == 0.9


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
    at_once = Optimiser("adam", 0.1, decay=decay).factor(1, 10**9)
    assert at_once == pytest.approx(1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("adem", 0.1), "there is no optimiser 'adem': did you mean 'adam'?"),
        (("adam", 0.0), "rate must be > 0"),
        (("adam", math.inf), "rate must be > 0"),
        (("adam", math.nan), "rate must be > 0"),
        (("adam", 0.1, (), -1), "warmup ≥ 0"),
        (("adam", 0.1, (), 0, "cosin"), "did you mean 'cosine'?"),
        (("adam", 0.1, (), 0, "constant", 0.0), "clip must be above 0 or None, got"),
        (("adam", 0.1, (), 0, "constant", math.nan), "clip must be above 0 or None"),
    ],
)
def test_an_optimiser_that_makes_no_sense_is_refused(given, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("?", r"\?")):
        Optimiser(*given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"steps": 0}, "steps must be a whole number ≥ 1, got 0"),
        ({"steps": 1.5}, "steps must be a whole number ≥ 1, got 1.5"),
        ({"steps": True}, "steps must be a whole number ≥ 1, got True"),
        ({"steps": 1, "evaluate_every": 0}, "evaluate_every must be"),
        ({"steps": 1, "patience": 0}, "patience must be"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(given: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Budget(**given)


# --- names


def test_names_are_known_or_the_nearest_is_named() -> None:
    assert check_choice("x", "b", ["qqqq", "b"]) == "b"
    with pytest.raises(ValueError, match=r"^there is no x 'zz': there is b, qqqq$"):
        check_choice("x", "zz", ["qqqq", "b"])
    with pytest.raises(ValueError, match=r"^there is no x 'zz': there is none$"):
        check_choice("x", "zz", [])
    with pytest.raises(ValueError) as caught:
        check_choice("case", "dot", ["dot, local", "dot, global", "concat"])
    assert str(caught.value) == (
        "there is no case 'dot': did you mean 'dot, global'? there is\n"
        "  concat\n  dot, global\n  dot, local"
    )


def test_a_recipe_is_found_by_its_name() -> None:
    from lookback.recipes import bahdanau, ngram

    assert recipe("ngram") is ngram.RECIPES["ngram"]
    assert recipe("bahdanau-tatoeba") is bahdanau.RECIPES["bahdanau-tatoeba"]
    with pytest.raises(ValueError, match="no model 'ngrams': did you mean 'ngram'"):
        recipe("ngrams")
    with pytest.raises(ValueError, match="no model 'bahdanau-tatoba': did you mean"):
        recipe("bahdanau-tatoba")


def test_a_new_module_in_the_folder_is_found_and_no_other_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lookback_a.py").write_text("RECIPES = {'lookback_a-b': 7}\n")
    (tmp_path / "lookback_z.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.setattr(lookback.recipes, "__path__", [str(tmp_path)])
    assert modules("recipes") == ["lookback_a", "lookback_z"]
    assert recipe("lookback_a-b") == 7
    with pytest.raises(RuntimeError, match="imported"):
        recipes()


def test_the_names_of_a_modules_recipes_begin_with_its_own() -> None:
    for name, one in recipes().items():
        assert name.partition("-")[0] in modules("recipes")
        assert issubclass(one.learner, Learner)
        assert len(one.digest) == 64
        assert recipe(name) is one
    assert len({one.digest for one in recipes().values()}) == len(recipes())
