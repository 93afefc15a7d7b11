"""A sign remembered over noise: the task, the forget bias, and what is gathered.

Mutants that these tests kill: noise among the signs; a forget bias for another gate, or
none; the norm of another state; a step that was not the first; rows of a training that
does not repeat.
"""

from dataclasses import replace

import pytest
import torch

from lookback.lstm import LSTMCell
from lookback.recurrent import jacobian_norms
from lookback.studies import lstm_forget
from lookback.studies.lstm_forget import STUDY, Recall, learnt, recall, signs
from lookback.workshop import results

TASK = Recall(
    "lstm", 1.0, 0, noise=5, length=4, kinds=3, n=8, steps=150, rate=0.03, every=50
)


def test_the_task_shows_a_sign_and_then_noise() -> None:
    ids = signs(TASK, 200, torch.Generator().manual_seed(1))
    assert ids.shape == (200, 4)
    assert set(ids[:, 0].tolist()) == {0, 1, 2}
    assert set(ids[:, 1:].flatten().tolist()) == {3, 4, 5, 6, 7}
    silent = signs(replace(TASK, noise=1), 200, torch.Generator().manual_seed(1))
    assert set(silent[:, 1:].flatten().tolist()) == {3}


def test_a_short_task_is_learned_and_repeats_itself() -> None:
    found = recall(TASK)
    assert found["step"] == [0, 50, 100, 150][: len(found["step"])]
    assert found["right"][0] < 0.6
    assert found["right"][-1] > 0.95
    assert recall(TASK) == found
    assert recall(replace(TASK, seed=1)) != found


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_what_arrives_is_the_norm_of_the_state_that_is_carried(cell: str) -> None:
    model = lstm_forget.network_of(replace(TASK, cell=cell))
    ids = signs(TASK, 1, torch.Generator().manual_seed(1))
    x = model.C(ids)[0].detach()
    norm = jacobian_norms(model.cell, x, part=int(cell == "lstm"))[0]
    assert lstm_forget._arrives(model, ids) == pytest.approx(
        norm.log10().item(), abs=1e-4
    )


def test_the_forget_bias_reaches_the_cell() -> None:
    by_bias = []
    for bias in (0.0, 3.0):
        cell = lstm_forget.network_of(replace(TASK, forget_bias=bias)).cell
        assert isinstance(cell, LSTMCell)
        by_bias.append(cell.b.detach().view(4, 8))
    apart = by_bias[1] - by_bias[0]
    assert torch.allclose(apart[1], torch.full((8,), 3.0), atol=1e-6)
    assert not apart[[0, 2, 3]].any()
    assert lstm_forget.network_of(replace(TASK, cell="gru")).cell.n == 8


def test_the_first_step_is_told_at_which_a_run_had_learnt() -> None:
    rows = [
        {"step": [0, 50, 100], "right": [0.1, 0.95, 1.0]},
        {"step": [0, 50], "right": [0.2, 0.89]},
    ]
    assert learnt(rows) == [50, None]


def test_each_system_is_trained_from_five_seeds() -> None:
    cases = STUDY.cases
    assert len(cases) == 8 * 5
    for label, task in cases.items():
        system, seed = label.split(", seed ")
        assert task.seed == int(seed)
        assert system.startswith(task.cell.upper())
        assert system.endswith("silence") == (task.noise == 1)
        if task.cell == "lstm":
            assert f"forget bias {task.forget_bias:.0f}" in system


def test_what_the_chapter_says_of_the_study() -> None:
    """Sentences of docs/lstm.md that have no number of their own."""
    found = results("lstm_forget")
    for name in ("forget bias 0", "forget bias 1", "forget bias 1, silence"):
        assert all(row["right"][-1] < 0.2 for row in found.seeds(f"LSTM, {name}"))
    for name in ("LSTM, forget bias 3", "LSTM, forget bias 4", "GRU"):
        assert all(row["right"][-1] == 1 for row in found.seeds(name))
    assert all(-0.2 < r["norm"][0] < 0.3 for r in found.seeds("LSTM, forget bias 2"))
    assert all(row["norm"][0] < -6 for row in found.seeds("GRU"))
