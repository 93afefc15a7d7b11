"""Relative positions: attention that depends on how far apart two words are.

`RelativeAttention` learns a vector for each distance (Shaw et al. 2018).
`RotaryEmbedding` rotates queries and keys by their positions (Su et al. 2021).
`alibi_slopes` says how fast each head's scores fall with the distance (Press et al.
2022). None of the three adds anything to the word embeddings, as the sinusoids did.
Equations have the numbers of this chapter's page.

Sizes: T queries are those of the last T of S positions; h heads of d_k features.
"""

import math

import torch
from torch import Tensor, nn

from lookback.attention import scaled_dot_product_attention
from lookback.checks import shapes, whole
from lookback.masking import masked_softmax
from lookback.multihead import MultiHeadAttention, merge, split
from lookback.positions import frequencies

__all__ = [
    "AlibiAttention",
    "RelativeAttention",
    "RotaryAttention",
    "RotaryEmbedding",
    "alibi_bias",
    "alibi_slopes",
    "distances",
    "pairs_from_halves",
]


class RotaryEmbedding(nn.Module):
    """Rotates features (2i, 2i + 1) of a vector at position t by the angle t ω_i.

    (R(t) q) · (R(s) k) = q · (R(s - t) k): of the positions of a query and a key, their
    product depends on the difference alone. Su et al. 2021; ω_i as in `frequencies`.

    >>> rotary = RotaryEmbedding(2)
    >>> rotary(torch.tensor([[1.0, 0], [1, 0], [1, 0]]))  # by 0, 1 and 2 radians
    tensor([[ 1.0000,  0.0000],
            [ 0.5403,  0.8415],
            [-0.4161,  0.9093]])
    """

    def __init__(self, d_k: int) -> None:
        if d_k % 2:
            raise ValueError(f"d_k must be even, pairs are rotated, got {d_k}")
        super().__init__()
        self.d_k = d_k

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """x (…, T, d_k), queries or keys at positions first … first + T - 1.

        →  the same shape; every vector keeps its length
        """
        shapes(x=(x, f"… T {self.d_k}"))
        t = torch.arange(first, first + x.size(-2), dtype=torch.float64)
        angles = torch.outer(t, frequencies(self.d_k))  # t ω_i: (T, d_k / 2)
        sin, cos = angles.sin().to(x), angles.cos().to(x)
        a, b = x[..., 0::2], x[..., 1::2]
        turned = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1)  # (2)
        return turned.flatten(-2)  # (…, T, d_k / 2, 2) → (…, T, d_k)


def pairs_from_halves(weight: Tensor, h: int) -> Tensor:
    """Reorder the rows of a W^Q or W^K made for rotating features i and i + d_k / 2.

    weight (h d_k, d_model), as in Llama → the same for pairs (2i, 2i + 1)
    """
    halves = weight.view(h, 2, -1, weight.size(1))  # (h, half, i, d_model)
    return halves.transpose(1, 2).reshape(weight.shape)


def alibi_slopes(h: int) -> Tensor:
    """2^(-8 n / h) for the heads n = 1 … h: (h,).   Press et al. 2022

    >>> alibi_slopes(4)
    tensor([0.2500, 0.0625, 0.0156, 0.0039])
    """
    return 2.0 ** (-8 * torch.arange(1, h + 1) / h)


def distances(T: int, S: int) -> Tensor:
    """(T, S): how many positions key s lies after query t; before it is negative.

    The queries are those of the last T of S positions.

    >>> distances(2, 3)
    tensor([[-1,  0,  1],
            [-2, -1,  0]])
    """
    if T > S:
        raise ValueError(f"T is {T}: expected at most S, {S}, as the last T of S")
    return torch.arange(S) - torch.arange(S - T, S).unsqueeze(1)


