"""Toy tasks: a small network learns from batches that are drawn at each step.

Several chapters teach a network to write digits, reversed or copied. How the digits are
drawn, how a network is taught and how its answers are counted is said here.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad

from lookback.decoding import Model, greedy

from . import seeds

START, END = 10, 11  # after the digits
LONGEST = 8  # digits of a sequence in training
BATCH, RATE = 64, 5e-3
ASKED = 500  # new sequences of each length

M = TypeVar("M", bound=nn.Module)

Drawn = Callable[[int, int, torch.Generator], tuple[Tensor, Tensor]]
"""(length, how many, generator) → a batch of sources, and of targets from <s> on."""


def train_toy(
    make: Callable[[], M],
    loss: Callable[[M, torch.Generator], Tensor],
    *,
    seed: int,
    steps: int,
    rate: float,
    falls: bool = False,
    clip: float | None = None,
    generator: torch.Generator | None = None,
) -> tuple[M, list[float]]:
    """The network that `make` makes, after its training by Adam; the loss of each step.

    loss   (network, generator) → the mean loss of a batch that it draws
    seed       that of the initial values
    falls      does the rate fall to 0, in a straight line?
    clip       the norm that a gradient may have; None: any
    generator  draws the batches; None: one that begins at `seed`
    Parameters that need no gradient are left alone.
    """
    draws = seeds.generator(seed) if generator is None else generator
    with seeds.seeded(seed):
        model = make()
    learnt = [p for p in model.parameters() if p.requires_grad]
    adam, losses = torch.optim.Adam(learnt, rate), list[float]()
    for step in range(steps):
        if falls:
            adam.param_groups[0]["lr"] = rate * (1 - step / steps)
        cost = loss(model, draws)
        adam.zero_grad()
        cost.backward()  # type: ignore[no-untyped-call]
        if clip is not None:
            nn.utils.clip_grad_norm_(learnt, clip)
        adam.step()
        losses.append(cost.item())
    return model.eval(), losses


def digits(length: int, many: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Digits (many, length), and the target: <s>, the same from the last on, </s>."""
    source = torch.randint(10, (many, length), generator=generator)
    return source, marked(source.flip(1))


def copied(length: int, many: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Digits (many, length), and the target: <s>, the same in their order, </s>."""
    source, _ = digits(length, many, generator)
    return source, marked(source)


def marked(target: Tensor) -> Tensor:
    """<s> before each row, and </s> after it."""
    return pad(pad(target, (1, 0), value=START), (0, 1), value=END)


def logits(model: nn.Module, source: Tensor, before: Tensor) -> Tensor:
    """What the model gives each word of the target, after those before it.

    A model that attends returns its weights, too; they are left out.
    """
    given: Tensor | tuple[Tensor, Tensor] = model(source, source >= 0, before)
    return given[0] if isinstance(given, tuple) else given


def taught(
    make: Callable[[], M],
    seed: int,
    steps: int,
    *,
    lengths: tuple[int, int] = (1, LONGEST),
    drawn: Drawn = digits,
    rate: float = RATE,
    falls: bool = True,
) -> tuple[M, list[float]]:
    """The network after its training, and the loss of each step.

    lengths  of the shortest and of the longest sequence; a batch has one length
    """

    def loss(model: M, generator: torch.Generator) -> Tensor:
        ends = lengths[0], lengths[1] + 1
        length = int(torch.randint(*ends, (), generator=generator))
        source, target = drawn(length, BATCH, generator)
        given = logits(model, source, target[:, :-1])
        return cross_entropy(given.flatten(0, 1), target[:, 1:].flatten())

    return train_toy(
        make, loss, seed=seed, steps=steps, rate=rate, falls=falls, clip=1.0
    )


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
