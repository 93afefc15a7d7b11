"""The maker of torch modules: what all of them share, and what each one adds."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from . import seeds
from .data import AnyCorpus
from .fit import fit
from .makers import Bench, Maker, Tensors, Trained, Vocabularies
from .ranks import moved
from .recipes import Parameters, Recipe


class NeuralMaker(Maker):
    """Trains a module with `fit`; a kind of model adds its words, batches and loss."""

    half = True

    @abstractmethod
    def vocabularies(self, recipe: Recipe, corpus: AnyCorpus) -> Vocabularies:
        """The words it knows, by role, learnt from train."""

    @abstractmethod
    def module(self, config: Any, vocabularies: Vocabularies) -> nn.Module:
        """The untrained module."""

    @abstractmethod
    def batches(
        self,
        recipe: Recipe,
        vocabularies: Vocabularies,
        corpus: AnyCorpus,
        split: str,
        generator: torch.Generator,
    ) -> Iterable[Any]:
        """The batches of a split, anew with each `iter`; chance from the generator."""

    @abstractmethod
    def loss(self, module: nn.Module, batch: Any) -> tuple[Tensor, int]:
        """The sum of the losses of the batch's tokens, and how many these are."""

    def groups(self, module: nn.Module) -> Parameters:
        """What the optimiser moves, in groups where some have options of their own."""
        return module.parameters()

    def train(self, recipe: Recipe, corpus: AnyCorpus, bench: Bench) -> Trained:
        words, chance = self.vocabularies(recipe, corpus), seeds.generator(recipe.seed)
        with seeds.seeded(recipe.seed):
            module = self.module(recipe.model, words).to(bench.device)
        if recipe.optimiser is None:
            raise ValueError(f"a torch module needs an optimiser: {recipe.model!r}")
        validation = self.batches(recipe, words, corpus, "validation", chance)
        # Each rank drops out other units; what is drawn for all comes from `chance`.
        with seeds.seeded(recipe.seed + 1 + bench.ranks.rank):
            log = fit(
                module,
                self.batches(recipe, words, corpus, "train", chance),
                self.loss,
                recipe.optimiser.over(self.groups(module)),
                recipe.plan(),
                evaluate=lambda module: self.mean_loss(module, validation),
                state=bench.state,
                run=recipe.digest,
                generators=[chance],
                ranks=bench.ranks,
                progress=bench.progress,
            )
        return Trained(module, words, log)

    def mean_loss(self, module: nn.Module, batches: Iterable[Any]) -> float:
        """The loss per token of all batches."""
        device = next(module.parameters()).device
        total, tokens = 0.0, 0
        module.eval()
        with torch.no_grad():
            for batch in batches:
                part, count = self.loss(module, moved(batch, device))
                total, tokens = total + part.item(), tokens + count
        if not tokens:
            raise ValueError("there is nothing to measure the loss on")
        return total / tokens

    def tensors(self, model: nn.Module, vocabularies: Vocabularies) -> Tensors:
        return dict(model.state_dict())

    def build(
        self, recipe: Recipe, tensors: Tensors, vocabularies: Vocabularies
    ) -> nn.Module:
        with seeds.seeded(recipe.seed):
            module = self.module(recipe.model, vocabularies)
        try:
            module.load_state_dict(dict(tensors))
        except RuntimeError as error:
            raise ValueError(" ".join(str(error).split())) from error
        return module.eval()

    def parameters(self, model: nn.Module) -> int:
        return sum(parameter.numel() for parameter in model.parameters())
