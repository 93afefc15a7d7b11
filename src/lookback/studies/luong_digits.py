"""Digits written by networks with Luong's scores: at three rates, and in a window.

A sequence is reversed by each global score. Windows are asked to copy, too: local-m
assumes that the target keeps the order of the source, and copying does.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from lookback.luong import LuongConfig, VariantTranslator
from lookback.workshop import Row, Study, case, each, seeds

from .encdec_digits import END, LONGEST, START, Drawn, digits, exact, teach

RATES = (3e-3, 1e-2, 3e-2)
LENGTHS = (4, LONGEST)
GLOBAL = ("dot", "general", "concat", "location")
WINDOWS = ("local-m", "local-p")


def copied(length: int, many: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Digits (many, length), and the target: <s>, the same in their order, </s>."""
    source, _ = digits(length, many, generator)
    return source, pad(pad(source, (1, 0), value=START), (0, 1), value=END)


TASKS: dict[str, Drawn] = {"reverse": digits, "copy": copied}


@dataclass(frozen=True)
class Writing:
    """Write digits: which task, with which score in which scope, from which seed.

    D  how far a local window reaches to either side
    """

    task: str
    score: str
    scope: str
    rate: float
    seed: int
    D: int = 2
    steps: int = 300
    batch: int = 64


def learned(case: Writing) -> VariantTranslator:
    """The network after its training; the rate falls in a straight line to 0."""
    generator = seeds.generator(case.seed)
    config = LuongConfig(
        m=16, n=32, score=case.score, scope=case.scope, D=case.D, max_positions=12,
        input_feeding=False, directions="both", cell="gru",
    )  # fmt: skip
    with seeds.seeded(case.seed):
        model = VariantTranslator(config, END + 1, END + 1)
    optimiser = torch.optim.Adam(model.parameters(), case.rate)
    for step in range(case.steps):
        for group in optimiser.param_groups:
            group["lr"] = case.rate * (1 - step / case.steps)
        length = int(torch.randint(3, LONGEST + 1, (), generator=generator))
        source, target = TASKS[case.task](length, case.batch, generator)
        logits, _ = model(source, source >= 0, target[:, :-1])
        teach(model, optimiser, logits, target)
    return model.eval()


def measured(case: Writing) -> Row:
    """What its network writes without error, by length."""
    return {
        "lengths": list(LENGTHS),
        "exact": exact(learned(case), LENGTHS, TASKS[case.task]),
    }


FEW = Writing("reverse", "dot", "global", 1e-2, seed=0, steps=5)
STUDY = Study(
    about="digits written with Luong's scores, at three rates and in windows",
    cases=each(
        measured,
        case={
            **{
                f"reverse, {score}, rate {rate}, seed {seed}": Writing(
                    "reverse", score, "global", rate, seed
                )
                for seed in (0, 1, 2)
                for score in GLOBAL
                for rate in RATES
            },
            **{
                f"{task}, {scope}, seed {seed}": Writing(
                    task, "dot", scope, RATES[1], seed
                )
                for seed in (0, 1, 2)
                for task in TASKS
                for scope in WINDOWS
            },
        },
    ),
    check=case(measured, case=FEW),
)
