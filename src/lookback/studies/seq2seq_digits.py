"""Digits copied by deep LSTMs that read them in order, or reversed: ten seeds."""

import torch
from torch import Tensor
from torch.nn.functional import pad

from lookback.seq2seq import Seq2Seq, Seq2SeqConfig
from lookback.workshop import Row, Study, case, grid

from .encdec_digits import END, START, exact, taught

LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8)
LONGEST = 7  # in training


def digits(length: int, many: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Digits and </s> (many, length + 1), and the target: <s>, the same, </s>."""
    source = torch.randint(10, (many, length), generator=generator)
    source = pad(source, (0, 1), value=END)
    return source, pad(source, (1, 0), value=START)


def measured(turned: bool, seed: int, steps: int = 800) -> Row:
    """What is copied without error, by length; the losses of the training.

    turned  is the sequence read from the last digit to the first?
    """
    config = Seq2SeqConfig(m=16, n=64, layers=2, reversed=turned)
    model, losses = taught(
        lambda: Seq2Seq(config, END + 1, END + 1), seed, steps,
        lengths=(1, LONGEST), drawn=digits,
    )  # fmt: skip
    parts = [losses[i : i + 40] for i in range(0, len(losses), 40)]
    return {
        "lengths": list(LENGTHS),
        "exact": exact(model, LENGTHS, digits),
        "curve": [sum(some) / len(some) for some in parts],
    }


STUDY = Study(
    about="digits copied by deep LSTMs, read in order and reversed",
    cases=grid("in order, seed {seed}", measured, turned=[False], seed=range(10))
    | grid("reversed, seed {seed}", measured, turned=[True], seed=range(10)),
    check=case(measured, turned=True, seed=0, steps=40),
)
