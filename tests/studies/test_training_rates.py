"""Warm-up over the learning rate: the schedules, and what is measured."""

import pytest
import torch

from lookback.studies.training_rates import (
    EVERY,
    SEEDS,
    STEPS,
    WARMUP,
    Reverser,
    Run,
    label,
    measured,
    share,
)
from lookback.training import noam_rate
from lookback.workshop import results


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


def test_what_is_measured_repeats_itself_and_depends_on_the_seed() -> None:
    run = Run(1e-3, "warmed up", seed=0, steps=2 * EVERY)
    found = measured(run)
    assert found == measured(run)
    assert found != measured(Run(1e-3, "warmed up", seed=1, steps=2 * EVERY))
    assert len(found["losses"]) == 2 and 0 <= found["right"] <= 1


def test_a_warm_up_makes_a_high_rate_usable_and_a_lower_rate_needs_none() -> None:
    stored = results("training_rates")

    def right(schedule: str, peak: float) -> list[float]:
        rows = [stored[label(schedule, peak, seed)] for seed in SEEDS]
        assert {len(row["losses"]) for row in rows} == {STEPS // EVERY}
        return [row["right"] for row in rows]

    assert sum(share > 0.9 for share in right("at once", 0.01)) == 1
    assert min(right("warmed up", 0.01) + right("noam", 0.01)) > 0.9
    assert min(right("at once", 0.003)) > 0.99
