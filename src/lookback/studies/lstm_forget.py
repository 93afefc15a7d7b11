"""A sign remembered over noise, by the first bias of an LSTM's forget gate."""

import copy
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lookback.lstm import CELLS, LSTMCell
from lookback.recurrent import RecurrentLM, jacobian_norms
from lookback.workshop import Row, Study, seeds


@dataclass(frozen=True)
class Recall:
    """A task: say at the end which of `kinds` signs came first, before the noise.

    cell         one of CELLS
    forget_bias  of an LSTM
    noise        how many signs the noise is drawn from; with one it says nothing
    length       how many tokens there are, of which the first has to be recalled
    """

    cell: str
    forget_bias: float
    seed: int
    noise: int = 8
    length: int = 40
    kinds: int = 8
    n: int = 32
    steps: int = 2000
    rate: float = 1e-2
    batch: int = 32
    every: int = 100


def recall(task: Recall) -> Row:
    """Train on the task.

    At each `every`th step the share of fresh sequences that is right, and log10 of the
    norm of ∂h_T/∂h_1 (for an LSTM ∂c_T/∂c_1), the mean over four fresh sequences. What
    is right every time is not trained on.
    """
    generator, model = seeds.generator(task.seed), network_of(task)
    optimiser = torch.optim.Adam(model.parameters(), task.rate)
    row: Row = {"step": [], "right": [], "norm": []}
    for step in range(task.steps + 1):
        if step % task.every == 0:
            ids = signs(task, 500, generator)
            with torch.no_grad():
                guessed = last_scores(model, ids).argmax(dim=1)
            row["step"].append(step)
            row["right"].append(round((guessed == ids[:, 0]).double().mean().item(), 4))
            row["norm"].append(round(_arrives(model, ids[:4]), 3))
            if row["right"][-2:] == [1.0, 1.0]:
                break
        ids = signs(task, task.batch, generator)
        loss = cross_entropy(last_scores(model, ids), ids[:, 0])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return row


def signs(task: Recall, batch: int, generator: torch.Generator) -> Tensor:
    """(batch, length): one of `kinds` signs, then noise of `noise` others."""
    shape, kinds = (batch, task.length), task.kinds
    ids = torch.randint(kinds, kinds + task.noise, shape, generator=generator)
    ids[:, 0] = torch.randint(kinds, (batch,), generator=generator)
    return ids


def network_of(task: Recall) -> RecurrentLM:
    """The network of a task before its training."""

    def cell(d: int, n: int) -> LSTMCell:
        return LSTMCell(d, n, forget_bias=task.forget_bias)

    with seeds.seeded(task.seed):
        make = cell if task.cell == "lstm" else CELLS[task.cell]
        return RecurrentLM(task.kinds + task.noise, task.kinds, task.n, make)


def _arrives(model: RecurrentLM, ids: Tensor) -> float:
    model = copy.deepcopy(model).double()  # single precision would underflow
    part = int(isinstance(model.cell, LSTMCell))
    norms = [jacobian_norms(model.cell, x, part=part)[0] for x in model.C(ids)]
    return torch.stack(norms).log10().mean().item()


def last_scores(model: RecurrentLM, ids: Tensor) -> Tensor:
    """The scores at the end of each sequence (B, V)."""
    logits: Tensor = model(ids)[0]
    return logits[:, -1]


def learnt(rows: Iterable[Row], share: float = 0.9) -> list[int | None]:
    """For each run the first measured step with that share right; None: never."""
    return [
        next((s for s, r in zip(row["step"], row["right"], strict=True) if r >= share),
             None)
        for row in rows
    ]  # fmt: skip


SEEDS = range(5)
_TASKS = {
    **{f"LSTM, forget bias {bias}": ("lstm", float(bias), 8) for bias in range(5)},
    "GRU": ("gru", 0.0, 8),
    "RNN": ("rnn", 0.0, 8),
    "LSTM, forget bias 1, silence": ("lstm", 1.0, 1),
}
STUDY = Study(
    about="a sign remembered over noise, by the first bias of the forget gate",
    cases={
        f"{system}, seed {seed}": Recall(cell, bias, seed, noise)
        for system, (cell, bias, noise) in _TASKS.items()
        for seed in SEEDS
    },
    measure=recall,
    check=None,  # 2000 steps on another processor can end elsewhere
)
