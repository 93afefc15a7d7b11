"""Attention alone: queries look at keys and fetch values, all at once.

`scaled_dot_product_attention` is the product of three matrices; `Head` learns what to
ask, what to be found by and what to tell; `causal_mask` hides what comes later.
Vaswani et al. 2017, section 3.2.1. Biases: none, as in the paper.

Sizes: T places look at S places; d_k numbers of a query and a key, d_v of a value.
"""

import math

import torch
from torch import Tensor, nn

from lookback.bahdanau import masked_softmax


def scaled_dot_product_attention(
    Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """softmax(Q Kᵀ / √d_k) V.   Vaswani et al. 2017, equation 1.

    Q     (…, T, d_k)  queries, one for each place that looks
    K     (…, S, d_k)  keys, one for each place that can be looked at
    V     (…, S, d_v)  values, what is found there
    mask  (…, T, S)    bool, True where t may look at s; any shape that broadcasts to
                       that; without one: everywhere
    →  output (…, T, d_v); weights (…, T, S), exactly 0 where mask is False, rows sum
       to 1
    Raises `ValueError` for shapes that do not fit, for tensors without a single row,
    and for a row that may look nowhere.
    """
    _check(Q, K, V)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.size(-1))
    weights = masked_softmax(scores, mask)
    return weights @ V, weights


def causal_mask(T: int, *, device: torch.device | None = None) -> Tensor:
    """(T, T) bool: place t may look at 1 … t, and not at what comes later."""
    if not isinstance(T, int) or isinstance(T, bool) or T < 1:
        raise ValueError(f"T must be a whole number ≥ 1, got {T!r}")
    return torch.ones(T, T, dtype=torch.bool, device=device).tril()


class Head(nn.Module):
    """One look: attention between learned maps of what comes in.

    head = Attention(Q W^Q, K W^K, V W^V)   Vaswani et al. 2017, section 3.2.2

    W_Q, W_K  d_model → d_k  what to ask, and what to be found by
    W_V       d_model → d_v  what to tell
    The paper does not say how they begin. Here x of variance 1 gives queries, keys and
    values of variance 1, which is what its footnote 4 assumes.
    """

    def __init__(self, d_model: int, d_k: int, d_v: int) -> None:
        super().__init__()
        for name, size in (("d_model", d_model), ("d_k", d_k), ("d_v", d_v)):
            check_size(name, size)
        self.W_Q = projection(d_model, d_k)
        self.W_K = projection(d_model, d_k)
        self.W_V = projection(d_model, d_v)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """queries (…, T, d_model); keys, values (…, S, d_model); mask (…, T, S).

        →  output (…, T, d_v); weights (…, T, S)
        Self-attention gives it the same x three times.
        """
        return scaled_dot_product_attention(
            self.W_Q(queries), self.W_K(keys), self.W_V(values), mask
        )


def projection(d_in: int, d_out: int) -> nn.Linear:
    """x W without bias; what comes out has the variance that x has, at first."""
    linear = nn.Linear(d_in, d_out, bias=False)
    bound = math.sqrt(3 / d_in)  # uniform within ± bound has variance 1 / d_in
    nn.init.uniform_(linear.weight, -bound, bound)
    return linear


def check_size(name: str, size: int) -> None:
    """`ValueError` where a size is no whole number ≥ 1."""
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise ValueError(f"{name} must be a whole number ≥ 1, got {size!r}")


def _check(Q: Tensor, K: Tensor, V: Tensor) -> None:
    told = f"Q {tuple(Q.shape)}, K {tuple(K.shape)}, V {tuple(V.shape)}"
    if min(Q.dim(), K.dim(), V.dim()) < 2 or 0 in (*Q.shape, *K.shape, *V.shape):
        raise ValueError(f"{told}: expected (…, places, numbers), none of them 0")
    if Q.size(-1) != K.size(-1) or K.size(-2) != V.size(-2):
        raise ValueError(
            f"{told}: expected Q (…, T, d_k), K (…, S, d_k), V (…, S, d_v), with one "
            "d_k and one S"
        )
    try:
        fronts = (x.shape[:-2] for x in (Q, K, V))
        torch.broadcast_shapes(*fronts)  # type: ignore[no-untyped-call]
    except RuntimeError:
        raise ValueError(f"{told}: expected the same axes in front") from None
