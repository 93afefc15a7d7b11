"""Devices, and batches on their way to them."""

from dataclasses import dataclass

import pytest
import torch

from lookback.trainer.device import device, mapped, moved


@dataclass(frozen=True)
class Rows:
    x: torch.Tensor
    name: str = "rows"


def test_the_fastest_device_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda, mps = torch.cuda, torch.backends.mps
    monkeypatch.setattr(mps, "is_available", lambda: False)
    monkeypatch.setattr(cuda, "is_available", lambda: False)
    assert device() == torch.device("cpu")
    with pytest.raises(ValueError, match="this machine has no cuda"):
        device("cuda")
    with pytest.raises(ValueError, match="a device is one of auto, cpu, cuda, mps"):
        device("gpu")
    monkeypatch.setattr(mps, "is_available", lambda: True)
    assert device() == torch.device("mps")
    monkeypatch.setattr(cuda, "is_available", lambda: True)
    assert device() == torch.device("cuda", 0)
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert device() == torch.device("cuda", 1)
    assert device("cpu") == torch.device("cpu")


def test_each_tensor_of_a_batch_is_changed_and_nothing_else() -> None:
    batch = (torch.zeros(2), [Rows(torch.ones(1))])
    on = moved(batch, torch.device("meta"))
    assert on[0].device.type == on[1][0].x.device.type == "meta"
    twice = mapped(batch, lambda tensor: tensor + 1)
    assert twice[0].tolist() == [1, 1]
    assert (twice[1][0].x.tolist(), twice[1][0].name) == ([2], "rows")
