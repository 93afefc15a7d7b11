"""Mixtures of experts in a small Llama on the grammar, beside dense networks.

Each model is the Llama of the study `modern` and learns for STEPS steps. Its
feed-forward part is dense, as wide as two experts; dense, as wide as all eight; or a
mixture of eight experts, of which each token uses two, with the balance loss or
without.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from lookback.gpt import GPTConfig
from lookback.measure import log_probabilities
from lookback.modern import Llama
from lookback.moe import Mixtral, MixtralConfig, Routing, balance_loss
from lookback.recipes.gpt import on_text
from lookback.text.batches import Batch
from lookback.text.corpus import PairCorpus
from lookback.trainer.data import corpus
from lookback.trainer.learner import summary, train_recipe
from lookback.trainer.recipe import Recipe, check_choice, smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid

from .modern import GATED, llama
from .positions import NetworkLearner

SEEDS = (0, 1, 2, 3, 4)
STEPS = 1000
EXPERTS, K = 8, 2
BALANCE = 0.01  # α, that of Fedus et al. 2022; nothing was tried beside it
SENTENCES = 500  # of validation, whose words the experts are counted on
SENTENCE = (
    "the", "old", "minister", "and", "a", "young", "doctor", "sleep", "in", "paris", "."
)  # fmt: skip
KINDS = ("dense", "wide", "mixture", "no balance")


@dataclass(frozen=True, kw_only=True)
class MixtureConfig(GPTConfig):
    """The sizes of the GPT, and one of KINDS."""

    kind: str

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)

    def build(self, V: int) -> nn.Module:
        if self.kind in ("dense", "wide"):
            width = GATED if self.kind == "dense" else GATED * EXPERTS // K
            return Llama(replace(llama(self), d_ff=width), V)
        sizes = vars(replace(llama(self), d_ff=GATED // K))
        return Mixtral(MixtralConfig(**sizes, experts=EXPERTS, k=K), V)


class BalancedLearner(NetworkLearner):
    """In training, with α times the balance loss of each layer."""

    def loss(self, network: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        if not network.training:
            return super().loss(network, batch)
        logits, _, _, routings = network(batch.target[:, :-1])
        real = batch.target_mask[:, 1:]  # padding is no token
        log_p = log_probabilities(logits[real], batch.target[:, 1:][real])
        balance = sum(balance_loss(r.p[real], r.chosen[real]) for r in routings)
        return BALANCE * batch.tokens * balance - log_p.sum(), batch.tokens


def recipe(kind: str, seed: int) -> Recipe[NetworkLearner]:
    """The GPT's recipe, shorter, with another network."""
    learner = BalancedLearner if kind == "mixture" else NetworkLearner
    old = on_text("grammar", seed, learner)
    assert old.optimiser is not None
    return Recipe(
        learner,
        data=old.data,
        seed=seed,
        model=MixtureConfig(**vars(old.model), kind=kind),
        optimiser=replace(old.optimiser, warmup=STEPS // 20),
        budget=replace(old.budget, steps=STEPS, evaluate_every=STEPS),
    )


@torch.no_grad()
def usage(learner: NetworkLearner) -> Row:
    """Count which experts the words of validation choose.

    first choices  in the last layer: tag → how often its words have each expert first
    choices        (N, EXPERTS), of every layer: how often each expert is chosen
    """
    words, text = learner.vocabularies["words"], corpus(learner.recipe.data)
    assert isinstance(text, PairCorpus)
    first = dict[str, list[int]]()
    choices = torch.zeros(learner.recipe.model.N, EXPERTS, dtype=torch.int)
    for pair in text.validation[:SENTENCES]:
        ids = torch.tensor([[words.start, *words.ids(pair.source)]])
        routings: tuple[Routing, ...] = learner.network(ids)[3]
        for layer, routing in enumerate(routings):
            choices[layer] += routing.chosen[0, 1:].flatten().bincount(None, EXPERTS)
        best = routings[-1].chosen[0, 1:, 0].tolist()
        for tag, expert in zip(pair.tags.source, best, strict=True):
            first.setdefault(tag, [0] * EXPERTS)[expert] += 1
    return {"first choices": dict(sorted(first.items())), "choices": choices.tolist()}


def multiplications(network: nn.Module) -> int:
    """By weights, for one token: those of experts that are not chosen do nothing."""
    assert isinstance(network, Llama)
    c = network.config
    every = sum(p.numel() for p in network.parameters() if p.dim() == 2)
    idle = EXPERTS - K if isinstance(network, Mixtral) else 0
    return every - c.N * idle * 3 * c.d_model * c.d_ff


def measured(recipe: Recipe[NetworkLearner]) -> Row:
    """Train: parameters, work, seconds, perplexities; which experts words choose.

    p  of the first seed's mixtures: of each expert in the last layer, for each word of
       SENTENCE
    """
    learner = train_recipe(recipe)
    row: Row = summary(learner, corpus(learner.recipe.data))
    row["multiplications"] = multiplications(learner.network)
    if isinstance(learner.network, Mixtral):
        row |= usage(learner)
    if recipe.seed == 0 and isinstance(learner.network, Mixtral):
        words = learner.vocabularies["words"]
        ids = torch.tensor([[words.start, *words.ids(SENTENCE)]])
        with torch.no_grad():
            row["p"] = learner.network(ids)[3][-1].p[0, 1:].tolist()
    return row


def untrained(seed: int) -> Row:
    """Which experts words choose before the first step."""
    learner = BalancedLearner(recipe("mixture", seed))
    learner.vocabularies = learner.words_of(corpus(learner.recipe.data))
    learner.network = learner.untrained(learner.vocabularies).eval()
    return {"first choices": usage(learner)["first choices"]}


def arguments(kind: str, seed: int) -> Setting:
    return {"recipe": recipe(kind, seed)}


STUDY = Study(
    "mixtures of experts beside dense feed-forward networks, on the grammar",
    {
        "models": Experiment(
            measured,
            grid(kind=KINDS, seed=SEEDS),
            smoke={"recipe": smoke_recipe(recipe("mixture", 0), 300, 3)},
            arguments=arguments,
        ),
        "untrained": Experiment(untrained, grid(seed=SEEDS)),
    },
)
