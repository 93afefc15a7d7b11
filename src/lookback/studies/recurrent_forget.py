"""A sign remembered over noise, by the first bias of an LSTM's forget gate."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.recurrent import CELLS, LSTMCell, RecurrentConfig, RecurrentLM
from lookback.workshop import Results, Row, Study, seeds


@dataclass(frozen=True)
class Recall:
    """A task: say at the end which of `kinds` signs came first, before the noise.

    cell         one of CELLS
    forget_bias  of an LSTM
    length       how many tokens there are, of which the first has to be recalled
    """

    cell: str
    forget_bias: float
    seed: int
    length: int = 40
    kinds: int = 8
    n: int = 32
    steps: int = 500
    rate: float = 1e-2
    batch: int = 32


def recall(task: Recall) -> Row:
    """Train on the task; every 50 steps the share of fresh sequences that is right."""
    generator, model = seeds.generator(task.seed), _of_task(task)
    optimiser = torch.optim.Adam(model.parameters(), task.rate)
    at, right = list[int](), list[float]()
    for step in range(task.steps + 1):
        if step % 50 == 0:
            ids = signs(task, 500, generator)
            with torch.no_grad():
                guessed = _last(model, ids).argmax(dim=1)
            at.append(step)
            right.append((guessed == ids[:, 0]).double().mean().item())
        ids = signs(task, task.batch, generator)
        loss = cross_entropy(_last(model, ids), ids[:, 0])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return {"step": at, "right": [round(r, 4) for r in right]}


def signs(task: Recall, batch: int, generator: torch.Generator) -> Tensor:
    """(batch, length): one of `kinds` signs, then noise of `kinds` others."""
    shape, kinds = (batch, task.length), task.kinds
    ids = torch.randint(kinds, 2 * kinds, shape, generator=generator)
    ids[:, 0] -= kinds
    return ids


def _of_task(task: Recall) -> RecurrentLM:
    with seeds.seeded(task.seed):
        config = RecurrentConfig(task.cell, m=task.kinds, n=task.n)
        model = RecurrentLM(config, 2 * task.kinds)
        if CELLS[task.cell] is LSTMCell:
            model.cell = LSTMCell(config.m, config.n, forget_bias=task.forget_bias)
    return model


def _last(model: RecurrentLM, ids: Tensor) -> Tensor:
    """The scores at the end of each sequence (B, V)."""
    logits: Tensor = model(ids)[0]
    return logits[:, -1]


def recalled(study: Results, system: str) -> dict[int, float]:
    """Steps of training → the share that is right then, the mean over the seeds.

    study  the results of this study
    """
    rows = study.seeds(system)
    shares = np.mean([row["right"] for row in rows], axis=0).tolist()
    return dict(zip(rows[0]["step"], shares, strict=True))


FORGET_BIASES = (0.0, 1.0, 2.0, 3.0)
_TASKS = {
    **{f"LSTM, forget bias {bias:.0f}": ("lstm", bias) for bias in FORGET_BIASES},
    "GRU": ("gru", 0.0),
    "RNN": ("rnn", 0.0),
}
STUDY = Study(
    about="a sign remembered over noise, by the first bias of the forget gate",
    cases={
        f"{system}, seed {seed}": Recall(cell, bias, seed)
        for system, (cell, bias) in _TASKS.items()
        for seed in (0, 1, 2)
    },
    measure=recall,
    check=None,  # 500 steps on another processor can end elsewhere
)
