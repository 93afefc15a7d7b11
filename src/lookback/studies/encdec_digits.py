"""Digits reversed through one vector: by its size, and without the order of the source.

The studies of digits in later chapters take the task from here, how a network is taught
and how its answers are counted.

The control replaces the recurrent encoder by a sum: its vector says which digits were
read, and nothing of their order.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, pad

from lookback.decoding import Model, greedy
from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.workshop import Row, Study, case, grid, practise, seeds

START, END = 10, 11  # after the digits
LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
LONGEST = 8  # in training
BATCH, RATE = 64, 5e-3
ASKED = 500  # new sequences of each length

M = TypeVar("M", bound=nn.Module)

Drawn = Callable[[int, int, torch.Generator], tuple[Tensor, Tensor]]
"""(length, how many, generator) → a batch of sources, and of targets from <s> on."""


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


def logits(model: nn.Module, source: Tensor, before: Tensor) -> Tensor:
    """What the model gives each word of the target, after those before it."""
    given: Tensor = model(source, source >= 0, before)
    return given


def attending(model: nn.Module, source: Tensor, before: Tensor) -> Tensor:
    """The same of a model that returns its weights of attention, too."""
    given: Tensor = model(source, source >= 0, before)[0]
    return given


def taught(
    make: Callable[[], M],
    seed: int,
    steps: int,
    *,
    lengths: tuple[int, int] = (1, LONGEST),
    logits: Callable[[M, Tensor, Tensor], Tensor] = logits,
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

    return practise(
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


def network(n: int, ordered: bool) -> RNNEncoderDecoder:
    config = EncoderDecoderConfig(m=16, n=n, l=32)
    model = RNNEncoderDecoder(config, END + 1, END + 1)
    if not ordered:
        model.encoder = Sum(config, END + 1)  # type: ignore[assignment]
    return model


def measured(n: int, ordered: bool, seed: int, steps: int = 1600) -> Row:
    """What is reversed without error, by length.

    n        numbers of a state and of the vector
    ordered  does the encoder read in order? Or is its vector made of a sum
    """
    model, _ = taught(lambda: network(n, ordered), seed, steps)
    return {"lengths": list(LENGTHS), "exact": exact(model, LENGTHS)}


SEEDS = range(3)
STUDY = Study(
    about="digits reversed through one vector, by its size, and from a sum",
    cases=grid(
        "{n} numbers, seed {seed}",
        measured, n=(32, 64, 128), ordered=[True], seed=SEEDS,
    )
    | grid(
        "a sum, {n} numbers, seed {seed}",
        measured, n=[128], ordered=[False], seed=SEEDS,
    ),
    check=case(measured, n=32, ordered=True, seed=0, steps=5),
)  # fmt: skip
