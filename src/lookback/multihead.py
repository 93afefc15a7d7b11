"""Multi-head attention: several heads attend at once, each with its own weights.

`HeadList` is the definition, one `Head` after the other. `MultiHeadAttention` computes
the same with one product for all heads. Vaswani et al. 2017, section 3.2.2.

Sizes: B sentences; T positions attend to S positions; h heads with d_k features of a
query and a key, d_v of a value; inputs and outputs have d_model features.
"""

import torch
from torch import Tensor, nn

from lookback.attention import Head, projection, scaled_dot_product_attention
from lookback.checks import shapes

__all__ = ["HeadList", "MultiHeadAttention"]


class HeadList(nn.Module):
    """Concat(head_1, …, head_h) W^O, one head after the other.

    Vaswani et al. 2017, section 3.2.2. Sizes and shapes are those of
    `MultiHeadAttention`, which is faster.
    """

    def __init__(
        self, d_model: int, h: int, d_k: int | None = None, d_v: int | None = None
    ) -> None:
        super().__init__()
        d_k, d_v = head_sizes(d_model, h, d_k, d_v)
        self.heads = nn.ModuleList(Head(d_model, d_k, d_v) for _ in range(h))
        self.W_O = projection(h * d_v, d_model)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """As `MultiHeadAttention.forward`, but a mask is the same for all heads."""
        results = [head(queries, keys, values, mask) for head in self.heads]
        outputs, weights = zip(*results, strict=True)  # h × (B, T, d_v), h × (B, T, S)
        return self.W_O(torch.cat(outputs, dim=-1)), torch.stack(weights, dim=1)


class MultiHeadAttention(nn.Module):
    """Concat(head_1, …, head_h) W^O, head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V).

    Vaswani et al. 2017, section 3.2.2

    W_Q, W_K  d_model → h d_k    the h matrices W_i^Q concatenated, and the W_i^K
    W_V       d_model → h d_v    the h matrices W_i^V
    W_O       h d_v   → d_model
    d_k, d_v  any sizes; without them d_model / h, which has to be whole
    bias      does each of the four have a bias? The paper's have none

    >>> attention, x = MultiHeadAttention(d_model=8, h=2), torch.randn(3, 5, 8)
    >>> output, weights = attention(x, x, x)
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 2, 5, 5]))
    """

    def __init__(
        self,
        d_model: int,
        h: int,
        d_k: int | None = None,
        d_v: int | None = None,
        *,
        bias: bool = False,
    ) -> None:
        super().__init__()
        self.d_model, self.h = d_model, h
        self.d_k, self.d_v = d_k, d_v = head_sizes(d_model, h, d_k, d_v)
        self.W_Q = projection(d_model, h * d_k, bias)
        self.W_K = projection(d_model, h * d_k, bias)
        self.W_V = projection(d_model, h * d_v, bias)
        self.W_O = projection(h * d_v, d_model, bias)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Attention of h heads at once; in self-attention all three are the same x.

        queries  (B, T, d_model)  the positions that attend
        keys     (B, S, d_model)  the positions that are attended to
        values   (B, S, d_model)  what those contribute
        mask     bool, True where t may attend to s: (T, S), (B, T, S) for all heads, or
                 (B, h, T, S); any axis may be 1
        →  output (B, T, d_model); attention weights (B, h, T, S)
        Raises `ValueError` for shapes that do not fit and for an empty batch.
        """
        shapes(
            queries=(queries, "B T d"), keys=(keys, "B S d"), values=(values, "B S d")
        )
        Q, K, V = self.W_Q(queries), self.W_K(keys), self.W_V(values)  # (B, …, h d_k)
        Q, K, V = (split(x, self.h) for x in (Q, K, V))  # (B, h, …, d_k)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (B, 1, T, S): the same for all heads
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)  # (B, h, T, d_v)
        return self.W_O(merge(heads)), weights  # (B, T, d_model)


def split(x: Tensor, h: int) -> Tensor:
    """(B, T, h d) → (B, h, T, d): the features of each head by themselves."""
    return torch.unflatten(x, 2, (h, -1)).transpose(1, 2)


def merge(heads: Tensor) -> Tensor:
    """(B, h, T, d) → (B, T, h d): what `split` did, undone."""
    return heads.transpose(1, 2).flatten(2)


def head_sizes(
    d_model: int, h: int, d_k: int | None, d_v: int | None
) -> tuple[int, int]:
    """d_k and d_v, where they are not given d_model / h: `ValueError` if not whole."""
    if d_model % h and None in (d_k, d_v):
        raise ValueError(
            f"d_model {d_model} is not divisible by h {h}: expected d_k and d_v to be "
            "given"
        )
    return d_k or d_model // h, d_v or d_model // h