def alibi_bias(h: int, T: int, S: int) -> Tensor:
    """What ALiBi adds to scores: (h, T, S), minus a slope times a distance.

    Press et al. 2022 attend to earlier positions alone; here later ones lose as much.
    """
    return -alibi_slopes(h).view(h, 1, 1) * distances(T, S).abs()


class RotaryAttention(MultiHeadAttention):
    """softmax((R_t q_t) · (R_s k_s) / √d_k) V.   Su et al. 2021

    Shapes are those of `MultiHeadAttention`; queries are the last T of S positions.
    """

    def __init__(self, d_model: int, h: int, *, bias: bool = False) -> None:
        super().__init__(d_model, h, bias=bias)
        self.rotary = RotaryEmbedding(self.d_k)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        Q, K = split(self.W_Q(queries), self.h), split(self.W_K(keys), self.h)
        V = split(self.W_V(values), self.h)
        Q, K = self.rotary(Q, first=K.size(2) - Q.size(2)), self.rotary(K)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (B, 1, T, S): the same for all heads
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)  # (3)
        return self.W_O(merge(heads)), weights


class AlibiAttention(MultiHeadAttention):
    """softmax(q_t · k_s / √d_k - m |t - s|) V, a slope m a head.   Press et al. 2022

    Shapes are those of `MultiHeadAttention`; queries are the last T of S positions.
    """

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        Q, K = split(self.W_Q(queries), self.h), split(self.W_K(keys), self.h)
        V = split(self.W_V(values), self.h)
        wide = torch.promote_types(Q.dtype, torch.float32)  # products overflow half
        scores = Q.to(wide) @ K.to(wide).transpose(-2, -1) / math.sqrt(self.d_k)
        bias = alibi_bias(self.h, Q.size(2), K.size(2)).to(scores)  # (h, T, S)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (B, 1, T, S): the same for all heads
        weights = masked_softmax(scores + bias, mask).to(V)  # (4)
        return self.W_O(merge(weights @ V)), weights


class RelativeAttention(MultiHeadAttention):
    """softmax(q_t · (k_s + a^K_{s-t}) / √d_k) (V + a^V_{s-t}).   Shaw et al. 2018

    reach     distances beyond it count as this far
    a_K, a_V  (2 reach + 1, d_k) and (…, d_v): for distances -reach … reach, the same
              for all heads
    Shapes are those of `MultiHeadAttention`; queries are the last T of S positions.
    """

    def __init__(self, d_model: int, h: int, reach: int, *, bias: bool = False) -> None:
        whole(reach=reach)
        super().__init__(d_model, h, bias=bias)
        self.reach = reach
        rows = 2 * reach + 1
        self.a_K = nn.Parameter(torch.randn(rows, self.d_k) / math.sqrt(self.d_k))
        self.a_V = nn.Parameter(torch.randn(rows, self.d_v) / math.sqrt(self.d_v))

    def rows(self, T: int, S: int) -> Tensor:
        """(T, S): the row of the tables for query t and key s."""
        reach = self.reach
        return distances(T, S).clamp(-reach, reach).to(self.a_K.device) + reach

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        Q, K = split(self.W_Q(queries), self.h), split(self.W_K(keys), self.h)
        V = split(self.W_V(values), self.h)
        wide = torch.promote_types(Q.dtype, torch.float32)  # products overflow half
        scores = Q.to(wide) @ K.to(wide).transpose(-2, -1)  # (B, h, T, S)
        rows = self.rows(Q.size(2), K.size(2)).expand_as(scores)
        to_each = Q.to(wide) @ self.a_K.to(wide).T  # (B, h, T, 2 reach + 1)
        scores = (scores + to_each.gather(-1, rows)) / math.sqrt(self.d_k)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (B, 1, T, S): the same for all heads
        weights = masked_softmax(scores, mask).to(V)  # (1)
        # How much weight falls on each distance: (B, h, T, 2 reach + 1)
        shares = V.new_zeros(to_each.shape).scatter_add(-1, rows, weights)
        return self.W_O(merge(weights @ V + shares @ self.a_V)), weights
