"""A learner: one object that follows a recipe, owns its network and its vocabularies.

What people do with a trained model are its methods: `translate`, `attention`, `link`,
`generate`, `perplexity`, `vectors`. A kind of model has those that fit it.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lookback.text.vocabulary import Vocabulary

from . import parallel, seeds
from .data import AnyCorpus, corpus
from .device import moved
from .fit import Batches, fit, once
from .log import Log
from .recipe import Parameters, Recipe
from .resume import Saved

Tensors = Mapping[str, Tensor]
Vocabularies = Mapping[str, Vocabulary]
Words = Sequence[str]
Metrics = dict[str, float]
Weights = NDArray[np.float64]
CPU = torch.device("cpu")
SKILLS = (
    "attention", "generate", "hidden", "link", "log_probabilities", "perplexity",
    "translate", "vectors", "without",
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """Where and how a recipe is followed.

    state         the file of the last saved step; None: it begins anew each time
    progress      is a bar shown?
    vocabularies  words to use instead of those of the corpus
    prepare       called with the network before the first step
    evaluated     called with the loss after each evaluation
    """

    device: torch.device = CPU
    state: Path | None = None
    progress: bool = False
    vocabularies: Vocabularies | None = None
    prepare: Callable[[Any], None] = lambda network: None
    evaluated: Callable[[float], None] = lambda loss: None


class Learner(ABC):
    """A model that follows a recipe: it learns, is stored, and answers.

    network       a torch module, or a model of counts
    vocabularies  the words it knows, by role: "words", or "source" and "target"
    log           what happened step by step, where there were steps
    seconds       of the processor, if it was trained here
    name, metrics, metadata   of one that was stored: see `pretrained`
    """

    half: ClassVar[bool] = False
    """Are its numbers stored in half precision?"""

    network: Any
    vocabularies: Vocabularies

    def __init__(self, recipe: Recipe[Any]) -> None:
        self.recipe = recipe
        self.log: Log | None = None
        self.seconds = 0.0
        self.name, self.metrics = "", Metrics()
        self.metadata: Mapping[str, Any] = {}

    @abstractmethod
    def train(self, corpus: AnyCorpus, run: Run) -> None:
        """Follow the recipe: the network, the vocabularies and the log."""

    def train_on(self, text: AnyCorpus | None = None, **run: Any) -> None:
        """Train on a text, by default the recipe's; count the processor's seconds.

        run  fields of `Run`
        """
        text = corpus(self.recipe.data) if text is None else text
        began = time.process_time()
        self.train(text, Run(**run))
        self.seconds = time.process_time() - began

    @abstractmethod
    def tensors(self) -> Tensors:
        """All that the model has learned."""

    @abstractmethod
    def restore(self, tensors: Tensors, vocabularies: Vocabularies) -> None:
        """Be the model that learned that; `ValueError` where the tensors do not fit."""

    @abstractmethod
    def evaluate(self, corpus: AnyCorpus) -> Metrics:
        """How good it is, on validation and test."""

    @property
    @abstractmethod
    def parameters(self) -> int:
        """How many numbers it has learned."""

    @classmethod
    def skills(cls) -> list[str]:
        """Which of SKILLS this kind of model has."""
        return [name for name in SKILLS if hasattr(cls, name)]

    def __getattr__(self, name: str) -> Any:
        """Refuse what this kind of model cannot do, and say what it can."""
        who = self.__dict__.get("name") or type(self).__name__
        if name in SKILLS:
            raise AttributeError(
                f"{who} has no {name}: it has {', '.join(self.skills())}"
            )
        raise AttributeError(f"{who} has no attribute {name!r}")

    @property
    def provenance(self) -> dict[str, str]:
        """What the stamp of a page says of a model that the page shows."""
        about = self.metadata
        cost = f"{about['seconds']:,.0f} s on {about['machine']}"
        facts = {"model": self.name, "parameters": f"{about['parameters']:,}"}
        facts |= {"trained in": cost, "on": about["data"]["name"]}
        if about["data"].get("licence"):
            facts["made from"] = about["data"]["licence"]
        facts |= {key: f"{value:.4g}" for key, value in self.metrics.items()}
        return facts | {"recipe": about["digest"][:10]}

    def __repr__(self) -> str:
        if not self.name:
            return f"<{type(self).__name__}>"
        metrics = ", ".join(f"{k} {value:.4g}" for k, value in self.metrics.items())
        return f"<{self.name}: {self.metadata['parameters']:,} parameters, {metrics}>"


class NeuralLearner(Learner):
    """Trains a torch module with `fit`; a kind adds its words, batches and loss."""

    half = True
    network: nn.Module

    @abstractmethod
    def build(self, vocabularies: Vocabularies) -> nn.Module:
        """The untrained network."""

    @abstractmethod
    def words_of(self, corpus: AnyCorpus) -> Vocabularies:
        """The words it knows, by role, learned from train."""

    @abstractmethod
    def batches(
        self, corpus: AnyCorpus, split: str, generator: torch.Generator
    ) -> Batches:
        """The batches of a split; of train a function that draws those of an epoch."""

    @abstractmethod
    def loss(self, network: nn.Module, batch: Any) -> tuple[Tensor, int]:
        """The sum of the losses of the batch's tokens, and how many these are."""

    def groups(self, network: nn.Module) -> Parameters:
        """What the optimiser updates, in groups if some have options of their own."""
        return network.parameters()

    def untrained(self, vocabularies: Vocabularies) -> nn.Module:
        """The network before its first step, the same for the same seed."""
        with seeds.seeded(self.recipe.seed):
            return self.build(vocabularies)

    def train(self, corpus: AnyCorpus, run: Run) -> None:
        recipe, generator = self.recipe, seeds.generator(self.recipe.seed)
        if recipe.optimiser is None:
            raise ValueError(f"a torch module needs an optimiser: {recipe.model!r}")
        self.vocabularies = run.vocabularies or self.words_of(corpus)
        self.network = self.untrained(self.vocabularies).to(run.device)
        run.prepare(self.network)
        validation = self.batches(corpus, "validation", generator)
        first, saved = parallel.rank() == 0, None
        if run.state is not None:
            saved = Saved(run.state, recipe.digest, writes=first)

        def evaluate(network: nn.Module) -> float:
            loss = parallel.of_first(self.mean_loss(network, validation))
            run.evaluated(loss)
            return loss

        # Each process drops out other units; what is drawn for all is `generator`'s.
        with seeds.seeded(recipe.seed + 1 + parallel.rank()):
            self.log = fit(
                self.network,
                self.batches(corpus, "train", generator),
                parallel.shared(self.network, self.loss),
                recipe.optimiser,
                recipe.budget,
                parameters=self.groups(self.network),
                evaluate=evaluate,
                saved=saved,
                progress=run.progress and first,
            )

    def mean_loss(self, network: nn.Module, batches: Batches) -> float:
        """The loss per token of all batches."""
        device = next(network.parameters()).device
        total, tokens = 0.0, 0
        network.eval()
        with torch.no_grad():
            for batch in once(batches):
                part, count = self.loss(network, moved(batch, device))
                total, tokens = total + part.item(), tokens + count
        if not tokens:
            raise ValueError("there is nothing to measure the loss on")
        return total / tokens

    def tensors(self) -> Tensors:
        return dict(self.network.state_dict())

    def restore(self, tensors: Tensors, vocabularies: Vocabularies) -> None:
        with torch.random.fork_rng(devices=[]):
            network = self.build(vocabularies)
        try:
            network.load_state_dict(dict(tensors))
        except RuntimeError as error:
            raise ValueError(" ".join(str(error).split())) from error
        self.network, self.vocabularies = network.eval(), vocabularies

    @property
    def parameters(self) -> int:
        return sum(parameter.numel() for parameter in self.network.parameters())


T = TypeVar("T", bound=Learner)


def train_recipe(recipe: Recipe[T], text: AnyCorpus | None = None, **run: Any) -> T:
    """Train what a recipe says, and store nothing.

    text  what to train on, instead of the recipe's own corpus
    run   fields of `Run`
    """
    learner = recipe.learner(recipe)
    learner.train_on(text, **run)
    return learner


def summary(learner: Learner, text: AnyCorpus | None = None) -> Any:
    """Parameters, seconds and metrics, which the studies state of every model.

    text  on which it is evaluated, by default its recipe's corpus
    """
    text = corpus(learner.recipe.data) if text is None else text
    row = {"parameters": learner.parameters, "seconds": learner.seconds}
    return {**row, **learner.evaluate(text)}
