"""Multi-head attention: by hand, against torch and the list of heads."""

import math

import pytest
import torch
from torch import nn

from kit import close, randn, random_mask, size
from lookback.multihead import HeadList, MultiHeadAttention

B, T, S, D_MODEL, H = 2, 4, 5, 12, 3
DOUBLE = torch.float64


def made(*sizes, seed=0, kind=MultiHeadAttention, **named):
    torch.manual_seed(seed)
    return kind(*sizes, **named).double()


def sentences(*places, grad=False):
    """For each number of places a tensor (B, places, d_model)."""
    return [
        randn(B, n, D_MODEL, seed=i).requires_grad_(grad) for i, n in enumerate(places)
    ]


# --- by hand -------------------------------------------------------------------------


def test_two_heads_by_hand():
    """Head 1 asks with the first number and tells the second; head 2 the other way."""
    model = made(2, 2)
    # A row of a weight for each number of a head: (W^Q)ᵀ, head 1 on top.
    with torch.no_grad():
        model.W_Q.weight.copy_(torch.eye(2))
        model.W_K.weight.copy_(torch.eye(2))
        model.W_V.weight.copy_(torch.tensor([[0.0, 1], [1, 0]]))
        model.W_O.weight.copy_(torch.tensor([[1.0, 0], [0, 10]]))
    ln2, ln3 = math.log(2), math.log(3)
    x = torch.tensor(
        [[[ln2, ln3]]], dtype=DOUBLE
    )  # asks: scores are ln 2 · k, ln 3 · k
    there = torch.tensor([[[1.0, 0], [0, 1]]], dtype=DOUBLE)
    output, weights = model(x, there, there)
    close(weights, torch.tensor([[[[2 / 3, 1 / 3]], [[1 / 4, 3 / 4]]]], dtype=DOUBLE))
    # Head 1 finds the second numbers 0, 1; head 2 the first, 1, 0, and W_O has tenfold.
    close(output, torch.tensor([[[1 / 3, 10 / 4]]], dtype=DOUBLE))


# --- against the references ----------------------------------------------------------


def reference(model, h=H):
    """torch's own, with the weights of ours."""
    twin = nn.MultiheadAttention(
        model.d_model, h, bias=False, batch_first=True
    ).double()
    with torch.no_grad():
        stacked = [model.W_Q.weight, model.W_K.weight, model.W_V.weight]
        twin.in_proj_weight.copy_(torch.cat(stacked))
        twin.out_proj.weight.copy_(model.W_O.weight)
    return twin


def agree(model, places, mask, theirs, h=H, factor=1.0):
    """Outputs, weights and all gradients equal those of torch.

    mask    ours: True where one may look;  theirs  torch's arguments for the same
    factor  by which everything that comes in is enlarged
    """
    twin = reference(model, h)
    ours = [factor * x.detach() for x in sentences(*places)]
    same = [x.clone().requires_grad_() for x in ours]
    ours = [x.requires_grad_() for x in ours]
    output, weights = model(*ours, mask)
    expected, looked = twin(*same, average_attn_weights=False, **theirs)
    close(output, expected, 1e-9)
    close(weights, looked)
    pull = torch.linspace(-1, 1, weights.numel(), dtype=DOUBLE).view_as(weights)
    ((output**2).sum() + (pull * weights).sum()).backward()
    ((expected**2).sum() + (pull * looked).sum()).backward()
    for one, two in zip(ours, same, strict=True):
        close(one.grad, two.grad, 1e-8)
    found = [model.W_Q, model.W_K, model.W_V]
    close(torch.cat([W.weight.grad for W in found]), twin.in_proj_weight.grad, 1e-8)
    close(model.W_O.weight.grad, twin.out_proj.weight.grad, 1e-8)


WHOLE, EACH = random_mask(T, S), random_mask(B, T, S)
HEADS, KEYS = random_mask(B, H, T, S), random_mask(B, S)
# torch's own masks are True where a place is hidden, and fold heads into the batch.
MASKS = {
    "none": (None, {}),
    "one for all": (WHOLE, {"attn_mask": ~WHOLE}),
    "of sentences": (EACH, {"attn_mask": ~EACH.repeat_interleave(H, dim=0)}),
    "of heads": (HEADS, {"attn_mask": ~HEADS.flatten(0, 1)}),
    "padding": (KEYS[:, None], {"key_padding_mask": ~KEYS}),
    "padding and more": (
        WHOLE & KEYS[:, None],
        {"attn_mask": ~WHOLE, "key_padding_mask": ~KEYS},
    ),
}


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("factor", [1, 300])
def test_it_is_torchs_multi_head_attention(name, factor):
    """At 300, too, where scores are far below any finite mask."""
    agree(made(D_MODEL, H), (T, S, S), *MASKS[name], factor=factor)


@pytest.mark.parametrize("h", [1, 2, 4, 6, 12])
def test_any_number_of_heads_is_torchs(h):
    agree(made(D_MODEL, h), (T, S, S), WHOLE, {"attn_mask": ~WHOLE}, h=h)


def listed(model):
    """The list of heads with the weights of a model."""
    twin = made(model.d_model, model.h, model.d_k, model.d_v, kind=HeadList)
    with torch.no_grad():
        for i, head in enumerate(twin.heads):
            for name, d in (("W_Q", model.d_k), ("W_K", model.d_k), ("W_V", model.d_v)):
                rows = getattr(model, name).weight[i * d : (i + 1) * d]
                getattr(head, name).weight.copy_(rows)
        twin.W_O.weight.copy_(model.W_O.weight)
    return twin


@pytest.mark.parametrize(("d_k", "d_v"), [(None, None), (2, 7), (7, 2), (None, 1)])
@pytest.mark.parametrize("mask", [None, WHOLE, EACH, KEYS[:, None]])
def test_it_is_the_list_of_heads(d_k, d_v, mask):
    model = made(D_MODEL, H, d_k, d_v)
    told = d_k or D_MODEL // H, d_v or D_MODEL // H
    assert (model.W_K.out_features, model.W_V.out_features) == tuple(
        H * d for d in told
    )
    twin = listed(model)
    assert size(model) == size(twin)  # neither has a bias
    ours, theirs = (sentences(T, S, S, grad=True) for _ in range(2))
    output, weights = model(*ours, mask)
    expected, looked = twin(*theirs, mask)
    assert output.shape == (B, T, D_MODEL)
    assert weights.shape == (B, H, T, S)
    close(output, expected)
    close(weights, looked)
    ((output**2).sum() + weights[:, :, 0, 0].sum()).backward()
    ((expected**2).sum() + looked[:, :, 0, 0].sum()).backward()
    for one, two in zip(ours, theirs, strict=True):
        close(one.grad, two.grad)
    for name in ("W_Q", "W_K", "W_V"):
        rows = [getattr(head, name).weight.grad for head in twin.heads]
        close(getattr(model, name).weight.grad, torch.cat(rows))
    close(model.W_O.weight.grad, twin.W_O.weight.grad)
