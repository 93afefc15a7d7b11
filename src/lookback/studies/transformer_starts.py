"""Positions that begin elsewhere: a Transformer trained from 0 on, and from anywhere.

A shift adds one number to all positions of a sentence; no word and no distance between
two words changes.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lookback.measure import bleu
from lookback.positions import SinusoidalPositions
from lookback.recipes.transformer import TrainedConfig, TransformerLearner
from lookback.text.batches import pair_batches
from lookback.text.corpora import Pair, grammar
from lookback.transformer import Transformer
from lookback.workshop import (
    EVALUATION_TOKENS,
    Recipe,
    Row,
    Study,
    follow,
    pretrained,
    recipe,
    teacher_forced,
)

from .translators import BINS, by_length, fresh

SEEDS = (0,)
STARTS = 64  # first positions to draw from
SHIFTS = (0, 1, 3, 5, 10, 20, 30, 60, 100)
SHORT, ASKED = (5, 10), 200  # words of a sentence that is shifted; how many of them
SPAN = 10  # positions whose words are counted together


@dataclass(frozen=True, kw_only=True)
class StartsConfig(TrainedConfig):
    """A Transformer whose positions, in training, begin at one of 0 … starts - 1."""

    starts: int


class Starts(SinusoidalPositions):
    """Positions that begin at random in training, and at 0 otherwise."""

    def __init__(self, d_model: int, starts: int) -> None:
        super().__init__(d_model)
        self.starts = starts

    def forward(self, T: int, first: int = 0) -> Tensor:
        drawn = int(torch.randint(self.starts, ())) if self.training else 0
        return super().forward(T, first + drawn)


class Shifted(nn.Module):
    """The positions of a model, counted from another number."""

    def __init__(self, positions: nn.Module, by: int) -> None:
        super().__init__()
        self.positions, self.by = positions, by

    def forward(self, T: int, first: int = 0) -> Tensor:
        rows: Tensor = self.positions(T, first + self.by)
        return rows


class FromAnywhere(Transformer):
    """Source and target each begin at a position of their own, drawn for a batch."""

    def __init__(self, config: StartsConfig, source: int, target: int) -> None:
        super().__init__(config, source, target)
        self.positions = Starts(config.d_model, config.starts)


class StartsLearner(TransformerLearner):
    architecture = FromAnywhere  # type: ignore[assignment]  # it wants more sizes


def anywhere(seed: int, steps: int | None = None) -> Recipe[StartsLearner]:
    """The recipe of the shipped Transformer, with positions that begin at random."""
    given: Recipe[Any] = recipe("transformer")
    options = {f.name: getattr(given.model, f.name) for f in fields(TrainedConfig)}
    budget = given.budget
    if steps is not None:
        budget = replace(budget, steps=steps, evaluate_every=steps)
    return replace(
        given,
        learner=StartsLearner,
        seed=seed,
        model=StartsConfig(**options, starts=STARTS),
        budget=budget,
    )


@contextmanager
def shifted(network: Transformer, by: int) -> Iterator[None]:
    """Inside, all positions of the network are larger by so many."""
    before = network.positions
    network.positions = Shifted(before, by)
    try:
        yield
    finally:
        network.positions = before


def measured(case: Recipe[TransformerLearner]) -> Row:
    """The shipped network, or one trained from anywhere.

    shifts     BLEU of short sentences, by how far their positions are shifted
    lengths    BLEU of the fresh sentences, bin by bin
    positions  for the two longest bins the share of wrong words in each span
    """
    own = isinstance(case.model, StartsConfig)
    learner = follow(case) if own else pretrained("transformer")
    assert isinstance(learner, TransformerLearner)
    return {
        "shifts": shifts(learner),
        "lengths": by_length(learner),
        "positions": [wrong(learner, some) for some in fresh()[-2:]],
    }


def short_sentences() -> list[Pair]:
    """Test sentences of few words, which no model was trained on."""
    test = grammar(pairs=6500).test
    low, high = SHORT
    return [pair for pair in test if low <= len(pair.source) <= high][:ASKED]


def shifts(learner: TransformerLearner) -> list[float]:
    """BLEU of short sentences, at each of SHIFTS."""
    some, scores = short_sentences(), []
    references = [list(pair.target) for pair in some]
    for by in SHIFTS:
        with shifted(learner.network, by):
            written = learner.decode([pair.source for pair in some])
        score = bleu(hypotheses=written, references=references).score
        scores.append(round(score, 2))
    return scores


def wrong(learner: TransformerLearner, pairs: Sequence[Pair]) -> list[float]:
    """The share of words not predicted, teacher forced, in each span of positions."""
    counts = np.zeros((2, 1 + BINS[-1][1] // SPAN * 2))
    network = learner.network.eval()
    with torch.no_grad():
        for batch in pair_batches(pairs, *learner.sides, tokens=EVALUATION_TOKENS):
            best = teacher_forced(network, batch).argmax(dim=-1)
            real = batch.target_mask[:, 1:]
            missed = (best != batch.target[:, 1:]) & real
            for t in range(real.size(1)):
                counts[0, t // SPAN] += int(missed[:, t].sum())
                counts[1, t // SPAN] += int(real[:, t].sum())
    full = counts[:, counts[1] >= len(pairs)]  # spans that few sentences reach are left
    return [round(float(a / b), 4) for a, b in full.T]


STUDY = Study(
    about="Transformers whose positions begin at 0 in training, or anywhere",
    cases={
        "from 0": recipe("transformer"),
        **{f"from anywhere, seed {seed}": anywhere(seed) for seed in SEEDS},
    },
    measure=measured,
    check=None,  # training takes minutes; the tests try its parts
)
