"""Layer normalisation and the residual connection: what keeps a deep stack trainable.

`LayerNorm` gives the vector of each token mean 0 and variance 1 over its d_model
features (Ba, Kiros and Hinton 2016). `Residual` adds the input of a sublayer to its
output, so that the gradient has a path that no sublayer can close (He et al. 2015).
"""

import torch
from torch import Tensor, nn

from lookback.checks import shapes, share, whole

__all__ = ["LayerNorm", "Residual", "normalised"]


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
        self.d_model, self.eps = d_model, eps
        self.g = nn.Parameter(torch.ones(d_model))
        self.b = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape; each token is normalised by itself.

        Raises `ValueError` where the last axis is not d_model.
        """
        shapes(x=(x, f"… {self.d_model}"))
        return normalised(x, self.eps) * self.g + self.b


def normalised(x: Tensor, eps: float) -> Tensor:
    """(x - μ) / √(σ² + ε) over the last axis."""
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred * torch.rsqrt(variance + eps)


class Residual(nn.Module):
    """A sublayer f with a residual connection, and a layer norm after it or before.

    norm_first False  LayerNorm(x + Dropout(f(x)))   post-norm
    norm_first True   x + Dropout(f(LayerNorm(x)))   pre-norm, as in most models today

    Post-norm is that of Vaswani et al. 2017, section 3.1.

    >>> post_norm = Residual(nn.Identity(), 2, dropout=0.0, norm_first=False)
    >>> [round(n, 3) for n in post_norm(torch.tensor([4.0, 6])).tolist()]
    [-1.0, 1.0]
    >>> pre_norm = Residual(nn.Identity(), 2, dropout=0.0, norm_first=True)
    >>> [round(n, 3) for n in pre_norm(torch.tensor([4.0, 6])).tolist()]
    [3.0, 7.0]
    """

    def __init__(
        self, f: nn.Module, d_model: int, *, dropout: float, norm_first: bool
    ) -> None:
        share(dropout=dropout)
        super().__init__()
        self.f = f
        self.norm = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape."""
        if self.norm_first:
            y: Tensor = x + self.dropout(self.f(self.norm(x)))
        else:
            y = self.norm(x + self.dropout(self.f(x)))
        return y
