"""Keeping depth trainable: normalise each token, and leave a way around each part.

`LayerNorm` gives every token mean 0 and variance 1 over its d_model numbers (Ba, Kiros
and Hinton 2016). `Residual` leads around a part, so that the gradient has a way that
no part can close (He et al. 2015), and says where the norm stands.
"""

import torch
from torch import Tensor, nn

from lookback.attention import check_size


class LayerNorm(nn.Module):
    """g ⊙ (x - μ) / √(σ² + ε) + b, μ and σ² over the d_model numbers of one token.

    Ba et al. 2016, equation 4, with the ε of every program inside the root. σ² is the
    mean of the squared distances: divided by d_model, not by d_model - 1.

    g (d_model,)  the gain, at first 1;  b (d_model,)  the bias, at first 0
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        check_size("d_model", d_model)
        if not eps > 0:
            raise ValueError(f"eps must be > 0, got {eps!r}")
        self.d_model, self.eps = d_model, eps
        self.g = nn.Parameter(torch.ones(d_model))
        self.b = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape; no token knows of another.

        Raises `ValueError` where the last axis is not d_model.
        """
        if x.dim() == 0 or x.size(-1) != self.d_model:
            raise ValueError(
                f"x has shape {tuple(x.shape)}: expected (…, {self.d_model})"
            )
        return normalised(x, self.eps) * self.g + self.b


def normalised(x: Tensor, eps: float) -> Tensor:
    """(x - μ) / √(σ² + ε) over the last axis."""
    away = x - x.mean(dim=-1, keepdim=True)
    variance = away.square().mean(dim=-1, keepdim=True)
    return away * torch.rsqrt(variance + eps)


class Residual(nn.Module):
    """A way around a part f of the network, and the norm beside it.

    norm_first False  LayerNorm(x + Dropout(f(x)))   Vaswani et al. 2017, section 3.1
    norm_first True   x + Dropout(f(LayerNorm(x)))   "pre-norm", as most do today

    f may return more than one thing, so it stays outside:
    `y = f(residual.into(x))`, then `residual.out(x, y)`.
    """

    def __init__(self, d_model: int, *, dropout: float, norm_first: bool) -> None:
        super().__init__()
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout must be ≥ 0 and < 1, got {dropout!r}")
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def into(self, x: Tensor) -> Tensor:
        """What the part is given: x (…, d_model), or its norm."""
        read: Tensor = self.norm(x) if self.norm_first else x
        return read

    def out(self, x: Tensor, y: Tensor) -> Tensor:
        """x, which went around, and y, which came through; both (…, d_model)."""
        total = x + self.dropout(y)
        found: Tensor = total if self.norm_first else self.norm(total)
        return found
