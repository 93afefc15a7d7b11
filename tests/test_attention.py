"""Scaled dot-product attention: by hand, against torch, its own laws.

Thirteen mutants stand, as code, in `test_multihead.py`.
"""

import math

import pytest
import torch
from torch.nn import functional as F

from kit import close, randn, random_mask
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


def test_a_place_that_is_found_for_sure_is_copied():
    Q, K = 100 * torch.eye(3), torch.eye(3)
    V = torch.tensor([[1.0, 2], [3, 4], [5, 6]])
    output, weights = scaled_dot_product_attention(Q, K, V)
    close(weights, torch.eye(3), 1e-6)
    close(output, V, 1e-6)


def test_equal_keys_are_looked_at_alike():
    Q, K, V = tensors()
    output, weights = scaled_dot_product_attention(Q, K[:1].expand(S, D_K), V)
    close(weights, torch.full((T, S), 1 / S, dtype=DOUBLE))
    close(output, V.mean(dim=0).expand(T, D_V))


def test_the_causal_mask_by_hand():
    expected = [[True, False, False], [True, True, False], [True, True, True]]
    mask = causal_mask(3)
    assert mask.dtype == torch.bool
    assert mask.tolist() == expected
    assert causal_mask(1).tolist() == [[True]]


@pytest.mark.parametrize(("T", "past"), [(1, 0), (1, 4), (3, 2), (4, 1)])
def test_after_a_prefix_the_mask_is_the_last_rows_of_that_of_all(T, past):
    assert torch.equal(causal_mask(T, past), causal_mask(past + T)[past:])


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
def test_outputs_and_gradients_are_those_of_torch(front):
    for name, mask in masks(front):
        ours, theirs = tensors(*front, grad=True), tensors(*front, grad=True)
        output, weights = scaled_dot_product_attention(*ours, mask)
        given = None if mask is None else mask.expand(*front, T, S)
        expected = F.scaled_dot_product_attention(*theirs, attn_mask=given)
        assert output.shape == (*front, T, D_V), name
        assert weights.shape == (*front, T, S), name
        close(output, expected)
        (output**2).sum().backward()
        (expected**2).sum().backward()
        for one, two in zip(ours, theirs, strict=True):
            close(one.grad, two.grad)


def test_a_causal_look_is_that_of_torch():
    Q, K, V = (x[..., :T, :] for x in tensors(2))
    output, _ = scaled_dot_product_attention(Q, K, V, causal_mask(T))
    close(output, F.scaled_dot_product_attention(Q, K, V, is_causal=True))


def test_weights_pass_gradients_too():
    Q, K, V = tensors(2, grad=True)
    mask = random_mask(2, T, S)
    _, weights = scaled_dot_product_attention(Q, K, V, mask)
    found = torch.autograd.grad((weights**2).sum(), [Q, K])
    scores = (Q @ K.mT / math.sqrt(D_K)).masked_fill(~mask, -math.inf)
    expected = torch.autograd.grad((scores.softmax(dim=-1) ** 2).sum(), [Q, K])
    for one, two in zip(found, expected, strict=True):
        assert one.abs().max() > 1e-3
        close(one, two)


def test_axes_in_front_may_be_shared():
    """One key and value for all heads: what is 1 stands for all."""
    Q, _, _ = tensors(2, 3)
    _, K, V = tensors(2, 1)
    output, weights = scaled_dot_product_attention(Q, K, V)
    wide = [x.expand(2, 3, -1, -1) for x in (K, V)]
    again, looked = scaled_dot_product_attention(Q, *wide)
    assert torch.equal(output, again)
    assert torch.equal(weights, looked)


def test_a_head_is_attention_between_its_maps():
    torch.manual_seed(0)
    head = Head(D_MODEL, D_K, D_V).double()
    queries, keys, values = (
        torch.randn(2, n, D_MODEL, dtype=DOUBLE) for n in (T, S, S)
    )
    mask = random_mask(2, T, S)
    output, weights = head(queries, keys, values, mask)
    Q, K, V = (
        torch.einsum("bnd,kd->bnk", x, W.weight)
        for x, W in ((queries, head.W_Q), (keys, head.W_K), (values, head.W_V))
    )
    scores = torch.einsum("btk,bsk->bts", Q, K) / D_K**0.5
    alpha = scores.masked_fill(~mask, -math.inf).exp()
    alpha = alpha / alpha.sum(dim=-1, keepdim=True)
    close(weights, alpha)
    close(output, torch.einsum("bts,bsv->btv", alpha, V))
    assert [tuple(p.shape) for p in head.parameters()] == [
        (D_K, D_MODEL),
        (D_K, D_MODEL),
        (D_V, D_MODEL),
    ]


def test_a_projection_keeps_the_variance():
    torch.manual_seed(0)
    for d_in, d_out in ((500, 90), (90, 500)):
        x = torch.randn(2000, d_in)
        made = projection(d_in, d_out)
        assert made.bias is None
        assert made(x).var().item() == pytest.approx(1, rel=0.05)


# --- laws ----------------------------------------------------------------------------


def test_a_score_of_minus_a_million_still_beats_what_is_hidden():
    Q, K = torch.tensor([[1e6]]), torch.tensor([[-1.0], [0.0]])
    V = torch.tensor([[1.0], [2.0]])
    _, weights = scaled_dot_product_attention(Q, K, V, torch.tensor([[True, False]]))
    assert weights.tolist() == [[1, 0]]


def test_it_is_linear_in_the_values_and_not_in_what_comes_in():
    Q, K, V = tensors(2)
    output, _ = scaled_dot_product_attention(Q, K, V)
    close(scaled_dot_product_attention(Q, K, 3 * V)[0], 3 * output)
    for other in ((3 * Q, K, V), (Q, 3 * K, V)):
        assert not torch.allclose(scaled_dot_product_attention(*other)[0], output)


def test_the_scores_are_divided_by_the_root_of_the_size_of_a_key():
    """Numbers that are 0 change no product, but they count."""
    Q, K, V = tensors(2)
    wide = [F.pad(x, (0, 4 * D_K - D_K)) for x in (Q, K)]
    _, weights = scaled_dot_product_attention(*wide, V)
    _, half = scaled_dot_product_attention(Q / 2, K, V)
    close(weights, half)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_it_computes_in_the_numbers_that_it_is_given(dtype):
    Q, K, V = (x.to(dtype) for x in tensors(2))
    output, weights = scaled_dot_product_attention(Q, K, V, random_mask(2, T, S))
    assert output.dtype == weights.dtype == dtype
    assert output.isfinite().all()
