"""Mixtures of experts in a small Llama on the grammar, beside dense networks.

Each model is the Llama of the study `modern` and learns for STEPS steps. Its
feed-forward part is dense, as wide as two experts; dense, as wide as all eight; or a
mixture of eight experts, of which each token uses two, with the balance loss or
without.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from lookback.measure import log_probabilities
from lookback.modern import Llama
from lookback.moe import Mixtral, MixtralConfig, Routing, balance_loss
from lookback.recipes.gpt import GPTLearner, TrainedConfig, on_text
from lookback.text.batches import Batch
from lookback.text.pairs import PairCorpus
from lookback.workshop import (
    Recipe,
    Row,
    Study,
    Vocabularies,
    case,
    corpus,
    follow,
    grid,
    known,
    on_few,
    outline,
)

from .modern import GATED, llama

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
class MixtureConfig(TrainedConfig):
    """The sizes of the GPT, and one of KINDS."""

    kind: str

    def __post_init__(self) -> None:
        super().__post_init__()
        known("kind", self.kind, KINDS)


class MixtureLearner(GPTLearner):
    """The learner of the GPT, with a `Llama` or a `Mixtral`."""

    def build(self, vocabularies: Vocabularies) -> nn.Module:
        c, V = self.recipe.model, len(vocabularies["words"])
        if c.kind in ("dense", "wide"):
            width = GATED if c.kind == "dense" else GATED * EXPERTS // K
            return Llama(replace(llama(c), d_ff=width), V)
        sizes = vars(replace(llama(c), d_ff=GATED // K))
        return Mixtral(MixtralConfig(**sizes, experts=EXPERTS, k=K), V)

    def loss(self, network: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        """In training, with α times the balance loss of each layer."""
        if not network.training or self.recipe.model.kind != "mixture":
            return super().loss(network, batch)
        logits, _, _, routings = network(batch.target[:, :-1])
        real = batch.target_mask[:, 1:]  # padding is no token
        log_p = log_probabilities(logits[real], batch.target[:, 1:][real])
        balance = sum(balance_loss(r.p[real], r.chosen[real]) for r in routings)
        return BALANCE * batch.tokens * balance - log_p.sum(), batch.tokens


def recipe(kind: str, seed: int, steps: int = STEPS) -> Recipe[MixtureLearner]:
    """The GPT's recipe, shorter, with another network."""
    old = on_text("grammar", seed, MixtureLearner)
    assert old.optimiser is not None
    return Recipe(
        MixtureLearner,
        data=old.data,
        seed=seed,
        model=MixtureConfig(**vars(old.model), kind=kind),
        optimiser=replace(old.optimiser, warmup=steps // 20),
        budget=replace(old.budget, steps=steps, evaluate_every=steps),
    )


@torch.no_grad()
def usage(learner: MixtureLearner) -> Mapping[str, list[list[list[int]]]]:
    """How often the words of each tag chose each expert: tag → layer, place, expert.

    The place is that of the choice: the expert with the largest p, the second.
    """
    words, found = learner.vocabularies["words"], dict[str, Tensor]()
    N, text = learner.recipe.model.N, corpus(learner.recipe.data)
    assert isinstance(text, PairCorpus)
    for pair in text.validation[:SENTENCES]:
        ids = torch.tensor([[words.start, *words.ids(pair.source)]])
        routings: tuple[Routing, ...] = learner.network(ids)[3]
        for t, tag in enumerate(pair.tags.source, 1):
            count = found.setdefault(tag, torch.zeros(N, K, EXPERTS, dtype=torch.int))
            for layer, routing in enumerate(routings):
                count[layer, range(K), routing.chosen[0, t]] += 1
    return {tag: found[tag].tolist() for tag in sorted(found)}


def multiplications(network: nn.Module) -> int:
    """By weights, for one token: those of experts that are not chosen do nothing."""
    assert isinstance(network, Llama)
    c = network.config
    every = sum(p.numel() for p in network.parameters() if p.dim() == 2)
    idle = EXPERTS - K if isinstance(network, Mixtral) else 0
    return every - c.N * idle * 3 * c.d_model * c.d_ff


def measured(kind: str, seed: int, steps: int = STEPS, few: bool = False) -> Row:
    """Train: parameters, work, seconds, perplexities; which experts words choose.

    few  on few sentences, as a check
    """
    told = recipe(kind, seed, steps)
    learner = follow(on_few(told) if few else told)
    row: Row = outline(learner, corpus(learner.recipe.data))
    row["multiplications"] = multiplications(learner.network)
    if isinstance(learner.network, Mixtral):
        row["usage"] = usage(learner)
    return row


def untrained(seed: int) -> Row:
    """Which experts words choose before the first step."""
    learner = MixtureLearner(recipe("mixture", seed))
    learner.vocabularies = learner.words_of(corpus(learner.recipe.data))
    learner.network = learner.untrained(learner.vocabularies).eval()
    return {"usage": usage(learner)}


def sentence(seed: int) -> Row:
    """Train; p of each expert for the words of SENTENCE: layer, word, expert."""
    learner = follow(recipe("mixture", seed))
    words = learner.vocabularies["words"]
    ids = torch.tensor([[words.start, *words.ids(SENTENCE)]])
    with torch.no_grad():
        routings: tuple[Routing, ...] = learner.network(ids)[3]
    return {"words": [*SENTENCE], "p": [r.p[0, 1:].tolist() for r in routings]}


STUDY = Study(
    about="mixtures of experts beside dense feed-forward networks, on the grammar",
    cases={
        **grid("{kind}, seed {seed}", measured, seed=SEEDS, kind=KINDS),
        **grid("untrained, seed {seed}", untrained, seed=SEEDS),
        "sentence": case(sentence, seed=0),
    },
    check=case(measured, kind="mixture", seed=0, steps=6, few=True),
)
