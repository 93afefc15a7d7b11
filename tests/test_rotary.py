"""Relative positions: by hand, against plain loops and torch, its own laws."""

import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from kit import close
from lookback.attention import causal_mask
from lookback.multihead import split
from lookback.positions import frequencies
from lookback.rotary import (
    AlibiAttention,
    RelativeAttention,
    RotaryAttention,
    RotaryEmbedding,
    alibi_bias,
    alibi_slopes,
    distances,
    pairs_from_halves,
)

B, T, S, D_MODEL, H, D_K = 2, 4, 7, 12, 3, 4
REACH = 2


pytestmark = pytest.mark.usefixtures("double")


def made(kind):
    """A layer of attention with large weights, so that positions show."""
    torch.manual_seed(1)
    layer = kind(D_MODEL, H, REACH) if kind is RelativeAttention else kind(D_MODEL, H)
    with torch.no_grad():
        for weight in layer.parameters():
            weight.normal_(std=0.7)
    return layer


KINDS = [RotaryAttention, AlibiAttention, RelativeAttention]


# --- by hand -------------------------------------------------------------------------


def test_a_quarter_turn_by_hand():
    """Two features, ω = 1: at position p the vector turns by p radians."""
    turned = RotaryEmbedding(2)(torch.tensor([[3.0, 4], [3, 4], [3, 4]]))
    for p in range(3):
        c, s = math.cos(p), math.sin(p)
        close(turned[p], torch.tensor([3 * c - 4 * s, 3 * s + 4 * c]))


def test_slopes_by_hand():
    close(alibi_slopes(8), torch.tensor([2.0**-n for n in range(1, 9)]))
    close(alibi_slopes(4), torch.tensor([1 / 4, 1 / 16, 1 / 64, 1 / 256]))


def test_the_bias_by_hand():
    assert distances(2, 3).tolist() == [[-1, 0, 1], [-2, -1, 0]]
    expected = torch.tensor([[-1 / 16, 0, -1 / 16], [-2 / 16, -1 / 16, 0]])
    close(alibi_bias(2, 2, 3), torch.stack([expected, expected / 16]))


def test_rows_are_clipped_at_the_reach():
    layer = RelativeAttention(D_MODEL, H, 2)
    assert layer.rows(1, 5).tolist() == [[0, 0, 0, 1, 2]]
    assert layer.rows(4, 4)[0].tolist() == [2, 3, 4, 4]
    assert layer.a_K.shape == (5, D_K) and layer.a_V.shape == (5, D_K)


# --- against the references ----------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_weights_and_gradients_are_those_of_torch(kind):
    """With a float mask as the bias, or rotated queries and keys; T queries of S."""
    layer, x = made(kind), torch.randn(B, S, D_MODEL)
    Q = split(layer.W_Q(x[:, -T:]), H)
    K, V = split(layer.W_K(x), H), split(layer.W_V(x), H)
    bias = torch.zeros(T, S).masked_fill(~causal_mask(S)[-T:], -math.inf)
    apart = torch.arange(S) - torch.arange(S - T, S)[:, None]  # keys less queries
    if kind is RotaryAttention:
        Q, K = layer.rotary(Q, first=S - T), layer.rotary(K)
    elif kind is AlibiAttention:
        slopes = 2.0 ** (-8 * torch.arange(1, H + 1) / H)
        bias = bias - slopes[:, None, None] * apart.abs()
    else:
        rows = apart.clamp(-REACH, REACH) + REACH
        each = torch.einsum("bhtd,tsd->bhts", Q, layer.a_K[rows])
        bias = bias + each / math.sqrt(D_K)
    places = torch.eye(S).expand(B, H, S, S)
    looked = scaled_dot_product_attention(Q, K, places, attn_mask=bias)
    heads = scaled_dot_product_attention(Q, K, V, attn_mask=bias)
    if kind is RelativeAttention:
        heads = heads + torch.einsum("bhts,tsd->bhtd", looked, layer.a_V[rows])
    expected = layer.W_O(heads.transpose(1, 2).flatten(2))
    output, weights = layer(x[:, -T:], x, x, causal_mask(S)[-T:])
    close(output, expected)
    close(weights, looked)
    parameters, pull = list(layer.parameters()), torch.randn_like(weights)
    ours = output.square().sum() + (pull * weights).sum()
    theirs = expected.square().sum() + (pull * looked).sum()
    for one, two in zip(
        torch.autograd.grad(ours, parameters),
        torch.autograd.grad(theirs, parameters),
        strict=True,
    ):
        close(one, two, 1e-8)


def test_rows_are_permuted_for_programs_that_rotate_halves():
    """Llama rotates i with i + d_k / 2; the scores are the same after reordering."""
    W_Q, W_K = torch.randn(H * 6, D_MODEL), torch.randn(H * 6, D_MODEL)
    x, omega = torch.randn(S, D_MODEL), frequencies(6)
    angles = torch.outer(torch.arange(S).double(), omega)
    cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)

    def theirs(weight):
        y = (x @ weight.T).unflatten(-1, (H, 6)).transpose(0, 1)
        turned = torch.cat([-y[..., 3:], y[..., :3]], dim=-1)
        return y * cos + turned * sin

    def ours(weight):
        y = x @ pairs_from_halves(weight, H).T
        return RotaryEmbedding(6)(y.unflatten(-1, (H, 6)).transpose(0, 1))

    expected = theirs(W_Q) @ theirs(W_K).transpose(-2, -1)
    close(ours(W_Q) @ ours(W_K).transpose(-2, -1), expected)


# --- laws ----------------------------------------------------------------------------


def test_a_product_depends_on_the_distance_alone():
    q, k, rotary = torch.randn(1, 8), torch.randn(1, 8), RotaryEmbedding(8)
    for t, s in ((3, 1), (0, 5)):
        near, far = ((rotary(q, t + n) * rotary(k, s + n)).sum() for n in (0, 899))
        close(near, far)
    x = torch.randn(B, 9, 8)
    close(rotary(x[:, 4:], first=4), rotary(x)[:, 4:])
    assert not list(rotary.parameters()) and not rotary.state_dict()
