"""Who follows a recipe: a maker for each kind of model, found by its configuration."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lookback.text.vocabulary import Vocabulary

from .data import AnyCorpus
from .log import Log
from .ranks import Ranks
from .recipes import Recipe

Tensors = Mapping[str, Tensor]
Vocabularies = Mapping[str, Vocabulary]
Words = Sequence[str]
Metrics = dict[str, float]


@dataclass(frozen=True)
class Bench:
    """Where a recipe is followed: the device, the file of the state, the processes."""

    device: torch.device
    state: Path
    ranks: Ranks
    progress: bool = True


@dataclass(frozen=True)
class Trained:
    """A model, the words it knows, by role, and the log where it took steps."""

    model: Any
    vocabularies: Vocabularies
    log: Log | None = None


class Maker(ABC):
    """What the workshop must know of a kind of model."""

    half = False
    """Are its numbers kept in half precision?"""

    @abstractmethod
    def train(self, recipe: Recipe, corpus: AnyCorpus, bench: Bench) -> Trained:
        """Follow the recipe."""

    @abstractmethod
    def tensors(self, model: Any, vocabularies: Vocabularies) -> Tensors:
        """All that the model has learnt."""

    @abstractmethod
    def build(
        self, recipe: Recipe, tensors: Tensors, vocabularies: Vocabularies
    ) -> Any:
        """The model that learnt that; `ValueError` where the tensors do not fit."""

    @abstractmethod
    def measure(
        self, model: Any, vocabularies: Vocabularies, corpus: AnyCorpus
    ) -> Metrics:
        """How good it is, on validation and test."""

    @abstractmethod
    def parameters(self, model: Any) -> int:
        """How many numbers it has learnt."""


class Generates(ABC):
    """Makers of models that go on writing."""

    @abstractmethod
    def generate(
        self,
        model: Any,
        vocabularies: Vocabularies,
        words: int,
        start: Words,
        generator: torch.Generator,
    ) -> list[list[str]]:
        """Sentences of `words` words together, the first of which begins with start."""


class Aligns(ABC):
    """Makers of models that tell which word comes from which."""

    @abstractmethod
    def align(
        self, model: Any, vocabularies: Vocabularies, source: Words, target: Words
    ) -> set[tuple[int, int]]:
        """Links (source index, target index)."""

    @abstractmethod
    def weights(
        self, model: Any, vocabularies: Vocabularies, source: Words, target: Words
    ) -> NDArray[np.float64]:
        """(T, S): how much each target word looks at each source word."""


class Translates(ABC):
    """Makers of models that translate."""

    @abstractmethod
    def translate(
        self, model: Any, vocabularies: Vocabularies, source: Words
    ) -> list[str]:
        """The words of the translation."""


MAKERS: dict[type, Maker] = {}


def maker_of(recipe: Recipe) -> Maker:
    """The maker that follows the recipe; `ValueError` where nobody does."""
    try:
        return MAKERS[type(recipe.model)]
    except KeyError:
        raise ValueError(f"no maker knows what to do with {recipe.model!r}") from None
