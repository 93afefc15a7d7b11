"""Six and twelve layers: gradients before training."""

from dataclasses import replace

import pytest
import torch

from lookback.studies.layernorm import SMALL, Normed
from lookback.studies.layernorm_depth import gradients


@pytest.mark.parametrize("norm_first", [False, True])
def test_gradients_are_those_of_each_feed_forward_part_from_below(norm_first):
    torch.manual_seed(0)
    model = Normed(replace(SMALL, N=3, norm_first=norm_first), 9)
    ids = torch.randint(4, 9, (2, 5))
    loss = model(ids).square().sum()
    matrices = [layer.feed_forward.W_2.weight for layer in model.stack.layers]
    expected = torch.autograd.grad(loss / 10, matrices)
    found = gradients(model, model(ids).square().sum(), 10)
    assert found == [pytest.approx(g.norm().item()) for g in expected]
    assert len({round(n, 4) for n in found}) == 3
