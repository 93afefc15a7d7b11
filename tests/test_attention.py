"""Scaled dot-product attention: by hand, and against torch."""

import math

import pytest
import torch
from torch.nn import functional as F

from kit import close, filled, randn, random_mask
from lookback.attention import (
    Head,
    causal_mask,
    projection,
    scaled_dot_product_attention,
)

T, S, D_K, D_V, D_MODEL = 4, 6, 3, 5, 7
FRONTS = [(), (2,), (2, 3), (2, 1, 3)]  # axes in front: none, sentences, heads, …
DOUBLE = torch.float64


def tensors(*front, seed=0, grad=False):
    """Q (…, T, d_k), K (…, S, d_k), V (…, S, d_v)."""
    sizes = ((T, D_K), (S, D_K), (S, D_V))
    return [
        randn(*front, *size, seed=seed + i).requires_grad_(grad)
        for i, size in enumerate(sizes)
    ]


# --- by hand -------------------------------------------------------------------------


def test_by_hand():
    # d_k = 4 halves the scores: q · k = 0, 2 ln 3, 2 ln 2 → weights 1, 3 and 2 of 6
    Q = torch.tensor([[1.0, 0.0, 2.0, 0.0]])
    ln3, ln2 = math.log(3), math.log(2)
    K = torch.tensor([[0.0, 5, 0, 5], [2 * ln3, 7, 0, 0], [0, 0, ln2, 9]])
    V = torch.tensor([[6.0, 0], [0, 6], [12, 60]])
    output, weights = scaled_dot_product_attention(Q, K, V)
    close(weights, torch.tensor([[1 / 6, 3 / 6, 2 / 6]]), 1e-6)
    close(output, torch.tensor([[1 + 4.0, 3 + 20.0]]), 1e-5)
    mask = torch.tensor([[True, False, True]])
    output, weights = scaled_dot_product_attention(Q, K, V, mask)
    close(weights, torch.tensor([[1 / 3, 0, 2 / 3]]), 1e-6)
    close(output, torch.tensor([[2 + 8.0, 40.0]]), 1e-5)


@pytest.mark.parametrize(("T", "past"), [(3, 0), (1, 0), (1, 4), (3, 2), (4, 1)])
def test_the_causal_mask_by_hand(T, past):
    """After a prefix it is the last rows of that of all."""
    expected = [[s <= t for s in range(past + T)] for t in range(past, past + T)]
    assert causal_mask(T, past).dtype == torch.bool
    assert causal_mask(T, past).tolist() == expected


# --- against the reference -----------------------------------------------------------


def masks(front):
    """Every kind of mask for tensors with these axes in front."""
    yield "none", None
    yield "whole", random_mask(*front, T, S)
    yield "one for all", random_mask(T, S)
    yield "of keys", random_mask(*front, 1, S)
    yield "row", random_mask(S)
    if front:
        yield "of the first axis", random_mask(front[0], *(1 for _ in front[1:]), T, S)


@pytest.mark.parametrize("front", FRONTS)
def test_outputs_weights_and_gradients_are_those_of_torch(front):
    """Its weights are what it gives for values that are rows of 1 and 0."""
    for name, mask in masks(front):
        ours, theirs = tensors(*front, grad=True), tensors(*front, grad=True)
        output, weights = scaled_dot_product_attention(*ours, mask)
        given = None if mask is None else mask.expand(*front, T, S)
        reference, (Q, K, V) = F.scaled_dot_product_attention, theirs
        expected = reference(Q, K, V, attn_mask=given)
        looked = reference(
            Q, K, torch.eye(S, dtype=DOUBLE).expand(*front, S, S), attn_mask=given
        )
        assert output.shape == (*front, T, D_V), name
        close(output, expected)
        close(weights, looked)
        pull = randn(*weights.shape, seed=9)
        ((output**2).sum() + (pull * weights).sum()).backward()
        ((expected**2).sum() + (pull * looked).sum()).backward()
        for one, two in zip(ours, theirs, strict=True):
            close(one.grad, two.grad)


def test_axes_in_front_may_be_shared():
    """One key and value for all heads: what is 1 stands for all."""
    (Q, _, _), (_, K, V) = tensors(2, 3), tensors(2, 1)
    found = scaled_dot_product_attention(Q, K, V)
    wide = [x.expand(2, 3, -1, -1) for x in (K, V)]
    assert all(map(torch.equal, found, scaled_dot_product_attention(Q, *wide)))


def test_a_head_is_attention_between_its_maps():
    head, mask = filled(Head(D_MODEL, D_K, D_V)), random_mask(2, T, S)
    inputs = [randn(2, n, D_MODEL, seed=n) for n in (T, S, S)]
    maps = [x @ W.weight.T for x, W in zip(inputs, head.children(), strict=True)]
    expected = scaled_dot_product_attention(*maps, mask)
    for one, two in zip(head(*inputs, mask), expected, strict=True):
        close(one, two)


def test_a_projection_keeps_the_variance():
    torch.manual_seed(0)
    for d_in, d_out in ((500, 90), (90, 500)):
        x = torch.randn(2000, d_in)
        made = projection(d_in, d_out)
        assert made.bias is None
        assert made(x).var().item() == pytest.approx(1, rel=0.05)
