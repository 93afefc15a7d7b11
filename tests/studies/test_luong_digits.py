"""Digits written with Luong's scores: the task."""

import torch

from lookback.studies.encdec_digits import END, START
from lookback.studies.luong_digits import copied
from lookback.workshop import seeds


def test_a_copy_keeps_the_order() -> None:
    source, target = copied(4, 3, seeds.generator(0))
    assert source.shape == (3, 4) and torch.equal(target[:, 1:-1], source)
    assert (target[:, 0] == START).all() and (target[:, -1] == END).all()
