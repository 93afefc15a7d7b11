"""Positional encodings: what attention cannot know by itself, as a vector.

`sinusoidal_positions` are sines and cosines of d_model / 2 wavelengths; `rotation` is
the matrix that maps any position to the one k later; `LearnedPositions` are a table.
Vaswani et al. 2017, section 3.5. Positions count from 0.
"""

import math

import torch
from torch import Tensor, nn

__all__ = [
    "LearnedPositions",
    "SinusoidalPositions",
    "frequencies",
    "rotation",
    "sinusoidal_positions",
]


def sinusoidal_positions(
    T: int, d_model: int, *, first: int = 0, dtype: torch.dtype | None = None
) -> Tensor:
    """PE(p, 2i) = sin(p ω_i), PE(p, 2i + 1) = cos(p ω_i), ω_i as in `frequencies`.

    Vaswani et al. 2017, section 3.5; i from 0 to d_model / 2 - 1
    →  (T, d_model), positions first … first + T - 1, each row of norm √(d_model / 2);
       computed in float64, returned in dtype, without one in torch's default
    Raises `ValueError` for an odd d_model.
    """
    positions = torch.arange(first, first + T, dtype=torch.float64)  # (T,)
    angles = torch.outer(positions, frequencies(d_model))  # (T, d_model / 2)
    both = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (T, d_model / 2, 2)
    return both.flatten(1).to(dtype or torch.get_default_dtype())


def frequencies(d_model: int) -> Tensor:
    """ω_i = 10000^(-2i / d_model), radians per position: (d_model / 2,), float64.

    Wavelengths 2π / ω_i go from 2π towards 10000 · 2π, and do not quite reach it.
    """
    if d_model % 2:
        raise ValueError(f"d_model must be even, a sine and a cosine, got {d_model}")
    i = torch.arange(d_model // 2, dtype=torch.float64)
    return torch.exp(-math.log(10000) * 2 * i / d_model)


def rotation(k: int, d_model: int) -> Tensor:
    """R(k) with PE(p + k) = R(k) PE(p) at every position p: (d_model, d_model).

    It rotates each pair (sin, cos) by k ω_i; so R(j) R(k) = R(j + k), R(-k) = R(k)ᵀ.
    Vaswani et al. 2017, section 3.5, say that there is such a matrix, not which.
    """
    angles = k * frequencies(d_model)
    sin, cos = angles.sin(), angles.cos()
    turns = torch.stack([cos, sin, -sin, cos], dim=-1).view(-1, 2, 2)
    R: Tensor = torch.block_diag(*turns)  # type: ignore[no-untyped-call]
    return R.to(torch.get_default_dtype())


class SinusoidalPositions(nn.Module):
    """`sinusoidal_positions` as a module: no parameters, and no last position.

    >>> SinusoidalPositions(d_model=2)(3)
    tensor([[ 0.0000,  1.0000],
            [ 0.8415,  0.5403],
            [ 0.9093, -0.4161]])
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        frequencies(d_model)  # refuses an odd one
        self.d_model = d_model
        # Empty: it only says in which dtype, and on which device, the model is.
        self.register_buffer("like", torch.empty(0), persistent=False)

    def forward(self, T: int, first: int = 0) -> Tensor:
        """Positions first … first + T - 1: (T, d_model)."""
        like = self.get_buffer("like")
        rows = sinusoidal_positions(T, self.d_model, first=first, dtype=like.dtype)
        return rows.to(like.device)


class LearnedPositions(nn.Module):
    """Learned positional embeddings, one vector for each position: Table 3, row (E).

    max_positions  how many there are; a later position has no vector

    >>> LearnedPositions(max_positions=20, d_model=4)(3).shape
    torch.Size([3, 4])
    """

    def __init__(self, max_positions: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_positions, d_model) / math.sqrt(2))

    def forward(self, T: int, first: int = 0) -> Tensor:
        """Positions first … first + T - 1: (T, d_model).

        Raises `ValueError` for positions after the last one that has a vector.
        """
        if not 0 <= first < first + T <= len(self.table):
            raise ValueError(
                f"position {first + T - 1} has no vector: {len(self.table)} positions "
                f"were learnt, the sequence has {first + T}; expected a shorter one"
            )
        return self.table[first : first + T]
