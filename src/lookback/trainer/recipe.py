"""Recipes: all that decides what a trained model is, as data, found by its name.

The recipe of the model `luong` is in `lookback/recipes/luong.py`, that of
`nplm-grammar` in `lookback/recipes/nplm.py`: the name is the path.
"""

import hashlib
import json
import math
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib import import_module
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor

from lookback.text.spelling import did_you_mean, listed

OPTIMISERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adadelta": torch.optim.Adadelta,
    "adagrad": torch.optim.Adagrad,
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": torch.optim.SGD,
}
Parameters = Iterable[Tensor] | Iterable[dict[str, Any]]
"""What an optimiser updates: tensors, or groups of them with options of their own."""
DECAYS = ("constant", "cosine", "inverse-sqrt", "linear")

L = TypeVar("L")


@dataclass(frozen=True)
class Data:
    """The text that a model learns from.

    corpus     the name of a function of `lookback.text.corpora`
    options    what it is called with, as (name, value) pairs
    min_count  how often train must hold a word for it to be known
    """

    corpus: str
    options: tuple[tuple[str, Any], ...] = ()
    min_count: int = 1


@dataclass(frozen=True)
class Optimiser:
    """How weights follow their gradient.

    name     one of OPTIMISERS
    rate     the learning rate at its highest
    options  more arguments of that optimiser, as (name, value) pairs
    warmup   steps in which the rate rises from 0 to `rate`, in a straight line
    decay    one of DECAYS: how the rate changes from there to the last step
    clip     the norm that the gradient may have; None: any
    """

    name: str
    rate: float
    options: tuple[tuple[str, float | tuple[float, ...]], ...] = ()
    warmup: int = 0
    decay: str = "constant"
    clip: float | None = None

    def __post_init__(self) -> None:
        check_choice("optimiser", self.name, OPTIMISERS)
        check_choice("decay", self.decay, DECAYS)
        if not 0 < self.rate < math.inf or self.warmup < 0:
            raise ValueError(f"rate must be > 0 and warmup ≥ 0, got {self}")
        if self.clip is not None and not self.clip > 0:
            raise ValueError(f"clip must be above 0 or None, got {self.clip!r}")

    def over(self, parameters: Parameters) -> torch.optim.Optimizer:
        """The optimiser of these parameters."""
        make = OPTIMISERS[self.name]
        return make(parameters, lr=self.rate, **dict(self.options))

    def factor(self, step: int, steps: int) -> float:
        """What the rate is multiplied with at a step, counted from 1, of `steps`."""
        if step <= self.warmup:
            return step / self.warmup
        past = (step - self.warmup) / max(1, steps - self.warmup)
        if self.decay == "linear":
            return 1 - past
        if self.decay == "cosine":
            return (1 + math.cos(math.pi * past)) / 2
        if self.decay == "inverse-sqrt":
            return math.sqrt(max(1, self.warmup) / step)
        return 1.0


@dataclass(frozen=True)
class Budget:
    """What the training may cost.

    steps           batches, iterations of EM, or passes of counting
    tokens          how many a batch holds at most; 0 where there are no batches
    evaluate_every  after how many steps the loss on validation is measured
    patience        stop after so many evaluations without a better one; None: never
    """

    steps: int
    tokens: int = 0
    evaluate_every: int = 100
    patience: int | None = None

    def __post_init__(self) -> None:
        whole = ["steps", "evaluate_every"]
        for name in whole if self.patience is None else [*whole, "patience"]:
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} must be a whole number ≥ 1, got {value!r}")


@dataclass(frozen=True)
class Recipe(Generic[L]):
    """How a model is made.

    learner    the class that follows the recipe
    data       the text;  seed  that of all random numbers
    model      the configuration that the learner needs
    optimiser  None for models that count
    """

    learner: type[L]
    data: Data
    seed: int
    model: Any
    optimiser: Optimiser | None
    budget: Budget

    @property
    def digest(self) -> str:
        """A SHA-256 of all that decides the outcome, without names of classes."""
        text = json.dumps(plain(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def smoke_recipe(
    recipe: Recipe[L], pairs: int = 1000, steps: int | None = None
) -> Recipe[L]:
    """The same for the first pairs of its grammar: the check of a study.

    steps  how many the training has; None: as many as before
    """
    options = {**dict(recipe.data.options), "pairs": pairs}
    data = replace(recipe.data, options=(*options.items(),))
    few = recipe.budget.steps if steps is None else steps
    budget = replace(recipe.budget, steps=few)
    if steps is not None:
        budget = replace(budget, evaluate_every=steps)
    return replace(recipe, data=data, budget=budget)


def plain(value: Any) -> Any:
    """Data as what JSON can hold; `ValueError` for what is no data.

    Classes have no place in it, so that they may be renamed and moved: a dataclass is
    its fields, but for those that hold a class.
    """
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        return {k: plain(v) for k, v in parts.items() if not isinstance(v, type)}
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"a recipe holds dataclasses, numbers and words, not {value!r}")


def check_choice(kind: str, name: str, names: Iterable[str]) -> str:
    """The name, if it is one of `names`; otherwise `ValueError` with the nearest."""
    names = sorted(names)
    if name in names:
        return name
    hint = did_you_mean(name, names) or ":"
    raise ValueError(f"there is no {kind} {name!r}{hint} there is{listed(names)}")


def modules(room: str) -> list[str]:
    """The names of the modules of "recipes" or "studies"."""
    path = import_module(f"lookback.{room}").__path__
    return sorted(module.name for module in pkgutil.iter_modules(path))


def recipes() -> dict[str, Recipe[Any]]:
    """All recipes by name. It imports every module of `lookback.recipes`."""
    every = [import_module(f"lookback.recipes.{m}") for m in modules("recipes")]
    return {name: one for module in every for name, one in module.RECIPES.items()}


def recipe(name: str) -> Recipe[Any]:
    """The recipe of that name; `ValueError` with the nearest where there is none."""
    module = name.partition("-")[0]
    if module in modules("recipes"):
        named = import_module(f"lookback.recipes.{module}").RECIPES
        if name in named:
            one: Recipe[Any] = named[name]
            return one
    return recipes()[check_choice("model", name, recipes())]
