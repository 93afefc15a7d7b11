"""Layer normalisation: what keeps a deep stack of residual connections trainable.

`LayerNorm` gives the vector of each token mean 0 and variance 1 over its d_model
features (Ba, Kiros and Hinton 2016). A residual connection needs no class: it is x +
f(x), which a layer writes out. In post-norm the sum is normalised, norm(x + f(x)); in
pre-norm what f reads is, x + f(norm(x)).
"""

import torch
from torch import Tensor, nn

from lookback.checks import shapes

__all__ = ["LayerNorm"]


class LayerNorm(nn.Module):
    """g ⊙ (x - μ) / √(σ² + ε) + b, μ and σ² over the d_model features of one token.

    Ba et al. 2016, equation 4, with the ε of every program inside the root. σ² is the
    mean of the squared distances: divided by d_model, not by d_model - 1.

    g (d_model,)  the gain, at first 1;  b (d_model,)  the bias, at first 0

    >>> LayerNorm(2, eps=3)(torch.tensor([4.0, 6])).tolist()  # variance 1, and √(1 + 3)
    [-0.5, 0.5]
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.ones(d_model))
        self.b = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape; each token is normalised by itself."""
        shapes(x=(x, f"… {len(self.g)}"))
        x = x.to(torch.promote_types(x.dtype, torch.float32))  # squares overflow half
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)  # σ²
        y = centred * torch.rsqrt(variance + self.eps) * self.g + self.b
        return y.to(self.g.dtype)
