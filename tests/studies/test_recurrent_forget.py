"""A sign remembered over noise: the task, the forget bias, and what is gathered.

Mutants that these tests kill: noise among the signs; a forget bias for another gate, or
none; the share of the last seed, or of other systems; rows of a training that does not
repeat.
"""

from dataclasses import replace

import pytest
import torch

from lookback.recurrent import LSTMCell
from lookback.studies import recurrent_forget
from lookback.studies.recurrent_forget import STUDY, Recall, recall, recalled, signs
from lookback.workshop import Results, results

TASK = Recall("lstm", 1.0, seed=0, length=4, kinds=3, n=8, steps=150, rate=0.03)


def test_the_task_shows_a_sign_and_then_noise() -> None:
    ids = signs(TASK, 200, torch.Generator().manual_seed(1))
    assert ids.shape == (200, 4)
    assert set(ids[:, 0].tolist()) == {0, 1, 2}
    assert set(ids[:, 1:].flatten().tolist()) == {3, 4, 5}


def test_a_short_task_is_learned_and_repeats_itself() -> None:
    found = recall(TASK)
    assert found["step"] == [0, 50, 100, 150]
    assert found["right"][0] < 0.6
    assert found["right"][-1] > 0.95
    assert recall(TASK) == found
    assert recall(replace(TASK, seed=1)) != found


def test_the_forget_bias_reaches_the_cell() -> None:
    by_bias = []
    for bias in (0.0, 3.0):
        cell = recurrent_forget._of_task(replace(TASK, forget_bias=bias)).cell
        assert isinstance(cell, LSTMCell)
        by_bias.append(cell.b.detach().view(4, 8))
    apart = by_bias[1] - by_bias[0]
    assert torch.allclose(apart[1], torch.full((8,), 3.0), atol=1e-6)
    assert not apart[[0, 2, 3]].any()
    assert recurrent_forget._of_task(replace(TASK, cell="gru")).cell.n == 8


def test_what_is_right_is_gathered_over_seeds() -> None:
    rows = {
        "A, seed 0": {"step": [0, 50], "right": [0.0, 0.5]},
        "A, seed 1": {"step": [0, 50], "right": [0.2, 1.0]},
        "A, b, seed 0": {"step": [0, 50], "right": [9, 9]},
    }
    found = Results("recurrent_forget", rows, {})
    assert recalled(found, "A") == pytest.approx({0: 0.1, 50: 0.75})
    with pytest.raises(ValueError, match="no case of recurrent_forget 'B'"):
        recalled(found, "B")


def test_each_system_is_trained_from_three_seeds() -> None:
    cases = STUDY.cases
    assert len(cases) == 6 * 3
    for label, task in cases.items():
        system, seed = label.split(", seed ")
        assert task.seed == int(seed)
        assert system.startswith(task.cell.upper())
        if task.cell == "lstm":
            assert system == f"LSTM, forget bias {task.forget_bias:.0f}"
    assert (
        len({replace(t, cell="", forget_bias=0.0, seed=0) for t in cases.values()}) == 1
    )


def test_what_the_chapter_says_of_the_study() -> None:
    """Sentences of docs/recurrent.md that have no number of their own."""
    found = results("recurrent_forget")
    ends = {label: row["right"][-1] for label, row in found.rows.items()}
    small = tuple(f"LSTM, forget bias {bias}" for bias in range(3))
    low = [v for k, v in ends.items() if k.startswith(small)]
    assert len(low) == 9
    assert max(low) < 0.15
    three = [v for k, v in ends.items() if k.startswith("LSTM, forget bias 3")]
    assert sorted(v == 1 for v in three) == [False, True, True]
    assert all(v == 1 for k, v in ends.items() if k.startswith("GRU"))
