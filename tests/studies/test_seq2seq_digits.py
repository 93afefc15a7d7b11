"""Digits copied: the task, and what is measured.

They should fail for: a target that is reversed; a source without its end; seeds that
are not paired; a direction that the name does not have.
"""

from dataclasses import replace

import pytest
import torch

from lookback.studies.seq2seq_digits import (
    LENGTHS,
    Copy,
    digits,
    learned,
    measured,
)
from lookback.workshop import results

QUICK = Copy(reversed=True, seed=0, steps=2)


def test_the_target_is_the_source() -> None:
    source, target = digits(4, 50, torch.Generator().manual_seed(1))
    assert source.shape == (50, 5) and target.shape == (50, 6)
    assert source[:, :-1].min() >= 0 and source[:, :-1].max() <= 9
    assert (target[:, 0] == 10).all() and (source[:, -1] == 11).all()
    assert torch.equal(target[:, 1:], source)


@pytest.mark.parametrize("turned", [True, False])
def test_what_is_measured_repeats_itself(turned: bool) -> None:
    task = replace(QUICK, reversed=turned)
    found = measured(task)
    assert found == measured(task)
    assert found["lengths"] == [*LENGTHS]
    assert all(0 <= share <= 1 for share in found["exact"])
    model, losses = learned(task)
    assert model.config.reversed is turned and len(losses) == 2


def test_each_seed_is_a_pair_and_reversal_wins_in_each() -> None:
    stored = results("seq2seq_digits")
    pairs = zip(stored.seeds("in order"), stored.seeds("reversed"), strict=True)
    at_7 = LENGTHS.index(7)
    differences = [b["exact"][at_7] - a["exact"][at_7] for a, b in pairs]
    assert len(differences) == 10 and min(differences) > 0
