"""Digits written by networks with Luong's scores: at three rates, and in a window.

A sequence is reversed by each global score. Windows are asked to copy, too: local-m
assumes that the target keeps the order of the source, and copying does.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad

from lookback.luong import LuongConfig, VariantTranslator
from lookback.workshop import Row, Study, case, grid

from .encdec_digits import (
    END,
    LONGEST,
    START,
    Drawn,
    attending,
    digits,
    exact,
    taught,
)

RATES = (3e-3, 1e-2, 3e-2)
STEPS = 300
D = 2  # words that a local window reaches to either side
LENGTHS = (4, LONGEST)
GLOBAL = ("dot", "general", "concat", "location")
WINDOWS = ("local-m", "local-p")


def copied(length: int, many: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Digits (many, length), and the target: <s>, the same in their order, </s>."""
    source, _ = digits(length, many, generator)
    return source, pad(pad(source, (1, 0), value=START), (0, 1), value=END)


TASKS: dict[str, Drawn] = {"reverse": digits, "copy": copied}


def measured(
    task: str, score: str, scope: str, rate: float, seed: int, steps: int = STEPS
) -> Row:
    """What is written without error, by length."""
    config = LuongConfig(
        m=16, n=32, score=score, scope=scope, D=D, max_positions=12,
        input_feeding=False, directions="both", cell="gru",
    )  # fmt: skip
    model, _ = taught(
        lambda: VariantTranslator(config, END + 1, END + 1), seed, steps,
        lengths=(3, LONGEST), logits=attending, drawn=TASKS[task], rate=rate,
    )  # fmt: skip
    return {"lengths": list(LENGTHS), "exact": exact(model, LENGTHS, TASKS[task])}


STUDY = Study(
    about="digits written with Luong's scores, at three rates and in windows",
    cases=grid(
        "reverse, {score}, rate {rate}, seed {seed}", measured,
        seed=range(3), task=["reverse"], scope=["global"], score=GLOBAL, rate=RATES,
    )
    | grid(
        "{task}, {scope}, seed {seed}", measured,
        seed=range(3), task=TASKS, scope=WINDOWS, score=["dot"], rate=[RATES[1]],
    ),
    check=case(
        measured, task="reverse", score="dot", scope="global", rate=1e-2, seed=0,
        steps=5,
    ),
)  # fmt: skip
