"""Warm-up over the learning rate: the schedules, and the network."""

import pytest
import torch

from lookback.studies.training_rates import WARMUP, Reverser, share
from lookback.training import noam_rate


def test_the_schedules_by_hand() -> None:
    assert {share("at once", step) for step in (1, WARMUP, 9 * WARMUP)} == {1.0}
    for schedule in ("warmed up", "noam"):
        assert share(schedule, 1) == 1 / WARMUP
        assert share(schedule, WARMUP) == 1
    assert share("warmed up", 4 * WARMUP) == 1
    for step in (1, WARMUP, 4 * WARMUP):  # noam_rate, whatever its peak is
        expected = noam_rate(step, 32, WARMUP) / noam_rate(WARMUP, 32, WARMUP)
        assert share("noam", step) == pytest.approx(expected)


def test_the_network_reads_five_digits_at_once() -> None:
    torch.manual_seed(0)
    model, x = Reverser(), torch.tensor([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]])
    logits = model(x)
    assert logits.shape == (2, 5, 10)
    assert not torch.allclose(logits[0], logits[1].flip(0), atol=1e-3)  # it has order
