"""Digits written with Luong's scores: the task, the windows, and what is measured."""

from dataclasses import replace

import pytest
import torch

from lookback.luong import LocalAttention, LocationAttention
from lookback.studies.encdec_digits import END, START
from lookback.studies.luong_digits import (
    GLOBAL,
    LENGTHS,
    WINDOWS,
    Writing,
    copied,
    learned,
    measured,
)
from lookback.workshop import results, seeds

QUICK = Writing("reverse", "dot", "global", rate=1e-2, seed=0, steps=2, batch=3)


def test_a_copy_keeps_the_order() -> None:
    source, target = copied(4, 3, seeds.generator(0))
    assert source.shape == (3, 4) and torch.equal(target[:, 1:-1], source)
    assert (target[:, 0] == START).all() and (target[:, -1] == END).all()


@pytest.mark.parametrize("score", GLOBAL)
def test_a_network_has_its_score(score: str) -> None:
    attention = learned(replace(QUICK, score=score)).attention
    assert attention.score == score
    assert isinstance(attention, LocationAttention) is (score == "location")


@pytest.mark.parametrize("scope", WINDOWS)
def test_a_window_is_as_wide_as_asked_for(scope: str) -> None:
    attention = learned(replace(QUICK, task="copy", scope=scope, D=3)).attention
    assert isinstance(attention, LocalAttention)
    assert (attention.scope, attention.D) == (scope, 3)


def test_what_is_measured_repeats_itself() -> None:
    found = measured(QUICK)
    assert found == measured(QUICK)
    assert found["lengths"] == [*LENGTHS]
    assert all(0 <= share <= 1 for share in found["exact"])


def test_a_window_on_the_diagonal_copies_and_does_not_reverse() -> None:
    stored = results("luong_digits")
    copy, reverse = (
        [row["exact"][-1] for row in stored.seeds(f"{task}, local-m")]
        for task in ("copy", "reverse")
    )
    assert min(copy) > max(reverse)
