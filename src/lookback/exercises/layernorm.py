"""Layer normalisation of a residual connection."""

import torch
from torch import Tensor

from .judge import Case, Exercise, numbers

EPS = 1e-5


def add_and_norm(x: Tensor, y: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """LayerNorm(x + y) = g ⊙ (z − μ) / √(σ² + ε) + b,  z = x + y,  ε = 1e-5

    x, y (B, T, d_model): what a sublayer reads, and what it returns
    g, b (d_model,): gain and bias;  μ, σ²: mean and variance of a position's features
    →  (B, T, d_model)
    """
    return norm(x + y) * g + b


def norm(z: Tensor, dim: tuple[int, ...] = (-1,), correction: int = 0) -> Tensor:
    mean = z.mean(dim=dim, keepdim=True)
    variance = z.var(dim=dim, correction=correction, keepdim=True)
    return (z - mean) / (variance + EPS).sqrt()


def no_residual(x: Tensor, y: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """x is not added: only y is normalised"""
    return norm(y) * g + b


def outside(x: Tensor, y: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """y is normalised, then added to x: the sum is what is normalised here"""
    return x + norm(y) * g + b


def one_less(x: Tensor, y: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """the variance is divided by d_model − 1, as var() does unasked: correction=0"""
    return norm(x + y, correction=1) * g + b


def standard_deviation(x: Tensor, y: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """std() divides by d_model − 1 unasked, and ε stands outside the root"""
    z = x + y
    centred = z - z.mean(dim=-1, keepdim=True)
    return centred / (z.std(dim=-1, keepdim=True) + EPS) * g + b


def over_positions(x: Tensor, y: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """mean and variance go over the positions: each position has its own, dim=-1"""
    return norm(x + y, dim=(1,)) * g + b


def over_sentence(x: Tensor, y: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """mean and variance are those of a whole sentence: each position has its own"""
    return norm(x + y, dim=(1, 2)) * g + b


def outer_epsilon(x: Tensor, y: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """ε is added to the root: it stands inside, √(σ² + ε)"""
    z = x + y
    z = z - z.mean(dim=-1, keepdim=True)
    return z / (z.square().mean(dim=-1, keepdim=True).sqrt() + EPS) * g + b


def not_centred(x: Tensor, y: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """the mean is not taken off, as in RMSNorm"""
    z = x + y
    return z / (z.square().mean(dim=-1, keepdim=True) + EPS).sqrt() * g + b


def no_gain(x: Tensor, y: Tensor, g: Tensor, b: Tensor) -> Tensor:
    """the gain g is not used"""
    return norm(x + y) + b


def cases() -> list[Case]:
    hand = torch.tensor([[[3.0, 1], [70, -5]]]), torch.tensor([[[1.0, 1], [0, 9]]])
    x, y, g, b = numbers((2, 3, 5), (2, 3, 5), (5,), (5,))
    return [
        Case("two features", (*hand, torch.ones(2), torch.zeros(2))),
        Case("random features", (x, y, g, b)),
        Case("features near 3000", (3000 + x, y, g, b)),
        Case("features near 0", (x / 200, y / 200, g, b)),
    ]


EXERCISE = Exercise(
    add_and_norm,
    ("the output",),
    cases,
    [no_residual, outside, one_less, standard_deviation, over_positions, over_sentence,
     outer_epsilon, not_centred, no_gain],
    gradients=("x", "y", "g", "b"),
)  # fmt: skip
