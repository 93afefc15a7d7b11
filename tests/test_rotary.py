"""Relative positions: by hand, against plain loops and torch, its own laws."""

import math

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from kit import close
from lookback.attention import causal_mask
from lookback.multihead import split
from lookback.positions import frequencies, rotation
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
    expected = [[-1 / 16, 0, -1 / 16], [-2 / 16, -1 / 16, 0]]
    close(alibi_bias(2, 2, 3)[0], torch.tensor(expected))
    close(alibi_bias(2, 2, 3)[1], torch.tensor(expected) / 16)


def test_distances_by_hand():
    assert distances(2, 3).tolist() == [[-1, 0, 1], [-2, -1, 0]]


def test_rows_are_clipped_at_the_reach():
    layer = RelativeAttention(D_MODEL, H, 2)
    assert layer.rows(1, 5).tolist() == [[0, 0, 0, 1, 2]]
    assert layer.rows(4, 4)[0].tolist() == [2, 3, 4, 4]
    assert layer.a_K.shape == (5, D_K) and layer.a_V.shape == (5, D_K)


# --- against the references ----------------------------------------------------------


def test_rotating_is_the_product_with_the_matrices_of_positions():
    """R(p) as `rotation` has it, for a vector whose pairs are (cosine, sine)."""
    x = torch.randn(T, 8)
    turned = RotaryEmbedding(8)(x, first=3)
    swap = torch.arange(8).view(-1, 2).flip(1).flatten()  # (sin, cos) there
    for t in range(T):
        R = rotation(3 + t, 8)
        close(turned[t][swap], R @ x[t][swap])


def plain(layer, Q, K, V, t, s, h):
    """The score of query t and key s of a head, and what s contributes, in words."""
    apart = s - (S - T + t)
    match layer:
        case RotaryAttention():
            turn = RotaryEmbedding(D_K)
            q = turn(Q[:, h, t : t + 1], first=S - T + t)[:, 0]
            k = turn(K[:, h, s : s + 1], first=s)[:, 0]
            return (q * k).sum(-1) / math.sqrt(D_K), V[:, h, s]
        case AlibiAttention():
            slope = 2 ** (-8 * (h + 1) / H)
            product = (Q[:, h, t] * K[:, h, s]).sum(-1)
            return product / math.sqrt(D_K) - slope * abs(apart), V[:, h, s]
        case _:
            row = max(-REACH, min(REACH, apart)) + REACH
            k, v = K[:, h, s] + layer.a_K[row], V[:, h, s] + layer.a_V[row]
            return (Q[:, h, t] * k).sum(-1) / math.sqrt(D_K), v


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_its_plain_loop(kind):
    """Pair by pair, with the definition of each paper: outputs and weights."""
    layer, x = made(kind), torch.randn(B, S, D_MODEL)
    Q = split(layer.W_Q(x[:, -T:]), H)
    K, V = split(layer.W_K(x), H), split(layer.W_V(x), H)
    output, weights = layer(x[:, -T:], x, x, causal_mask(S)[-T:])
    heads = torch.zeros(B, H, T, D_K)
    for h in range(H):
        for t in range(T):
            seen = range(S - T + t + 1)
            pairs = [plain(layer, Q, K, V, t, s, h) for s in seen]
            w = torch.stack([score for score, _ in pairs], -1).softmax(-1)
            close(weights[:, h, t, : len(seen)], w)
            told = torch.stack([v for _, v in pairs], 1)
            heads[:, h, t] = (w.unsqueeze(-1) * told).sum(1)
    close(output, layer.W_O(heads.transpose(1, 2).flatten(2)))
    assert not weights[..., -1][:, :, :-1].any()


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_those_of_torch(kind):
    """With a float mask as the bias, or with rotated queries and keys."""
    layer, x = made(kind), torch.randn(B, S, D_MODEL)
    Q, K, V = (split(W(x), H) for W in (layer.W_Q, layer.W_K, layer.W_V))
    hidden = torch.zeros(S, S).masked_fill(~causal_mask(S), -math.inf)
    if kind is RotaryAttention:
        heads = scaled_dot_product_attention(
            layer.rotary(Q), layer.rotary(K), V, attn_mask=hidden
        )
    elif kind is AlibiAttention:
        bias = alibi_bias(H, S, S) + hidden
        heads = scaled_dot_product_attention(Q, K, V, attn_mask=bias)
    else:
        a = layer.a_K[layer.rows(S, S)]  # (S, S, d_k)
        bias = torch.einsum("bhtd,tsd->bhts", Q, a) / math.sqrt(D_K) + hidden
        heads = scaled_dot_product_attention(Q, K, V, attn_mask=bias)
        weights = scaled_dot_product_attention(
            Q, K, torch.eye(S).expand(B, H, S, S), attn_mask=bias
        )
        heads = heads + torch.einsum(
            "bhts,tsd->bhtd", weights, layer.a_V[layer.rows(S, S)]
        )
    expected = layer.W_O(heads.transpose(1, 2).flatten(2))
    output, _ = layer(x, x, x, causal_mask(S))
    close(output, expected)
    parameters = list(layer.parameters())
    ours = torch.autograd.grad(output.square().sum(), parameters)
    theirs = torch.autograd.grad(expected.square().sum(), parameters)
    for one, two in zip(ours, theirs, strict=True):
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
    wrong = (x @ W_Q.T).unflatten(-1, (H, 6)).transpose(0, 1)
    assert not torch.allclose(RotaryEmbedding(6)(wrong), theirs(W_Q))


# --- laws ----------------------------------------------------------------------------


def test_a_product_depends_on_the_distance_alone():
    q, k, rotary = torch.randn(1, 8), torch.randn(1, 8), RotaryEmbedding(8)

    def product(p, s):
        return (rotary(q, p) * rotary(k, s)).sum()

    close(product(3, 1), product(902, 900))
    close(product(0, 5), product(200, 205))
    assert not torch.isclose(product(3, 1), product(1, 3))  # before is not after
    close(rotary(q, 77).norm(), q.norm())
    close(rotary(q, 0), q)


def test_parts_of_a_sequence_are_rotated_as_the_whole():
    x, rotary = torch.randn(B, 150, 6), RotaryEmbedding(6)
    whole = rotary(x)
    for first, last in ((0, 3), (3, 4), (120, 140), (149, 150)):
        close(rotary(x[:, first:last], first), whole[:, first:last])
    assert not list(rotary.parameters()) and not rotary.state_dict()


@pytest.mark.parametrize("kind", KINDS)
def test_where_a_sentence_begins_does_not_matter(kind):
    """Attention within the last positions is the same wherever these are."""
    layer, x = made(kind), torch.randn(B, S, D_MODEL)
    near = distances(S, S).abs() < 3
    shifted = torch.cat([torch.randn(B, 5, D_MODEL), x], dim=1)
    later = distances(S + 5, S + 5).abs() < 3
    later[5:, :5] = False  # the same words are attended to
    one, _ = layer(x, x, x, near)
    two, _ = layer(shifted, shifted, shifted, later)
    close(two[:, 5:], one)
