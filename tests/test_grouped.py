"""Shared keys and values, and the online softmax: by hand, references, its own laws."""

import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from kit import close, size
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
from lookback.modern import RotaryGroupedAttention
from lookback.multihead import MultiHeadAttention
from lookback.rotary import RotaryAttention

B, T, S, D_MODEL, H, D_K = 2, 4, 7, 24, 6, 4


pytestmark = pytest.mark.usefixtures("double")


def repeated(grouped):
    """Multi-head attention with the keys and values of a group in each of its heads."""
    rotated = isinstance(grouped, RotaryGroupedAttention)
    kind = RotaryAttention if rotated else MultiHeadAttention
    twin, r = kind(grouped.d_model, grouped.h), grouped.h // grouped.g
    with torch.no_grad():
        twin.W_Q.weight.copy_(grouped.W_Q.weight)
        twin.W_O.weight.copy_(grouped.W_O.weight)
        for name in ("W_K", "W_V"):
            rows = getattr(grouped, name).weight.view(grouped.g, D_K, -1)
            many = rows.repeat_interleave(r, dim=0).flatten(0, 1)
            getattr(twin, name).weight.copy_(many)
    return twin


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


@pytest.mark.parametrize("kind", [GroupedQueryAttention, RotaryGroupedAttention])
@pytest.mark.parametrize("g", [1, 2, 3, 6])
def test_it_is_multi_head_attention_with_repeated_heads(g, kind):
    layer = kind(D_MODEL, H, g)
    twin, x = repeated(layer), torch.randn(B, S, D_MODEL)
    output, weights, _ = layer(x)
    expected, theirs = twin(x, x, x, causal_mask(S))
    close(output, expected)
    close(weights, theirs)


@pytest.mark.parametrize("g", [1, 2, 3])
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
    """A trained model whose heads of a group are alike loses nothing by it."""
    alike = repeated(GroupedQueryAttention(D_MODEL, H, 3))
    x = torch.randn(B, S, D_MODEL)
    close(pooled(alike, 3)(x)[0], alike(x, x, x, causal_mask(S))[0])
    other = MultiHeadAttention(D_MODEL, H)
    weight = pooled(other, 2).W_K.weight
    heads = other.W_K.weight.view(H, D_K, D_MODEL)
    close(weight[:D_K], heads[:3].mean(0))
    close(weight[D_K:], heads[3:].mean(0))


@pytest.mark.parametrize("block", [1, 2, 3, 5, 7, 100])
@pytest.mark.parametrize("size", [(S, S), (T, S), (1, S)])
@pytest.mark.parametrize("causal", [False, True])
def test_blocks_change_nothing(block, size, causal):
    T, S = size
    Q, K, V = torch.randn(B, T, 5), torch.randn(B, S, 5), torch.randn(B, S, 3)
    Q, mask = 4 * Q, causal_mask(S)[-T:] if causal else None
    expected, _ = plain_attention(Q, K, V, mask)
    for skip in (True, False):
        found = online_softmax_attention(Q, K, V, block=block, causal=causal, skip=skip)
        assert (found - expected).abs().max() < 1e-12


def test_large_scores_do_not_overflow():
    """e^800 is no number; m is subtracted first, and grows later."""
    Q, V = torch.full((1, 1), 1.0), torch.randn(4, 2)
    K = torch.tensor([[-900.0], [0], [800], [799]])
    expected, _ = plain_attention(Q, K, V)
    close(online_softmax_attention(Q, K, V, block=1), expected)


# --- laws ----------------------------------------------------------------------------


def test_it_passes_gradients():
    Q, K, V = (torch.randn(S, 3, requires_grad=True) for _ in range(3))
    one = online_softmax_attention(Q, K, V, block=2, causal=True).square().sum()
    two = plain_attention(Q, K, V, causal_mask(S))[0].square().sum()
    for mine, theirs in zip(
        torch.autograd.grad(one, (Q, K, V)),
        torch.autograd.grad(two, (Q, K, V)),
        strict=True,
    ):
        close(mine, theirs)


def test_skipped_blocks_are_not_read():
    """Blocks later than all queries of a block may hold anything: NaN, too."""
    Q, K, V = (torch.randn(6, 3) for _ in range(3))
    expected = online_softmax_attention(Q, K, V, block=2, causal=True)
    later = K.clone()
    later[4:] = math.nan
    found = online_softmax_attention(Q, later, V, block=2, causal=True)
    close(found[:4], expected[:4])
    read = online_softmax_attention(Q, later, V, block=2, causal=True, skip=False)
    assert read[:4].isnan().any() or torch.allclose(read[:4], expected[:4])


def test_fewer_groups_are_a_smaller_cache_and_fewer_parameters():
    sizes = {}
    for g in (1, 2, 3, 6):
        layer, x = GroupedQueryAttention(D_MODEL, H, g), torch.randn(B, S, D_MODEL)
        sizes[g] = cache_bytes((layer(x)[2],))
        count = size(layer)
        assert count == 2 * D_MODEL**2 + 2 * D_MODEL * g * D_K
    assert sizes == {g: 2 * B * g * S * D_K * 8 for g in sizes}
