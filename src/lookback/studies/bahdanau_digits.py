"""Digits reversed by RNNsearch, and by the same network with one context vector."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lookback.bahdanau import Decoder, RNNSearch, RNNSearchConfig, State
from lookback.workshop import Row, Study, case, each, seeds

from .encdec_digits import END, digits, exact, teach

LENGTHS = (3, 4, 5, 6, 7, 8, 9, 10)
CONFIG = RNNSearchConfig(m=8, n=32, k=32, l=32)


@dataclass(frozen=True)
class Reversal:
    """A task: write a sequence of digits from the last to the first.

    attends         a new context for each step? Or the same vector for all of them
    shortest, longest  how many digits there are in training
    """

    attends: bool
    seed: int
    shortest: int = 3
    longest: int = 8
    steps: int = 600
    rate: float = 5e-3
    batch: int = 64


class OneVector(Decoder):
    """A decoder whose context is the same at every step: [→h_S ; ←h_1].

    It attends to one annotation, which is made of the last state of either direction.
    """

    def start(self, annotations: Tensor, mask: Tensor) -> State:
        rows, last = torch.arange(len(mask)), mask.sum(dim=1) - 1
        ahead = annotations[rows, last, : self.n]
        one = torch.cat([ahead, annotations[:, 0, self.n :]], dim=-1).unsqueeze(1)
        return super().start(one, torch.ones_like(mask[:, :1]))


def learned(task: Reversal) -> RNNSearch:
    """The network after its training."""
    generator = seeds.generator(task.seed)
    with seeds.seeded(task.seed):
        model = RNNSearch(CONFIG, END + 1, END + 1)
        if not task.attends:
            model.decoder = OneVector(CONFIG, END + 1)
    optimiser = torch.optim.Adam(model.parameters(), task.rate)
    bounds = task.shortest, task.longest + 1
    for _ in range(task.steps):
        length = int(torch.randint(*bounds, (), generator=generator))
        source, target = digits(length, task.batch, generator)
        logits, _ = model(source, source >= 0, target[:, :-1])
        teach(model, optimiser, logits, target)
    return model.eval()


def measured(task: Reversal) -> Row:
    """What its network writes without error, by length."""
    model = learned(task)
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "lengths": list(LENGTHS),
        "exact": exact(model, LENGTHS),
    }


STUDY = Study(
    about="digits reversed, with attention and with one vector for all steps",
    cases=each(
        measured,
        task={
            f"{name}, seed {seed}": Reversal(attends, seed)
            for name, attends in (("attention", True), ("one vector", False))
            for seed in (0, 1, 2)
        },
    ),
    check=case(measured, task=Reversal(attends=True, seed=0, steps=5)),
)
