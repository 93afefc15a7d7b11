"""Multi-head attention: several heads attend at once, each with its own weights.

`HeadList` is the definition, one `Head` after the other. `MultiHeadAttention` computes
the same with one product for all heads. A `KVCache` holds keys and values that later
queries attend to, too. Vaswani et al. 2017, section 3.2.2.

Sizes: B sentences; T positions attend to S positions; h heads with d_k features of a
query and a key, d_v of a value; inputs and outputs have d_model features.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from lookback.attention import (
    Head,
    causal_mask,
    projection,
    scaled_dot_product_attention,
)
from lookback.checks import shapes, whole

__all__ = ["HeadList", "KVCache", "MultiHeadAttention"]


class HeadList(nn.Module):
    """Concat(head_1, …, head_h) W^O, one head after the other.

    Vaswani et al. 2017, section 3.2.2. Sizes and shapes are those of
    `MultiHeadAttention`, which is faster.
    """

    def __init__(
        self, d_model: int, h: int, d_k: int | None = None, d_v: int | None = None
    ) -> None:
        super().__init__()
        check_heads(d_model, h, d_k, d_v)
        d_k, d_v = d_k or d_model // h, d_v or d_model // h
        self.heads = nn.ModuleList(Head(d_model, d_k, d_v) for _ in range(h))
        self.W_O = projection(h * d_v, d_model)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """As `MultiHeadAttention.forward`, but a mask is the same for all heads."""
        results = [head(queries, keys, values, mask) for head in self.heads]
        outputs, weights = zip(*results, strict=True)  # h × (B, T, d_v), h × (B, T, S)
        return self.W_O(torch.cat(outputs, dim=-1)), torch.stack(weights, dim=1)


class KVCache(NamedTuple):
    """The keys and values of P positions: K (B, h, P, d_k) and V (B, h, P, d_v)."""

    K: Tensor
    V: Tensor

    def append(self, K: Tensor, V: Tensor) -> "KVCache":
        """A cache of P + T positions: K (B, h, T, d_k) and V (B, h, T, d_v) are new.

        Raises `ValueError` for a cache of other sentences, heads or features.
        """
        shapes(
            **{"past.K": (self.K, "B h P d_k"), "past.V": (self.V, "B h P d_v")},
            K=(K, "B h T d_k"),
            V=(V, "B h T d_v"),
        )
        return KVCache(torch.cat([self.K, K], dim=2), torch.cat([self.V, V], dim=2))


class MultiHeadAttention(nn.Module):
    """Concat(head_1, …, head_h) W^O, head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V).

    Vaswani et al. 2017, section 3.2.2; without biases, as there.

    W_Q, W_K  d_model → h d_k    the h matrices W_i^Q concatenated, and the W_i^K
    W_V       d_model → h d_v    the h matrices W_i^V
    W_O       h d_v   → d_model
    d_k, d_v  any sizes; without them d_model / h, which has to be whole

    >>> attention, x = MultiHeadAttention(d_model=8, h=2), torch.randn(3, 5, 8)
    >>> output, weights = attention(x, x, x)
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 2, 5, 5]))
    """

    compare = staticmethod(scaled_dot_product_attention)  # Q, K and V of all heads

    def __init__(
        self, d_model: int, h: int, d_k: int | None = None, d_v: int | None = None
    ) -> None:
        super().__init__()
        check_heads(d_model, h, d_k, d_v)
        d_k, d_v = d_k or d_model // h, d_v or d_model // h
        self.d_model, self.h, self.d_k, self.d_v = d_model, h, d_k, d_v
        self.W_Q = projection(d_model, h * d_k)
        self.W_K = projection(d_model, h * d_k)
        self.W_V = projection(d_model, h * d_v)
        self.W_O = projection(h * d_v, d_model)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Attention of h heads at once.

        queries  (B, T, d_model)  the positions that attend
        keys     (B, S, d_model)  the positions that are attended to
        values   (B, S, d_model)  what those contribute
        mask     bool, True where t may attend to s: (T, S), (B, T, S) for all heads, or
                 (B, h, T, S); any axis may be 1
        →  output (B, T, d_model); attention weights (B, h, T, S)
        In self-attention all three are the same x.
        Raises `ValueError` for shapes that do not fit and for an empty batch.
        """
        return self.attend(queries, *self.project(keys, values), mask)

    def causal(
        self, x: Tensor, past: KVCache | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor, KVCache]:
        """Masked self-attention: x attends to a prefix, and to itself up to there.

        x     (B, T, d_model)  new positions
        past  the keys and values of a prefix of P positions; without it P is 0
        mask  (B, P + T), False where no position may attend to; without it: all may
        →  output (B, T, d_model); weights (B, h, T, P + T); keys and values of P + T
        """
        cache = self.project(x, x, past)
        T = x.size(1)
        before = causal_mask(T, cache.K.size(2) - T, device=x.device)
        may = before if mask is None else before & mask.unsqueeze(1)
        y, weights = self.attend(x, *cache, may)
        return y, weights, cache

    def project(
        self, keys: Tensor, values: Tensor, past: KVCache | None = None
    ) -> KVCache:
        """The keys and values of all heads, after those of the past.

        keys, values  (B, S, d_model)
        →  K (B, h, S, d_k), V (B, h, S, d_v): one projection serves all later queries
        """
        shapes(
            keys=(keys, f"B S {self.d_model}"), values=(values, f"B S {self.d_model}")
        )
        K = self.split(self.W_K(keys), self.d_k)
        V = self.split(self.W_V(values), self.d_v)
        return past.append(K, V) if past is not None else KVCache(K, V)

    def attend(
        self, queries: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The rest of `forward`: queries (B, T, d_model), K and V from `project`."""
        shapes(queries=(queries, f"B T {self.d_model}"))
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (B, T, S) → (B, 1, T, S): the same for all heads
        Q = self.split(self.W_Q(queries), self.d_k)
        heads, weights = self.compare(Q, K, V, mask)
        together = heads.transpose(1, 2).flatten(2)  # (B, h, T, d_v) → (B, T, h d_v)
        return self.W_O(together), weights

    def split(self, x: Tensor, d: int) -> Tensor:
        """(B, S, h d) → (B, h, S, d)."""
        return torch.unflatten(x, -1, (-1, d)).transpose(1, 2)


def check_heads(d_model: int, h: int, d_k: int | None, d_v: int | None) -> None:
    """`ValueError` where h does not divide d_model, and d_k or d_v is not given."""
    whole(d_model=d_model, h=h)
    given = {"d_k": d_k, "d_v": d_v}
    whole(**{name: size for name, size in given.items() if size is not None})
    if d_model % h and None in given.values():
        raise ValueError(
            f"d_model {d_model} is not divisible by h {h}: expected d_k and d_v to be "
            "given"
        )
