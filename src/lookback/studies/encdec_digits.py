"""Digits reversed through one vector: by its size, and without the order of the source.

The studies of digits in later chapters take the task from here, how a network is taught
and how its answers are counted.

The control replaces the recurrent encoder by a sum: its vector says which digits were
read, and nothing of their order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad

from lookback.decoding import Model, greedy
from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.workshop import Row, Study, case, each, seeds

START, END = 10, 11  # after the digits
LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
LONGEST = 8  # in training
ASKED = 500  # new sequences of each length

Drawn = Callable[[int, int, torch.Generator], tuple[Tensor, Tensor]]
"""(length, how many, generator) → a batch of sources, and of targets from <s> on."""


@dataclass(frozen=True)
class Reversal:
    """A task: write a sequence of digits from the last to the first.

    n        numbers of a state and of the vector
    ordered  does the encoder read in order? Or is its vector made of a sum
    """

    n: int
    ordered: bool
    seed: int
    steps: int = 1600
    rate: float = 5e-3
    batch: int = 64


class Sum(nn.Module):
    """c = tanh(V Σ_s e(x_s)): the same for every order of the words."""

    def __init__(self, config: EncoderDecoderConfig, vocab_size: int) -> None:
        super().__init__()
        self.e = nn.Embedding(vocab_size, config.m)
        self.V = nn.Linear(config.m, config.n)

    def forward(self, source: Tensor, mask: Tensor) -> Tensor:
        """source, mask (B, S) → c (B, n)."""
        return torch.tanh(self.V((self.e(source) * mask.unsqueeze(-1)).sum(dim=1)))


def digits(length: int, many: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Digits (many, length), and the target: <s>, the same from the last on, </s>."""
    source = torch.randint(10, (many, length), generator=generator)
    target = pad(pad(source.flip(1), (1, 0), value=START), (0, 1), value=END)
    return source, target


def learned(task: Reversal) -> RNNEncoderDecoder:
    """The network after its training; the rate falls in a straight line to 0."""
    generator = seeds.generator(task.seed)
    config = EncoderDecoderConfig(m=16, n=task.n, l=32)
    with seeds.seeded(task.seed):
        model = RNNEncoderDecoder(config, END + 1, END + 1)
        if not task.ordered:
            model.encoder = Sum(config, END + 1)  # type: ignore[assignment]
    optimiser = torch.optim.Adam(model.parameters(), task.rate)
    for step in range(task.steps):
        for group in optimiser.param_groups:
            group["lr"] = task.rate * (1 - step / task.steps)
        length = int(torch.randint(1, LONGEST + 1, (), generator=generator))
        source, target = digits(length, task.batch, generator)
        logits = model(source, source >= 0, target[:, :-1])
        teach(model, optimiser, logits, target)
    return model.eval()


def teach(
    model: nn.Module, optimiser: torch.optim.Optimizer, logits: Tensor, target: Tensor
) -> float:
    """One step on logits (B, T, V) for targets (B, T + 1) from <s> on: its loss."""
    loss = cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    return loss.item()


def exact(
    model: Model[Any], lengths: Sequence[int], drawn: Drawn = digits
) -> list[float]:
    """The share of new sequences of each length that is written without error."""
    shares = []
    for length in lengths:
        source, target = drawn(length, ASKED, seeds.generator(length))
        written = greedy(
            model, source, source >= 0, begin=START, end=END, longest=length + 1
        )
        pairs = zip(written, target[:, 1:-1].tolist(), strict=True)
        right = [list(words) == reference for words, reference in pairs]
        shares.append(sum(right) / len(right))
    return shares


def measured(task: Reversal) -> Row:
    """What its network writes without error, by length."""
    return {"lengths": list(LENGTHS), "exact": exact(learned(task), LENGTHS)}


STUDY = Study(
    about="digits reversed through one vector, by its size, and from a sum",
    cases=each(
        measured,
        task={
            f"{name}, seed {seed}": Reversal(n, ordered, seed)
            for name, n, ordered in (
                ("32 numbers", 32, True),
                ("64 numbers", 64, True),
                ("128 numbers", 128, True),
                ("a sum, 128 numbers", 128, False),
            )
            for seed in (0, 1, 2)
        },
    ),
    check=case(measured, task=Reversal(32, True, seed=0, steps=5)),
)
