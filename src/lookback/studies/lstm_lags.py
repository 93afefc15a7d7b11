"""A digit remembered over few and many signs of noise: plain cell, LSTM and GRU."""

from dataclasses import dataclass, replace

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from lookback.workshop import Row, Study, seeds

from .lstm_forget import Recall, last_scores, network_of, signs

CELLS = {"RNN": "rnn", "LSTM": "lstm", "GRU": "gru"}
WIDE = 68  # numbers in the state of an RNN with as many parameters as the LSTM's cell
NOISE = (2, 5, 10, 20, 30, 50)  # signs after the digit, in the test
SEEDS = (0, 1, 2, 3, 4)
ASKED = 500  # new sequences of each length


@dataclass(frozen=True)
class Lags:
    """Training on sequences of 2 to `longest` tokens, of which the first is wanted."""

    recall: Recall
    longest: int = 30


def measured(lags: Lags) -> Row:
    """The share of new sequences that is answered rightly, by the signs of noise."""
    task, generator = lags.recall, seeds.generator(lags.recall.seed)
    model = network_of(task)
    optimiser = torch.optim.Adam(model.parameters(), task.rate)
    for _ in range(task.steps):
        length = int(torch.randint(2, lags.longest + 1, (), generator=generator))
        ids = signs(replace(task, length=length), task.batch, generator)
        loss = cross_entropy(last_scores(model, ids), ids[:, 0])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    right = []
    for noise in NOISE:
        ids = signs(replace(task, length=noise + 1), ASKED, seeds.generator(2014))
        with torch.no_grad():
            said = last_scores(model, ids).argmax(dim=1)
        right.append(round((said == ids[:, 0]).double().mean().item(), 4))
    return {"noise": list(NOISE), "right": right}


def _recall(cell: str, seed: int, steps: int, n: int = 32) -> Recall:
    return Recall(
        cell, 1.0, seed, noise=4, kinds=10, n=n, steps=steps, rate=5e-3, batch=48
    )


STUDY = Study(
    about="a digit remembered over few and many signs of noise, by the cell",
    cases={
        **{
            f"{name}, {steps} steps, seed {seed}": Lags(_recall(cell, seed, steps))
            for name, cell in CELLS.items()
            for steps in (200, 1000)
            for seed in SEEDS
        },
        **{
            f"RNN of {WIDE}, 200 steps, seed {seed}": Lags(
                _recall("rnn", seed, 200, WIDE)
            )
            for seed in SEEDS
        },
    },
    measure=measured,
    check=None,  # on another processor its steps can end elsewhere
)
