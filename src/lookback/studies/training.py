"""The schedule of the rate and the smoothing of the labels: digits, and a translator.

Six post-norm layers, as many as the paper's encoder has, learn to reverse five digits:
does a lower constant rate do as well without a warm-up? "Everything" is what section 5
of Vaswani et al. 2017 says: smoothed labels, a rate that rises and falls, an Adam that
forgets sooner, and batches of about as many tokens; but no dropout. All perplexities
are without smoothing.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.measure import bleu
from lookback.recipes.transformer import (
    RECIPES,
    SmoothedConfig,
    TransformerLearner,
    noam,
)
from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import Pair
from lookback.trainer import seeds
from lookback.trainer.data import corpus, pairs
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget, Recipe, smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.trainer.translation import EVALUATED, EVALUATION_TOKENS, teacher_forced
from lookback.training import BETAS, EPS

DIGITS, LENGTH, BATCH = 10, 5, 16
WARMUP, STEPS, EVERY = 40, 200, 10
PEAKS = (1e-3, 3e-3, 1e-2, 3e-2)
SCHEDULES = ("at once", "warmed up", "noam")
DRAWN = PEAKS[2]  # whose losses are stored
TESTS = 1000

D_MODEL, RISE, TAUGHT = 96, 400, 1200  # of the translator; RISE: steps of its warm-up
PAPER = noam(D_MODEL, RISE)
LOWER = (1e-3, 2e-3, 3e-3, 4e-3)
"""Peaks of what is trained without a warm-up; Noam's: 5.1e-3."""
BINS = 10  # of the probability of the word that is held for the likeliest


class Reverser(nn.Module):
    """Says all digits of a string backwards at once; weights begin as Glorot's."""

    def __init__(self) -> None:
        super().__init__()
        d_model, heads, layers = 32, 4, 6
        self.digit = nn.Embedding(DIGITS, d_model)
        self.position = nn.Embedding(LENGTH, d_model)
        layer = nn.TransformerEncoderLayer(
            d_model, heads, 2 * d_model, dropout=0.0, batch_first=True
        )
        self.stack = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.out = nn.Linear(d_model, DIGITS)
        for weight in self.stack.parameters():
            if weight.dim() > 1:
                nn.init.xavier_uniform_(weight)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, 5) → logits (B, 5, 10)."""
        logits: Tensor = self.out(self.stack(self.digit(x) + self.position.weight))
        return logits


def share(schedule: str, step: int) -> float:
    """The share of the largest rate at a step; steps count from 1.

    schedule  "at once": the largest rate from the first step to the last; "warmed up":
              it is reached in a straight line of WARMUP steps and held; "noam": from
              there it falls with 1 / √step
    """
    if schedule == "at once":
        return 1.0
    if step <= WARMUP or schedule == "warmed up":
        return min(1.0, step / WARMUP)
    return math.sqrt(WARMUP / step)


def reversed_digits(schedule: str, peak: float, seed: int, steps: int = STEPS) -> Row:
    """The share of digits that are right after training; the mean loss of ten steps.

    What is asked at the end are 1 000 strings, the same for all runs. The losses are
    those of the peak DRAWN.
    """
    generator = seeds.generator(seed)
    with seeds.seeded(seed):
        model = Reverser()
    adam = torch.optim.Adam(model.parameters(), betas=BETAS, eps=EPS)
    losses = []
    for step in range(1, steps + 1):
        adam.param_groups[0]["lr"] = peak * share(schedule, step)
        x = torch.randint(DIGITS, (BATCH, LENGTH), generator=generator)
        loss = cross_entropy(model(x).flatten(0, 1), x.flip(1).flatten())
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
        losses.append(loss.item())
    x = torch.randint(DIGITS, (TESTS, LENGTH), generator=seeds.generator(2017))
    with torch.no_grad():
        right = (model(x).argmax(dim=2) == x.flip(1)).float().mean().item()
    if peak != DRAWN:
        return {"right": right}
    means = torch.tensor(losses).view(-1, EVERY).mean(dim=1)
    return {"right": right, "losses": means.tolist()}


def recipe(
    rate: float, warmup: int, decay: str, smoothing: float, seed: int
) -> Setting:
    """The translator of the last chapter, trained for TAUGHT steps."""
    made = replace(
        RECIPES["transformer"],
        seed=seed,
        model=SmoothedConfig(N=2, d_model=D_MODEL, h=4, d_ff=384, smoothing=smoothing),
        optimiser=replace(PAPER, rate=rate, warmup=warmup, decay=decay),
        budget=Budget(steps=TAUGHT, tokens=900, evaluate_every=100),
    )
    return {"recipe": made}


def translated(recipe: Recipe[TransformerLearner], evaluated: int = EVALUATED) -> Row:
    """Train; the scores on test pairs, and the confidence in each word.

    evaluated  how many pairs are read
    bins       of seed 0: confidence and accuracy, compared
    """
    learner = train_recipe(recipe)
    read: Sequence[Pair] = pairs(corpus(recipe.data), "test")[:evaluated]
    written = learner.decode([pair.source for pair in read])
    score = bleu(hypotheses=written, references=[list(p.target) for p in read]).score
    batches = pair_batches(read, *learner.sides, tokens=EVALUATION_TOKENS)
    right, confidence, true = answers(learner.network, batches)
    row = {
        "BLEU": score,
        "perplexity": math.exp(-np.log(true).mean()),
        "accuracy": float(right.mean()),
        "confidence": float(confidence.mean()),
    }
    return {**row, "bins": bins(right, confidence)} if recipe.seed == 0 else row


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


def trained(
    decay: str, warmup: int = RISE, smoothing: float = 0.1, seeds: int = 2
) -> list[Setting]:
    """Settings at the paper's peak."""
    return grid(
        rate=[PAPER.rate], warmup=[warmup], decay=[decay], smoothing=[smoothing],
        seed=range(seeds),
    )  # fmt: skip


FEW = replace(
    smoke_recipe(recipe(PAPER.rate, RISE, PAPER.decay, 0.1, 0)["recipe"]),
    model=SmoothedConfig(N=1, d_model=8, h=2, d_ff=16, smoothing=0.1),
    budget=Budget(steps=10, tokens=900, evaluate_every=10),
)
STUDY = Study(
    "layers that reverse digits, and a translator, by rate, schedule and smoothing",
    {
        "digits": Experiment(
            reversed_digits,
            grid(schedule=SCHEDULES, peak=PEAKS, seed=range(5)),
            smoke={"schedule": "noam", "peak": 1e-3, "seed": 0, "steps": 10},
        ),
        "translator": Experiment(
            translated,
            trained(PAPER.decay, seeds=3)
            + trained(PAPER.decay, smoothing=0.0, seeds=3)
            + trained("linear", seeds=3)
            + trained("constant")
            + trained("constant", warmup=0)
            + grid(
                rate=LOWER, warmup=[0], decay=("constant", "linear"), smoothing=[0.1],
                seed=range(2),
            ),
            smoke={"recipe": FEW, "evaluated": 40},
            arguments=recipe,
        ),
    },
)  # fmt: skip
