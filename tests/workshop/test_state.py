"""Trees of tensors and numbers come back as they were."""

import json

import pytest
import torch

from lookback.workshop.state import pack, unpack


def test_a_tree_comes_back_through_json() -> None:
    tensor = torch.arange(3)
    tree = {
        "none": None,
        0: [1, 2.5, True, "word"],
        "pair": (0.9, (tensor, "x")),
        "empty": {"list": [], "tuple": (), "dict": {}},
    }
    tensors: dict[str, torch.Tensor] = {}
    packed = json.loads(json.dumps(pack(tree, tensors, "t")))
    assert list(tensors) == ["t.pair.1.0"]
    found = unpack(packed, tensors)
    assert found["pair"][1][0] is tensor
    assert repr(found) == repr(tree)


def test_an_optimiser_goes_on_as_if_never_stopped() -> None:
    weight = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    adam = torch.optim.Adam([weight], amsgrad=True)
    weight.grad = torch.tensor([0.5, 3.0])
    adam.step()
    tensors: dict[str, torch.Tensor] = {}
    packed = json.loads(json.dumps(pack(adam.state_dict(), tensors, "t")))
    assert repr(unpack(packed, tensors)) == repr(adam.state_dict())


def test_what_is_no_data_is_refused() -> None:
    with pytest.raises(ValueError, match=r"t\.rate cannot be kept: function"):
        pack({"rate": lambda step: 1}, {}, "t")
