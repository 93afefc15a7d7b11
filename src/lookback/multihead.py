"""Several looks at once: each head has a question of its own.

`HeadList` is the definition, one `Head` behind the other. `MultiHeadAttention` computes
the same with one product for all heads. Vaswani et al. 2017, section 3.2.2.

Sizes: B sentences; T places look at S places; h heads with d_k numbers of a query and a
key, d_v of a value; d_model numbers go in and come out.
"""

import torch
from torch import Tensor, nn

from lookback.attention import (
    Head,
    check_size,
    projection,
    scaled_dot_product_attention,
)


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
        found = [head(queries, keys, values, mask) for head in self.heads]
        outputs, weights = zip(*found, strict=True)  # h × (B, T, d_v), h × (B, T, S)
        return self.W_O(torch.cat(outputs, dim=-1)), torch.stack(weights, dim=1)


class MultiHeadAttention(nn.Module):
    """Concat(head_1, …, head_h) W^O, head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V).

    Vaswani et al. 2017, section 3.2.2; without biases, as there.

    W_Q, W_K  d_model → h d_k    the h matrices W_i^Q side by side, and the W_i^K
    W_V       d_model → h d_v    the h matrices W_i^V
    W_O       h d_v   → d_model
    d_k, d_v  any sizes; without them d_model / h, which has to be whole
    """

    def __init__(
        self, d_model: int, h: int, d_k: int | None = None, d_v: int | None = None
    ) -> None:
        super().__init__()
        d_k, d_v = head_sizes(d_model, h, d_k, d_v)
        self.d_model, self.h, self.d_k, self.d_v = d_model, h, d_k, d_v
        self.W_Q = projection(d_model, h * d_k)
        self.W_K = projection(d_model, h * d_k)
        self.W_V = projection(d_model, h * d_v)
        self.W_O = projection(h * d_v, d_model)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Look, h times at once.

        queries  (B, T, d_model)  what looks
        keys     (B, S, d_model)  where it looks;  values  the same shape, what it finds
        mask     bool, True where t may look at s: (T, S), (B, T, S) for all heads, or
                 (B, h, T, S); any axis may be 1
        →  output (B, T, d_model); weights (B, h, T, S)
        Self-attention gives it the same x three times.
        Raises `ValueError` for shapes that do not fit and for an empty batch.
        """
        K, V = self.project(keys, values)
        return self.attend(queries, K, V, mask)

    def project(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """What can be known before anybody looks, (B, S, d_model) each.

        →  K (B, h, S, d_k), V (B, h, S, d_v); to be kept while queries come one by one
        """
        self._check("keys", keys)
        self._check("values", values)
        return self._split(self.W_K(keys)), self._split(self.W_V(values))

    def attend(
        self, queries: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The rest of `forward`: queries (B, T, d_model), K and V from `project`."""
        self._check("queries", queries)
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (B, T, S) → (B, 1, T, S): alike for all heads
        Q = self._split(self.W_Q(queries))
        heads, weights = scaled_dot_product_attention(Q, K, V, mask)
        together = heads.transpose(1, 2).flatten(2)  # (B, h, T, d_v) → (B, T, h d_v)
        return self.W_O(together), weights

    def _split(self, x: Tensor) -> Tensor:
        """(B, S, h d) → (B, h, S, d)."""
        cut: Tensor = x.unflatten(-1, (self.h, -1))  # type: ignore[no-untyped-call]
        return cut.transpose(1, 2)

    def _check(self, name: str, x: Tensor) -> None:
        if x.dim() != 3 or x.size(-1) != self.d_model or 0 in x.shape:
            raise ValueError(
                f"{name} have shape {tuple(x.shape)}: expected (B, places, "
                f"{self.d_model}), B and places ≥ 1"
            )


def head_sizes(
    d_model: int, h: int, d_k: int | None, d_v: int | None
) -> tuple[int, int]:
    """d_k and d_v of each of h heads; those that are not given are d_model / h.

    Raises `ValueError` where h does not divide d_model and one is not given.
    """
    for name, size in (("d_model", d_model), ("h", h), ("d_k", d_k), ("d_v", d_v)):
        if size is not None:
            check_size(name, size)
    if d_model % h and (d_k is None or d_v is None):
        raise ValueError(
            f"d_model {d_model} is not divisible by h {h}: expected d_k and d_v to be "
            "given"
        )
    return d_k or d_model // h, d_v or d_model // h
