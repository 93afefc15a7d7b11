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


# --- laws of the norm ----------------------------------------------------------------


def test_each_token_has_mean_0_and_variance_1():
    y = LayerNorm(D_MODEL, eps=1e-12).double()(tokens(B, T))
    close(y.mean(dim=-1), torch.zeros(B, T, dtype=DOUBLE), 1e-9)
    close(y.var(dim=-1, unbiased=False), torch.ones(B, T, dtype=DOUBLE), 1e-9)


def test_no_token_knows_of_another():
    norm, x = made(), tokens(B, T)
    y = norm(x)
    for b in range(B):
        for t in range(T):
            close(norm(x[b, t]), y[b, t])
    other = x.clone()
    other[1, 3] = 100 + torch.arange(D_MODEL)
    moved = (norm(other) != y).any(dim=-1)
    assert moved.nonzero().tolist() == [[1, 3]]


def test_scale_and_shift_of_a_token_are_forgotten():
    x = tokens(B, T)
    scale = torch.rand(B, T, 1, dtype=DOUBLE, generator=generator(3))
    norm = made(eps=1e-12)
    close(norm(x * (scale + 0.5) + 7 * scale), norm(x), 1e-8)


def test_a_token_of_equal_numbers_becomes_the_bias():
    norm = made()
    x = torch.full((D_MODEL,), 4.0, dtype=DOUBLE, requires_grad=True)
    close(norm(x), norm.b)
    norm(x).sum().backward()
    assert x.grad.isfinite().all()


def test_the_argument_stays_as_it_came():
    x = tokens(B, T)
    kept = x.clone()
    made()(x)
    assert torch.equal(x, kept)
