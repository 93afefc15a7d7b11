"""A training ablation: the recipe of Vaswani et al. 2017, each part off once.

"Everything" is what section 5 of Vaswani et al. 2017 says: smoothed labels, a rate that
rises and falls, an Adam that forgets sooner, and batches of about as many tokens; but
no dropout, which is switched on once. All losses on
validation are without smoothing.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lookback.measure import bleu
from lookback.recipes.transformer import (
    RECIPES,
    TrainedConfig,
    TransformerLearner,
    noam,
)
from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import Pair
from lookback.workshop import (
    EVALUATED,
    EVALUATION_TOKENS,
    Budget,
    Recipe,
    Row,
    Study,
    case,
    corpus,
    follow,
    on_few,
    pairs,
    teacher_forced,
)

D_MODEL, WARMUP, STEPS, EVERY = 96, 400, 1200, 100
SENTENCES = 54  # as many as a batch of 900 tokens holds on average
BINS = 10  # of the probability of the word that is held for the likeliest


@dataclass(frozen=True, kw_only=True)
class BySentencesConfig(TrainedConfig):
    """A Transformer that is trained in batches of so many pairs, however long."""

    sentences: int


class BySentencesLearner(TransformerLearner):
    """Pairs of similar length together as ever, but batches are counted in pairs."""

    def epoch(
        self, pairs: Sequence[Pair], generator: torch.Generator
    ) -> Iterator[Batch]:
        size = self.recipe.model.sentences
        return pair_batches(pairs, *self.sides, sentences=size, generator=generator)


PAPER = noam(D_MODEL, WARMUP)
BASE = replace(
    RECIPES["transformer"],
    model=TrainedConfig(N=2, d_model=D_MODEL, h=4, d_ff=384, smoothing=0.1),
    optimiser=PAPER,
    budget=Budget(steps=STEPS, tokens=900, evaluate_every=EVERY),
)


def with_optimiser(**parts: Any) -> Recipe[TransformerLearner]:
    """The recipe with other parts of its optimiser."""
    return replace(BASE, optimiser=replace(PAPER, **parts))


def unsmoothed(recipe: Recipe[TransformerLearner]) -> Recipe[TransformerLearner]:
    return replace(recipe, model=replace(recipe.model, smoothing=0.0))


LOWER = (1e-3, 2e-3, 3e-3, 4e-3)
"""Peaks of what is trained without a warm-up; Noam's: 5.1e-3."""
DECAYS = {"constant": "constant", "linear": "falling to 0"}


def at_once(rate: float, decay: str) -> str:
    """The name of a variant without a warm-up: "constant at once, 0.001"."""
    return f"{DECAYS[decay]} at once, {rate:g}"


VARIANTS: dict[str, Recipe[TransformerLearner]] = {
    "everything": BASE,
    "no smoothing": unsmoothed(BASE),
    "usual Adam": with_optimiser(options=()),
    "no decay": with_optimiser(decay="constant"),
    "constant rate": with_optimiser(decay="constant", warmup=0),
    "falling to 0": with_optimiser(decay="linear"),
    "with dropout": replace(BASE, model=replace(BASE.model, dropout=0.1)),
    "by sentences": Recipe(
        BySentencesLearner,
        BASE.data,
        BASE.seed,
        BySentencesConfig(**asdict(BASE.model), sentences=SENTENCES),
        BASE.optimiser,
        BASE.budget,
    ),
    **{
        at_once(rate, decay): with_optimiser(rate=rate, decay=decay, warmup=0)
        for decay in DECAYS
        for rate in LOWER
    },
}


def measured(recipe: Recipe[TransformerLearner], evaluated: int = EVALUATED) -> Row:
    """Train; the learning curve, the translations, and the confidence in each word.

    evaluated  how many pairs of validation and of test are read
    """
    learner, text = follow(recipe), corpus(recipe.data)
    assert learner.log is not None
    row: Row = {
        "parameters": learner.parameters,
        "seconds": learner.seconds,
        "target tokens": learner.log.tokens,
        "curve": learner.log.curve(),
        "validation": [[e.step, e.score] for e in learner.log.evaluations],
    }
    for split in ("validation", "test"):
        row[split + " scores"] = scores(learner, pairs(text, split)[:evaluated])
    return row


def scores(learner: TransformerLearner, read: Sequence[Pair]) -> Row:
    """The scores on some pairs; `bins` compare confidence and accuracy."""
    written = learner.decode([pair.source for pair in read])
    score = bleu(hypotheses=written, references=[list(p.target) for p in read]).score
    batches = pair_batches(read, *learner.sides, tokens=EVALUATION_TOKENS)
    right, confidence, true = answers(learner.network, batches)
    return {
        "BLEU": score,
        "perplexity": math.exp(-np.log(true).mean()),
        "accuracy": float(right.mean()),
        "confidence": float(confidence.mean()),
        "bins": bins(right, confidence),
    }


Numbers = NDArray[np.float64]


def answers(
    model: nn.Module, batches: Iterable[Batch]
) -> tuple[Numbers, Numbers, Numbers]:
    """Of every word, by teacher forcing: is the likeliest word right; its probability,

    which is the model's confidence; and the probability of the true word.
    """
    each = list[Tensor]()
    model.eval()
    with torch.no_grad():
        for batch in batches:
            p = teacher_forced(model, batch).double().softmax(dim=-1)
            true = batch.target[:, 1:]
            confidence, best = p.max(dim=-1)
            p_true = p.gather(-1, true.unsqueeze(-1)).squeeze(-1)
            rows = torch.stack([(best == true).double(), confidence, p_true])
            each.append(rows[:, batch.target_mask[:, 1:]])  # (3, B, T) → (3, N)
    right, confidence, p_true = torch.cat(each, dim=1).numpy()
    return right, confidence, p_true


def bins(right: Numbers, confidence: Numbers) -> list[list[float]]:
    """For each tenth of the probabilities in which there are words: how many there

    are, the mean confidence, and the accuracy.
    """
    tenths = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return [
        [int(here.sum()), float(confidence[here].mean()), float(right[here].mean())]
        for here in (tenths == b for b in range(BINS))
        if here.any()
    ]


SEEDS = {"everything": (0, 1, 2), "no smoothing": (0, 1, 2), "falling to 0": (0, 1, 2)}
"""All others are trained from two seeds."""


def label(name: str, seed: int) -> str:
    return f"{name}, seed {seed}"


QUICK = replace(
    on_few(BASE),
    model=TrainedConfig(N=1, d_model=8, h=2, d_ff=16, smoothing=0.1),
    budget=Budget(steps=10, tokens=900, evaluate_every=10),
)
STUDY = Study(
    about="a Transformer trained as in the paper, and with each part of that left out",
    cases={
        label(name, seed): case(measured, recipe=replace(recipe, seed=seed))
        for name, recipe in VARIANTS.items()
        for seed in SEEDS.get(name, (0, 1))
    },
    check=case(measured, recipe=QUICK, evaluated=40),
)
