"""Scaled dot-product attention: queries are compared with keys, all at once.

`scaled_dot_product_attention` is two products of matrices and a softmax between them;
`Head` learns the maps from its inputs to queries, keys and values; `causal_mask` hides
later positions. Vaswani et al. 2017, section 3.2.1. Biases: none, as in the paper.

Sizes: T positions attend to S positions; d_k features of a query and a key, d_v of a
value.
"""

import math

import torch
from torch import Tensor, nn

from lookback.checks import shapes
from lookback.masking import masked_softmax

__all__ = ["Head", "causal_mask", "projection", "scaled_dot_product_attention"]


def scaled_dot_product_attention(
    Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """softmax(Q Kᵀ / √d_k) V.   Vaswani et al. 2017, equation 1.

    Q     (…, T, d_k)  queries, one for each position that attends
    K     (…, S, d_k)  keys, one for each position that can be attended to
    V     (…, S, d_v)  values, what each of those positions contributes
    mask  (…, T, S)    bool, True where t may attend to s; any shape that broadcasts to
                       that; without one: everywhere
    →  output (…, T, d_v); attention weights (…, T, S), exactly 0 where mask is False,
       rows sum to 1
    Raises `ValueError` for shapes that do not fit, for tensors without a single row,
    and for a row that may attend to nothing.

    >>> K = V = torch.eye(3)
    >>> output, weights = scaled_dot_product_attention(9 * K[:1], K, V)
    >>> weights
    tensor([[0.9890, 0.0055, 0.0055]])
    """
    shapes(Q=(Q, "… T d_k"), K=(K, "… S d_k"), V=(V, "… S d_v"))
    wide = torch.promote_types(Q.dtype, torch.float32)  # products overflow float16
    scores = Q.to(wide) @ K.to(wide).transpose(-2, -1) / math.sqrt(K.size(-1))
    weights = masked_softmax(scores, mask).to(V)  # (…, T, S), as the scores
    return weights @ V, weights  # (…, T, d_v) and (…, T, S)


def causal_mask(T: int, past: int = 0, *, device: torch.device | None = None) -> Tensor:
    """(T, past + T) bool: position t may attend to all before it, and to itself.

    past  how many positions precede the T, which may attend to all of them

    >>> causal_mask(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> causal_mask(2, past=3).int().tolist()
    [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]
    """
    return torch.ones(T, past + T, dtype=torch.bool, device=device).tril(past)


class Head(nn.Module):
    """One attention head: attention between learned maps of its inputs.

    head = Attention(Q W^Q, K W^K, V W^V)   Vaswani et al. 2017, section 3.2.2

    W_Q, W_K  d_model → d_k  queries, and the keys that they are compared with
    W_V       d_model → d_v  values
    The paper does not say how they are initialised. Here inputs of variance 1 give
    queries, keys and values of variance 1, which is what its footnote 4 assumes.

    >>> head, x = Head(d_model=8, d_k=2, d_v=3), torch.randn(5, 8)
    >>> output, weights = head(x, x, x, causal_mask(5))
    >>> output.shape, weights.shape
    (torch.Size([5, 3]), torch.Size([5, 5]))
    """

    def __init__(self, d_model: int, d_k: int, d_v: int) -> None:
        super().__init__()
        self.W_Q = projection(d_model, d_k)
        self.W_K = projection(d_model, d_k)
        self.W_V = projection(d_model, d_v)

    def forward(
        self, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """queries (…, T, d_model); keys, values (…, S, d_model); mask (…, T, S).

        →  output (…, T, d_v); attention weights (…, T, S)
        In self-attention all three are the same x.
        """
        return scaled_dot_product_attention(
            self.W_Q(queries), self.W_K(keys), self.W_V(values), mask
        )


def projection(d_in: int, d_out: int, bias: bool = False) -> nn.Linear:
    """x W, with a bias x W + b; at first b is 0, the output has the variance of x."""
    linear = nn.Linear(d_in, d_out, bias)
    bound = math.sqrt(3 / d_in)  # uniform within ± bound has variance 1 / d_in
    nn.init.uniform_(linear.weight, -bound, bound)
    if bias:
        nn.init.zeros_(linear.bias)
    return linear
