"""Layer normalisation and the residual connection: what keeps a deep stack trainable.

`LayerNorm` gives the vector of each token mean 0 and variance 1 over its d_model
features (Ba, Kiros and Hinton 2016). `Residual` adds the input of a sublayer to its
output, so that the gradient has a path that no sublayer can close (He et al. 2015), and
normalises the sum; `PreNorm` normalises what the sublayer reads instead.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from lookback.checks import shapes, share, whole

__all__ = ["LayerNorm", "PreNorm", "Residual"]


class LayerNorm(nn.Module):
    """g ⊙ (x - μ) / √(σ² + ε) + b, μ and σ² over the d_model features of one token.

    Ba et al. 2016, equation 4, with the ε of every program inside the root. σ² is the
    mean of the squared distances: divided by d_model, not by d_model - 1.

    g (d_model,)  the gain, at first 1;  b (d_model,)  the bias, at first 0

    >>> LayerNorm(2, eps=3)(torch.tensor([4.0, 6])).tolist()  # variance 1, and √(1 + 3)
    [-0.5, 0.5]
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        whole(d_model=d_model)
        if not eps > 0:
            raise ValueError(f"eps must be > 0, got {eps!r}")
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.ones(d_model))
        self.b = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape; each token is normalised by itself.

        Raises `ValueError` where the last axis is not d_model.
        """
        shapes(x=(x, f"… {len(self.g)}"))
        x = x.to(torch.promote_types(x.dtype, torch.float32))  # squares overflow half
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)  # σ²
        y = centred * torch.rsqrt(variance + self.eps) * self.g + self.b
        return y.to(self.g.dtype)


class Residual(nn.Module):
    """norm(x + dropout(f(x))): post-norm, sublayers f with residual connections.

    Vaswani et al. 2017, section 3.1. The base of layers, which have the sublayers.

    dropout  the share of each sublayer's output that is set to 0 in training

    >>> z, add = Residual().residual(torch.tensor([4.0, 6]), norm=LayerNorm(2))
    >>> [round(n, 3) for n in add(z).tolist()]  # f(x) = x: 8 and 12, normalised
    [-1.0, 1.0]
    """

    def __init__(self, dropout: float = 0.0) -> None:
        share(dropout=dropout)
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def residual(
        self, x: Tensor, norm: nn.Module
    ) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
        """What a sublayer reads, and what is made of its output y.

        x (…, d_model)  →  (…, d_model); a function of y (…, d_model)
        """
        return x, lambda y: norm(x + self.dropout(y))


class PreNorm(Residual):
    """x + dropout(f(norm(x))): the sum itself is never normalised.

    >>> z, add = PreNorm().residual(torch.tensor([4.0, 6]), norm=LayerNorm(2))
    >>> [round(n, 3) for n in add(z).tolist()]  # f(x) = x: the norm is -1 and 1
    [3.0, 7.0]
    """

    def residual(
        self, x: Tensor, norm: nn.Module
    ) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
        """What a sublayer reads, the norm of x, and what is made of its output y."""
        return norm(x), lambda y: x + self.dropout(y)
