"""What gates are good for: agreement over distance, which gate, and a first sign."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear

from lookback.lstm import CELLS, LSTMCell, LSTMState
from lookback.recipes.lstm import on_text
from lookback.recipes.recurrent import RecurrentLearner
from lookback.recurrent import Cell, RecurrentLM
from lookback.trainer import seeds
from lookback.trainer.recipe import Recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid
from lookback.trainer.toys import train_toy

from .recurrent import PROBE, RATES, SEEDS, at_rate, measured, small

GATES = {"input": 0, "forget": 1, "output": 3}  # the rows of W, U and b that are theirs
WIDE = 68  # numbers in the state of an RNN with as many parameters as the LSTM's cell
AFTER = 20  # signs of noise after the digit, in the test
LENGTH = 40  # tokens of a sequence whose first sign is to be recalled


def system(system: str, rate: float, seed: int) -> Setting:
    """The recipe of a cell on the grammar, with this learning rate."""
    return {"recipe": at_rate(on_text(system.lower(), "grammar", seed), rate)}


# --- which gate matters


class OpenGate(LSTMCell):
    """An LSTM whose gate number `open` is 1 for good; its parameters have no effect."""

    open: ClassVar[int]

    def step(self, x: Tensor, state: LSTMState) -> LSTMState:
        h, c = state
        parts = [*(linear(x, self.W, self.b) + linear(h, self.U)).chunk(4, dim=-1)]
        parts[self.open] = torch.full_like(c, torch.inf)  # its sigmoid is 1
        i, f, g, o = parts
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class OpenGateLearner(RecurrentLearner):
    """The learner of `recurrent`, for an LSTM with an open gate."""

    cells: ClassVar[Mapping[str, type[Cell[Any]]]] = {
        f"lstm, {gate} gate open": type("Open", (OpenGate,), {"open": number})
        for gate, number in GATES.items()
    }


def gate_open(gate: str, seed: int) -> Setting:
    """The recipe of an LSTM on the grammar, with this gate left open."""
    lstm = on_text("lstm", "grammar", seed)
    model = replace(lstm.model, cell=f"lstm, {gate} gate open")
    return {"recipe": replace(lstm, learner=OpenGateLearner, model=model)}


def remembered(recipe: Recipe[Any], pairs: int = PROBE) -> Row:
    """Three words after the noun: how many forms are right, of how many.

    norm  log10 ‖∂c_T/∂c_t‖ over forty steps, after training
    """
    row = measured(recipe, pairs)
    asked, right = row["all asked"][2], row["all right"][2]
    return {"asked": asked, "right": right, "norm": row["last c"][-1]}


# --- the first sign of a sequence


def signs(
    kinds: int, noise: int, length: int, batch: int, generator: torch.Generator
) -> Tensor:
    """(batch, length): one of `kinds` signs, then noise of `noise` others."""
    shape = (batch, length)
    ids = torch.randint(kinds, kinds + noise, shape, generator=generator)
    ids[:, 0] = torch.randint(kinds, (batch,), generator=generator)
    return ids


def network(cell: str, V: int, m: int, n: int, forget_bias: float = 1.0) -> RecurrentLM:
    """The network before its training; `forget_bias` is of an LSTM."""

    def biased(d: int, n: int) -> LSTMCell:
        return LSTMCell(d, n, forget_bias=forget_bias)

    return RecurrentLM(V, m, n, biased if cell == "lstm" else CELLS[cell])


def loss(model: RecurrentLM, ids: Tensor) -> Tensor:
    """Of naming the first sign at the end of each sequence (B, L)."""
    return cross_entropy(model(ids)[0][:, -1], ids[:, 0])


def right(model: RecurrentLM, ids: Tensor) -> float:
    """The share of sequences (B, L) whose first sign is named at the end."""
    with torch.no_grad():
        named = model(ids)[0][:, -1].argmax(dim=1)
    share: float = (named == ids[:, 0]).double().mean().item()
    return share


def digits(cell: str, seed: int, steps: int, n: int = 32) -> Row:
    """Name at the end the digit that came first, AFTER signs of noise earlier.

    cell  one of CELLS, n its numbers; trained on sequences of 2 to 30 tokens
    """

    def practice(model: RecurrentLM, generator: torch.Generator) -> Tensor:
        length = int(torch.randint(2, 31, (), generator=generator))
        return loss(model, signs(10, 4, length, 48, generator))

    model, _ = train_toy(
        lambda: network(cell, 14, 10, n),
        practice, seed=seed, steps=steps, rate=5e-3, clip=1.0,
    )  # fmt: skip
    asked = signs(10, 4, AFTER + 1, 500, seeds.generator(2014))
    return {"right": right(model, asked)}


def recall(cell: str, forget_bias: float, seed: int, steps: int = 2000) -> Row:
    """Name at the end which of 8 signs came first, always LENGTH - 1 tokens earlier.

    forget_bias  the first of an LSTM's forget gate
    Every 100 steps 500 new sequences are asked; training ends once all of them are
    right twice running. The share that is right at the end.
    """
    generator, shares = seeds.generator(seed), list[float]()
    with seeds.seeded(seed):
        model = network(cell, 16, 8, 32, forget_bias)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    for step in range(steps + 1):
        if step % 100 == 0:
            shares.append(right(model, signs(8, 8, LENGTH, 500, generator)))
            if shares[-2:] == [1.0, 1.0]:
                break
        cost = loss(model, signs(8, 8, LENGTH, 32, generator))
        optimiser.zero_grad()
        cost.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return {"right": shares[-1]}


STUDY = Study(
    "networks with gates: agreement over distance, open gates, a first sign recalled",
    {
        "agreement": Experiment(
            measured,
            grid(system=("LSTM", "GRU"), rate=RATES, seed=SEEDS),
            smoke=small(on_text("lstm", "grammar"), "lstm"),
            arguments=system,
        ),
        "gates": Experiment(
            remembered,
            grid(gate=GATES, seed=SEEDS),
            smoke=small(gate_open("input", 0)["recipe"], "lstm, input gate open"),
            arguments=gate_open,
        ),
        "digits": Experiment(
            digits,
            [
                *grid(cell=CELLS, steps=(200, 1000), n=[32], seed=range(5)),
                *grid(cell=["rnn"], steps=[200], n=[WIDE], seed=range(5)),
            ],
            smoke={"cell": "gru", "seed": 0, "steps": 5},
        ),
        "recall": Experiment(
            recall,
            grid(cell=["lstm"], forget_bias=(1.0, 3.0), seed=range(5))
            + grid(cell=["gru"], forget_bias=[0.0], seed=range(5)),
            smoke={"cell": "lstm", "forget_bias": 1.0, "seed": 0, "steps": 5},
        ),
    },
)
