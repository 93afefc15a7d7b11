"""A study of the decoder: what becomes of it if it sees what it is to predict.

Three translators are alike but for one line: one is right, in one the causal mask is
left out, in one the target is not shifted.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.decoder import DecoderLayer, KVCache
from lookback.text.batches import Batch
from lookback.text.corpora.synchronous import Lengths
from lookback.transformer import Transformer

from . import seeds
from .data import corpus
from .language_models import follow
from .makers import MAKERS, Vocabularies, maker_of
from .recipes import Budget, Data, Optimiser, Recipe, known
from .studies import STUDIES, Row, Study
from .transforming import TrainedConfig, TransformerMaker
from .translating import logits_of, pairs
from .translators import curve

LEAKS = ("none", "mask", "shift")
SEEDS = (0, 1)
STEPS, TOKENS = 500, 900
SHOWN = 3  # sentences of the validation, and what the first seed made of them
PAIRS, FEW = 20_000, 400
SHORT = Lengths(uniform=0.0, low=12, high=18, longest=18)
"""Sentences of at most 18 words, which are learnt soonest."""


@dataclass(frozen=True, kw_only=True)
class LeakConfig(TrainedConfig):
    """A Transformer with a fault, one of LEAKS.

    none   it has none
    mask   a place may look at all places of the target, also at those to come
    shift  the word that is to be predicted is also what is read
    """

    leak: str = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        known("leak", self.leak, LEAKS)


class OpenLayer(DecoderLayer):
    """A decoder layer in which the causal mask was forgotten."""

    def target_mask(self, T: int, cache: KVCache) -> Tensor:
        return torch.ones_like(super().target_mask(T, cache))


class LeakMaker(TransformerMaker):
    """Makes and trains the three; all begin with the same numbers."""

    def module(self, config: Any, vocabularies: Vocabularies) -> nn.Module:
        model = super().module(config, vocabularies)
        assert isinstance(model, Transformer)
        if config.leak == "mask":
            for n, layer in enumerate(model.decoder.layers):
                opened = OpenLayer(config)
                opened.load_state_dict(layer.state_dict())
                model.decoder.layers[n] = opened
        return model

    def loss(self, module: nn.Module, batch: Batch) -> tuple[Tensor, int]:
        """Unsmoothed. Not shifted, each place reads what it is asked for."""
        config: Any = getattr(module, "module", module).config
        wanted, there = batch.target[:, 1:], batch.target_mask[:, 1:]
        read = wanted if config.leak == "shift" else batch.target[:, :-1]
        logits = logits_of(module(batch.source, batch.source_mask, read))
        return cross_entropy(
            logits[there], wanted[there], reduction="sum"
        ), batch.tokens


MAKERS[LeakConfig] = LeakMaker()


def recipe(leak: str, seed: int, steps: int = STEPS, pairs: int = PAIRS) -> Recipe:
    """All learn in the same way from the same pairs."""
    told = (("pairs", pairs), ("seed", 0), ("size", "small"), ("lengths", SHORT))
    return Recipe(
        data=Data("grammar", told),
        seed=seed,
        model=LeakConfig(N=2, d_model=64, h=4, d_ff=256, leak=leak),
        optimiser=Optimiser("adam", 6e-3, warmup=100, decay="linear", clip=1.0),
        budget=Budget(steps=steps, tokens=TOKENS, evaluate_every=steps),
    )


def measured(asked: Recipe) -> Row:
    """Train; what it loses where it is given the target, and what it writes alone."""
    made, seconds = follow(asked)
    maker, words = maker_of(asked), made.vocabularies
    assert isinstance(maker, LeakMaker)
    text, chance = corpus(asked.data), seeds.generator(0)
    read = maker.batches(asked, words, text, "validation", chance)
    scores = maker.measure(made.model, words, text)
    row: Row = {
        "parameters": maker.parameters(made.model),
        "seconds": round(seconds, 2),
        "validation loss": round(maker.mean_loss(made.model, read), 4),
        **{name: round(score, 4) for name, score in scores.items()},
        "curve": curve(made.log),
    }
    if asked.seed == 0:
        sources = [pair.source for pair in pairs(text, "validation")[:SHOWN]]
        row["sources"] = [" ".join(source) for source in sources]
        written = maker.decode(made.model, words, sources)
        row["written"] = [" ".join(sentence) for sentence in written]
    return row


STUDIES["leaks"] = Study(
    about="translators whose decoder sees the word that it is to predict",
    cases={
        **{
            f"{leak}, seed {seed}": recipe(leak, seed)
            for leak in LEAKS
            for seed in SEEDS
        },
        "quick": recipe("mask", 1, 3, FEW),
    },
    measure=measured,
    check="quick",
)
