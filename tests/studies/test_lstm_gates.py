"""An LSTM with one gate open for good: which gate, and what the chapter says."""

import pytest
import torch
from torch import Tensor

from lookback.lstm import LSTMCell
from lookback.recipes.lstm import on_text
from lookback.studies.lstm_gates import OPEN, STUDY, OpenGateLearner
from lookback.studies.recurrent import LAGS
from lookback.workshop import results

PARTS = ("input", "forget", "candidate", "output")


def step(
    parameters: dict[str, Tensor], wide: str | None, x: Tensor, c: Tensor
) -> Tensor:
    """The cell state after a step from h = 0, the gate `wide` having a large bias."""
    cell = LSTMCell(3, 4)
    cell.load_state_dict(parameters)
    if wide is not None:
        k = PARTS.index(wide)
        with torch.no_grad():
            cell.b[4 * k : 4 * k + 4] = 1e4
    h, c = cell(x, (torch.zeros_like(c), c))
    return torch.cat([h, c])


@pytest.mark.parametrize("gate", OPEN)
def test_an_open_gate_is_one_and_the_others_are_as_before(gate: str) -> None:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        cell, x, c = OPEN[gate](3, 4), torch.randn(2, 3), torch.randn(2, 4)
    h, new = cell(x, (torch.zeros_like(c), c))
    parameters = {k: v.clone() for k, v in cell.state_dict().items()}
    assert torch.allclose(torch.cat([h, new]), step(parameters, gate, x, c))
    assert not torch.allclose(torch.cat([h, new]), step(parameters, None, x, c))


def test_only_the_gate_differs_from_the_lstm_of_the_book() -> None:
    assert len(STUDY.cases) == 3 * 3
    for label, recipe in STUDY.cases.items():
        ours = on_text("lstm", "grammar", recipe.seed)
        gate = label.split(" gate open")[0]
        assert label == f"{gate} gate open, seed {recipe.seed}"
        assert OpenGateLearner.cells[recipe.model.cell] is OPEN[gate]
        assert (recipe.model.m, recipe.model.n) == (ours.model.m, ours.model.n)
        assert (recipe.data, recipe.optimiser, recipe.budget) == (
            ours.data,
            ours.optimiser,
            ours.budget,
        )


def test_what_the_chapter_says_of_the_study() -> None:
    """Sentences of docs/lstm.md that have no number of their own."""
    found, whole = results("lstm_gates"), results("lstm").seeds("LSTM")
    rows = found.seeds("forget gate open")
    right = [row["all right"][2] for row in rows]
    assert max(right) < min(row["all right"][2] for row in whole)
    assert all(row["last c"][LAGS] > 0 for row in rows)
