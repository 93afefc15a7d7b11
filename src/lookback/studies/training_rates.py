"""Warm-up over the learning rate: does a lower constant rate do as well without?

Six post-norm layers, as many as the paper's encoder has, learn to reverse five digits.
Between runs only the largest rate, its schedule and the seed differ.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.training import BETAS, EPS
from lookback.workshop import Row, Study, case, grid, seeds

DIGITS, LENGTH, BATCH = 10, 5, 16
D_MODEL, HEADS, LAYERS = 32, 4, 6
WARMUP, STEPS, EVERY = 40, 200, 10
PEAKS = (1e-3, 3e-3, 1e-2, 3e-2)
SCHEDULES = ("at once", "warmed up", "noam")
SEEDS = (0, 1, 2, 3, 4)
TESTS = 1000


class Reverser(nn.Module):
    """Says all digits of a string backwards at once; weights begin as Glorot's."""

    def __init__(self) -> None:
        super().__init__()
        self.digit = nn.Embedding(DIGITS, D_MODEL)
        self.position = nn.Embedding(LENGTH, D_MODEL)
        layer = nn.TransformerEncoderLayer(
            D_MODEL, HEADS, 2 * D_MODEL, dropout=0.0, batch_first=True
        )
        self.stack = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.out = nn.Linear(D_MODEL, DIGITS)
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


def measured(schedule: str, peak: float, seed: int, steps: int = STEPS) -> Row:
    """The mean loss of every ten steps, and the share of digits that are right after.

    What is asked at the end are 1 000 strings, the same for all runs.
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
    means = torch.tensor(losses).view(-1, EVERY).mean(dim=1)
    return {
        "losses": means.tolist(),
        "right": right,
    }


STUDY = Study(
    about="six layers that reverse digits, by learning rate and schedule",
    cases=grid(
        "{schedule}, {peak:g}, seed {seed}",
        measured,
        schedule=SCHEDULES,
        peak=PEAKS,
        seed=SEEDS,
    ),
    check=case(measured, schedule="noam", peak=1e-3, seed=0, steps=10),
)
