"""Digits copied by deep LSTMs that read them in order, or reversed: ten seeds."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from lookback.seq2seq import Seq2Seq, Seq2SeqConfig
from lookback.workshop import Row, Study, case, each, seeds

from .encdec_digits import END, START, exact, teach

LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8)
LONGEST = 7  # in training


@dataclass(frozen=True)
class Copy:
    """A task: write a sequence of digits as it was read.

    reversed  is it read from the last digit to the first?
    """

    reversed: bool
    seed: int
    steps: int = 800
    rate: float = 5e-3
    batch: int = 64


def digits(length: int, many: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Digits and </s> (many, length + 1), and the target: <s>, the same, </s>."""
    source = torch.randint(10, (many, length), generator=generator)
    source = pad(source, (0, 1), value=END)
    return source, pad(source, (1, 0), value=START)


def learned(task: Copy) -> tuple[Seq2Seq, list[float]]:
    """The network after its training, and the loss of each step."""
    generator = seeds.generator(task.seed)
    config = Seq2SeqConfig(m=16, n=64, layers=2, reversed=task.reversed)
    with seeds.seeded(task.seed):
        model = Seq2Seq(config, END + 1, END + 1)
    optimiser = torch.optim.Adam(model.parameters(), task.rate)
    losses = []
    for step in range(task.steps):
        for group in optimiser.param_groups:
            group["lr"] = task.rate * (1 - step / task.steps)
        length = int(torch.randint(1, LONGEST + 1, (), generator=generator))
        source, target = digits(length, task.batch, generator)
        logits = model(source, source >= 0, target[:, :-1])
        losses.append(teach(model, optimiser, logits, target))
    return model.eval(), losses


def measured(task: Copy) -> Row:
    """What its network copies without error, by length; the losses of its training."""
    model, losses = learned(task)
    parts = [losses[i : i + 40] for i in range(0, len(losses), 40)]
    curve = [round(sum(some) / len(some), 4) for some in parts]
    return {
        "lengths": list(LENGTHS),
        "exact": exact(model, LENGTHS, digits),
        "curve": curve,
    }


STUDY = Study(
    about="digits copied by deep LSTMs, read in order and reversed",
    cases=each(
        measured,
        task={
            f"{name}, seed {seed}": Copy(turned, seed)
            for name, turned in (("in order", False), ("reversed", True))
            for seed in range(10)
        },
    ),
    check=case(measured, task=Copy(reversed=True, seed=0, steps=40)),
)
