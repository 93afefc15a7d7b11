"""Recipes: all that decides what a trained model is, as data.

A recipe holds no code. Which code follows it, the type of its `model` decides: see
`makers`. Two recipes with the same digest make the same model.
"""

import difflib
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

from lookback.ngram import KneserNey, Smoothing

from .plan import Plan

OPTIMISERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adadelta": torch.optim.Adadelta,
    "adagrad": torch.optim.Adagrad,
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "sgd": torch.optim.SGD,
}
Parameters = Iterable[Tensor] | Iterable[dict[str, Any]]
"""What an optimiser moves: tensors, or groups of them with options of their own."""
DECAYS = ("constant", "cosine", "inverse-sqrt", "linear")


@dataclass(frozen=True)
class Data:
    """What is read.

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
    decay    one of DECAYS: what it does from there to the last step
    clip     the norm that the gradient may have; None: any
    """

    name: str
    rate: float
    options: tuple[tuple[str, float | tuple[float, ...]], ...] = ()
    warmup: int = 0
    decay: str = "constant"
    clip: float | None = None

    def __post_init__(self) -> None:
        known("optimiser", self.name, OPTIMISERS)
        known("decay", self.decay, DECAYS)
        if not 0 < self.rate < math.inf or self.warmup < 0:
            raise ValueError(f"rate must be > 0 and warmup ≥ 0, got {self}")

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
    evaluate_every  after how many steps validation is asked
    patience        stop after so many evaluations without a better one; None: never
    """

    steps: int
    tokens: int = 0
    evaluate_every: int = 100
    patience: int | None = None


@dataclass(frozen=True)
class Recipe:
    """How a model comes to be; `model` is the configuration that its idea asks for."""

    data: Data
    seed: int
    model: Any
    optimiser: Optimiser | None
    budget: Budget

    def plan(self) -> Plan:
        """What `fit` does when, for a recipe with an optimiser."""
        if self.optimiser is None:
            raise ValueError(f"a model of counts takes no steps: {self.model}")
        optimiser, budget = self.optimiser, self.budget
        return Plan(
            budget.steps,
            schedule=lambda step: optimiser.factor(step, budget.steps),
            clip=optimiser.clip,
            evaluate_every=budget.evaluate_every,
            patience=budget.patience,
        )

    @property
    def digest(self) -> str:
        """A SHA-256 of all that stands in the recipe; the name is not in it."""
        text = json.dumps(plain(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class NgramConfig:
    """An n-gram model of the corpus's English."""

    order: int
    smoothing: Smoothing


@dataclass(frozen=True)
class Ibm1Config:
    """IBM Model 1: nothing to choose but how often EM goes round, budget.steps."""


def plain(value: Any) -> Any:
    """A recipe as what JSON can hold; `ValueError` for what is no data."""
    if is_dataclass(value) and not isinstance(value, type):
        inside = {f.name: plain(getattr(value, f.name)) for f in fields(value)}
        return {"is": type(value).__name__, **inside}
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"a recipe holds dataclasses, numbers and words, not {value!r}")


def known(kind: str, name: str, names: Iterable[str]) -> str:
    """The name, if it is one of `names`; otherwise `ValueError` with the nearest."""
    names = sorted(names)
    if name in names:
        return name
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(
        f"there is no {kind} {name!r}: {hint}there is {', '.join(names) or 'none'}"
    )


GRAMMAR = (("pairs", 5000), ("seed", 0), ("size", "small"))

RECIPES: dict[str, Recipe] = {
    "ngram": Recipe(
        # Not the Python reference: its text is another with each version of Python.
        data=Data("grammar", GRAMMAR, min_count=2),
        seed=0,
        model=NgramConfig(order=3, smoothing=KneserNey()),
        optimiser=None,
        budget=Budget(steps=1),
    ),
    "ibm1": Recipe(
        data=Data("grammar", GRAMMAR),
        seed=0,
        model=Ibm1Config(),
        optimiser=None,
        budget=Budget(steps=8),
    ),
}


def recipe(name: str, recipes: Mapping[str, Recipe] = RECIPES) -> Recipe:
    """The recipe of that name; `ValueError` with the nearest where there is none."""
    return recipes[known("model", name, recipes)]
