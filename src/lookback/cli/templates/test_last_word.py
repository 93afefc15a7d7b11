"""The last word."""

import pytest
import torch

from lookback.cli.templates.last_word import LastWord


def test_by_hand() -> None:
    model = LastWord(3)
    rows = torch.tensor([[0.0, 2.0, 1.0], [1.0, 0.0, 3.0], [4.0, 0.0, 0.0]])
    model.load_state_dict({"W.weight": rows})
    assert model(torch.tensor([[1, 0]])).tolist() == [[[1, 0, 3], [0, 2, 1]]]


def test_the_future_does_not_matter() -> None:
    model, x = LastWord(5), torch.tensor([[1, 2, 3, 4]])
    assert torch.equal(model(x)[:, :2], model(x[:, :2]))


def test_refusals() -> None:
    with pytest.raises(ValueError, match="V must be a whole number"):
        LastWord(0)
    with pytest.raises(ValueError, match="x holds"):
        LastWord(5)(torch.tensor([[5]]))
