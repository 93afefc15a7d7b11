"""Tokens a second of the training loop, beside a loop written by hand.

The model is small on purpose: the smaller it is, the more of each step is the loop's
own.
"""

from functools import partial

import torch
from run import speeds
from torch import Tensor, nn

from lookback.trainer.fit import fit
from lookback.trainer.recipe import Budget, Optimiser

V, B, T, STEPS = 500, 32, 16, 60
CLIP, RATE = 1.0, 1e-3


class Small(nn.Module):
    """A language model that is enough of one: embedding, GRU, logits."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(V, 64)
        self.state = nn.GRU(64, 128, batch_first=True)
        self.out = nn.Linear(128, V)

    def forward(self, ids: Tensor) -> Tensor:
        return self.out(self.state(self.embedding(ids))[0])  # (B, T, V)


def loss(model: nn.Module, ids: Tensor) -> tuple[Tensor, int]:
    logits, target = model(ids[:, :-1]), ids[:, 1:]
    total = nn.functional.cross_entropy(
        logits.flatten(0, 1), target.flatten(), reduction="sum"
    )
    return total, target.numel()


def by_hand(batches: list[Tensor]) -> None:
    model = Small()
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    for step in range(STEPS):
        adam.zero_grad()
        total, tokens = loss(model, batches[step % len(batches)])
        (total / tokens).backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        adam.step()


def ours(batches: list[Tensor]) -> None:
    optimiser = Optimiser("adam", RATE, clip=CLIP)
    fit(Small(), batches, loss, optimiser, Budget(STEPS), progress=False)


def main() -> None:
    batches = [torch.randint(V, (B, T + 1)) for _ in range(10)]
    both = {"fit": partial(ours, batches), "by hand": partial(by_hand, batches)}
    speeds("tokens a second", {"training": both}, B * T * STEPS)
