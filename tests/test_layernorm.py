"""Layer normalisation: by hand, against torch, its own laws."""

import math

import pytest
import torch
from torch import nn

from kit import close, generator
from lookback.layernorm import LayerNorm

B, T, D_MODEL = 2, 5, 6
DOUBLE = torch.float64


def tokens(*shape, seed=0, grad=False):
    chance = generator(seed)
    x = torch.randn(*shape, D_MODEL, generator=chance, dtype=DOUBLE)
    return (3 * x + 2).requires_grad_(grad)


def made(eps=1e-5, seed=1):
    """A norm whose gain and bias are not those that it begins with."""
    norm, chance = LayerNorm(D_MODEL, eps).double(), generator(seed)
    with torch.no_grad():
        for parameter in norm.parameters():
            parameter.normal_(generator=chance)
    return norm


# --- by hand -------------------------------------------------------------------------


def test_four_numbers_by_hand():
    """2, 4, 6, 8: mean 5, squared distances 9, 1, 1, 9, variance 5 and not 20 / 3."""
    norm = LayerNorm(4, eps=1e-12).double()
    x = torch.tensor([2.0, 4, 6, 8], dtype=DOUBLE)
    by_hand = torch.tensor([-3.0, -1, 1, 3], dtype=DOUBLE) / math.sqrt(5)
    close(norm(x), by_hand)
    with torch.no_grad():
        norm.g.copy_(torch.tensor([1.0, 2, 3, 4]))
        norm.b.copy_(torch.tensor([0.0, 10, 20, 30]))
    expected = by_hand * torch.tensor([1, 2, 3, 4]) + torch.tensor([0, 10, 20, 30])
    close(norm(x), expected)


def test_it_begins_with_gain_one_and_bias_zero():
    norm = LayerNorm(D_MODEL)
    assert torch.equal(norm.g, torch.ones(D_MODEL))
    assert torch.equal(norm.b, torch.zeros(D_MODEL))
    assert {name for name, _ in norm.named_parameters()} == {"g", "b"}
    assert norm.eps == nn.LayerNorm(D_MODEL).eps


# --- against the reference -----------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (T,), (B, T), (B, 3, T)])
@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_it_is_torchs_layer_norm(shape, eps):
    ours, theirs = made(eps), nn.LayerNorm(D_MODEL, eps=eps).double()
    with torch.no_grad():
        theirs.weight.copy_(ours.g)
        theirs.bias.copy_(ours.b)
    x, same = tokens(*shape, grad=True), tokens(*shape, grad=True)
    found, expected = ours(x), theirs(same)
    close(found, expected)
    pull = torch.linspace(-1, 1, found.numel(), dtype=DOUBLE).view_as(found)
    (pull * found**2).sum().backward()
    (pull * expected**2).sum().backward()
    close(x.grad, same.grad)
    close(ours.g.grad, theirs.weight.grad)
    close(ours.b.grad, theirs.bias.grad)
