"""Digits copied: the task."""

import torch

from lookback.studies.seq2seq_digits import digits


def test_the_target_is_the_source() -> None:
    source, target = digits(4, 50, torch.Generator().manual_seed(1))
    assert source.shape == (50, 5) and target.shape == (50, 6)
    assert source[:, :-1].min() >= 0 and source[:, :-1].max() <= 9
    assert (target[:, 0] == 10).all() and (source[:, -1] == 11).all()
    assert torch.equal(target[:, 1:], source)
