"""Shared keys and values, and the online softmax: by hand, references, its own laws."""

import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from kit import close
from lookback.attention import causal_mask
from lookback.attention import scaled_dot_product_attention as plain_attention
from lookback.decoder import KVCache
from lookback.grouped import (
    GroupedQueryAttention,
    cache_bytes,
    grouped_attention,
    online_softmax_attention,
    pooled,
)
from lookback.multihead import MultiHeadAttention

B, T, S, D_MODEL, H, D_K = 2, 4, 7, 24, 6, 4


pytestmark = pytest.mark.usefixtures("double")


# --- by hand -------------------------------------------------------------------------


def test_the_recursion_by_hand():
    """Scores ln 2, then ln 4, then ln 1, one at a time; values 7, 14, 0."""
    Q = torch.tensor([[1.0]])
    K = torch.tensor([[math.log(2)], [math.log(4)], [0.0]])
    V = torch.tensor([[7.0], [14], [0]])
    output = online_softmax_attention(Q, K, V, block=1)
    close(output, torch.tensor([[(2 * 7 + 4 * 14 + 0) / 7]]))


def test_two_heads_share_a_key_by_hand():
    """Head 1 asks with the first number, head 2 with the second; one key of size 1."""
    Q = torch.tensor([[[[math.log(2)]], [[0.0]]]])
    K, V = torch.tensor([[[[1.0], [0]]]]), torch.tensor([[[[0.0], [9]]]])
    heads, weights = grouped_attention(Q, K, V)
    close(weights, torch.tensor([[[[2 / 3, 1 / 3]], [[1 / 2, 1 / 2]]]]))
    close(heads, torch.tensor([[[[3]], [[4.5]]]]))


def test_bytes_by_hand():
    cache = KVCache(torch.zeros(1, 2, 512, 16), torch.zeros(1, 2, 512, 16))
    assert cache_bytes((cache, cache)) == 2 * 2 * 2 * 512 * 16 * 8


# --- against the references ----------------------------------------------------------


@pytest.mark.parametrize("g", [1, 2, 3, 6])
def test_outputs_and_gradients_are_those_of_torch(g):
    layer, x = GroupedQueryAttention(D_MODEL, H, g), torch.randn(B, S, D_MODEL)
    Q = layer.W_Q(x).unflatten(-1, (H, D_K)).transpose(1, 2)
    K, V = (
        W(x).unflatten(-1, (g, D_K)).transpose(1, 2) for W in (layer.W_K, layer.W_V)
    )
    heads = scaled_dot_product_attention(Q, K, V, is_causal=True, enable_gqa=True)
    expected = layer.W_O(heads.transpose(1, 2).flatten(2))
    output, _, _ = layer(x)
    close(output, expected)
    parameters = list(layer.parameters())
    ours = torch.autograd.grad(output.square().sum(), parameters)
    theirs = torch.autograd.grad(expected.square().sum(), parameters)
    for one, two in zip(ours, theirs, strict=True):
        close(one, two, 1e-9)


def test_heads_of_a_group_are_averaged():
    other = MultiHeadAttention(D_MODEL, H)
    new = pooled(other, 2)
    for name in ("W_K", "W_V"):
        one, two = getattr(new, name).weight.split(D_K)
        heads = getattr(other, name).weight.view(H, D_K, D_MODEL)
        close(one, heads[:3].mean(0))
        close(two, heads[3:].mean(0))
    assert torch.equal(new.W_Q.weight, other.W_Q.weight)
    assert torch.equal(new.W_O.weight, other.W_O.weight)


@pytest.mark.parametrize("block", [1, 3, 7, 100])
@pytest.mark.parametrize("size", [(S, S), (T, S), (1, S)])
@pytest.mark.parametrize("causal", [False, True])
def test_blocks_change_nothing(block, size, causal):
    T, S = size
    Q, K, V = 4 * torch.randn(B, T, 5), torch.randn(B, S, 5), torch.randn(B, S, 3)
    given = [x.requires_grad_() for x in (Q, K, V)]
    expected, _ = plain_attention(*given, causal_mask(S)[-T:] if causal else None)
    gradients = torch.autograd.grad(expected.square().sum(), given)
    for skip in (True, False):
        found = online_softmax_attention(*given, block=block, causal=causal, skip=skip)
        close(found, expected)
        ours = torch.autograd.grad(found.square().sum(), given)
        for one, two in zip(ours, gradients, strict=True):
            close(one, two)


def test_large_scores_do_not_overflow():
    """e^800 is no number; m is subtracted first, and grows later."""
    Q, V = torch.full((1, 1), 1.0), torch.randn(4, 2)
    K = torch.tensor([[-900.0], [0], [800], [799]])
    expected, _ = plain_attention(Q, K, V)
    close(online_softmax_attention(Q, K, V, block=1), expected)


# --- laws ----------------------------------------------------------------------------


def test_skipped_blocks_are_not_read():
    """Blocks later than all queries of a block may hold anything: NaN, too."""
    Q, K, V = (torch.randn(6, 3) for _ in range(3))
    expected = online_softmax_attention(Q, K, V, block=2, causal=True)
    later = K.clone()
    later[4:] = math.nan
    found = online_softmax_attention(Q, later, V, block=2, causal=True)
    close(found[:4], expected[:4])
