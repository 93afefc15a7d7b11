"""Which gate matters: agreement over distance of LSTMs with one gate always open."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.functional import linear

from lookback.lstm import CELLS, LSTMCell, LSTMState
from lookback.recipes.lstm import on_text
from lookback.recipes.recurrent import RecurrentLearner
from lookback.recurrent import Cell
from lookback.workshop import Recipe, Study, case, on_few

from .recurrent import SEEDS, measured


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


class InputOpen(OpenGate):
    open = 0


class ForgetOpen(OpenGate):
    open = 1


class OutputOpen(OpenGate):
    open = 3


OPEN: dict[str, type[Cell[Any]]] = {
    "input": InputOpen,
    "forget": ForgetOpen,
    "output": OutputOpen,
}


class OpenGateLearner(RecurrentLearner):
    """The learner of `recurrent`, for an LSTM with an open gate, too."""

    cells: ClassVar[Mapping[str, type[Cell[Any]]]] = CELLS | {
        f"lstm, {gate} gate open": cell for gate, cell in OPEN.items()
    }


def gate_open(gate: str, seed: int) -> Recipe[Any]:
    """The recipe of an LSTM on the grammar, with this gate left open."""
    lstm = on_text("lstm", "grammar", seed)
    model = replace(lstm.model, cell=f"lstm, {gate} gate open")
    return replace(lstm, learner=OpenGateLearner, model=model)


STUDY = Study(
    about="agreement over distance: an LSTM with one gate open for good",
    cases={
        f"{gate} gate open, seed {seed}": case(measured, recipe=gate_open(gate, seed))
        for gate in OPEN
        for seed in SEEDS
    },
    check=case(measured, recipe=on_few(gate_open("input", 0), steps=3), pairs=600),
)
