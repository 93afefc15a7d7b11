"""Digits reversed through one vector: the task, the control, and what is measured.

They should fail for: a target that is not reversed; a sum that knows the order or reads
padding; a case with another size than its name says.
"""

from dataclasses import replace

import pytest
import torch

from lookback.encdec import EncoderDecoderConfig
from lookback.studies.encdec_digits import (
    LENGTHS,
    STUDY,
    Reversal,
    Sum,
    digits,
    learned,
    measured,
)
from lookback.workshop import results

QUICK = Reversal(8, ordered=True, seed=0, steps=2)


def test_the_target_is_the_source_from_its_end() -> None:
    source, target = digits(4, 50, torch.Generator().manual_seed(1))
    assert source.shape == (50, 4) and target.shape == (50, 6)
    assert source.min() >= 0 and source.max() <= 9
    assert (target[:, 0] == 10).all() and (target[:, -1] == 11).all()
    assert torch.equal(target[:, 1:-1].flip(1), source)


def test_a_sum_does_not_know_the_order_and_does_not_read_padding() -> None:
    torch.manual_seed(0)
    encoder = Sum(EncoderDecoderConfig(m=3, n=5, l=2), 12)
    source = torch.tensor([[3, 1, 4, 0]])
    mask = torch.tensor([[True, True, True, False]])
    c = encoder(source, mask)
    assert c.shape == (1, 5)
    turned = torch.tensor([[4, 1, 3, 7]])
    assert torch.allclose(encoder(turned, mask), c, atol=1e-6)
    other = torch.tensor([[3, 1, 5, 0]])
    assert not torch.allclose(encoder(other, mask), c)


@pytest.mark.parametrize("ordered", [True, False])
def test_what_is_measured_repeats_itself(ordered: bool) -> None:
    task = replace(QUICK, ordered=ordered)
    found = measured(task)
    assert found == measured(task)
    assert found["lengths"] == [*LENGTHS]
    assert all(0 <= share <= 1 for share in found["exact"])
    assert isinstance(learned(task).encoder, Sum) is not ordered


def test_cases_are_what_they_say_and_larger_vectors_reverse_longer_ones() -> None:
    stored = results("encdec_digits")
    assert [*stored.rows] == [*STUDY.cases]
    for name, task in STUDY.cases.items():
        assert f"{task.n} numbers" in name and f"seed {task.seed}" in name
        assert name.startswith("a sum") is not task.ordered
    at_8 = LENGTHS.index(8)
    small, middle = (
        [row["exact"][at_8] for row in stored.seeds(f"{n} numbers")] for n in (32, 64)
    )
    assert max(small) < min(middle)
