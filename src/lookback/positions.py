"""Where a word stands, as a vector: what attention cannot see by itself.

`sinusoidal_positions` are sines and cosines of d_model / 2 wavelengths; `rotation`
leads from any place to the one k places on; `LearnedPositions` are a table. Vaswani et
al. 2017, section 3.5. Places count from 0.
"""

import math

import torch
from torch import Tensor, nn

from lookback.attention import check_size


def sinusoidal_positions(T: int, d_model: int, *, first: int = 0) -> Tensor:
    """PE(p, 2i) = sin(p ω_i), PE(p, 2i + 1) = cos(p ω_i), ω_i = 10000^(-2i / d_model).

    Vaswani et al. 2017, section 3.5; i from 0 to d_model / 2 - 1
    →  (T, d_model), the places first … first + T - 1, each row of norm √(d_model / 2)
    Raises `ValueError` for an odd d_model, for no places, and for places before 0.
    """
    check_places(T, first)
    places = torch.arange(first, first + T, dtype=torch.float64)  # (T,)
    angles = torch.outer(places, frequencies(d_model))  # (T, d_model / 2)
    both = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (T, d_model / 2, 2)
    return both.flatten(1).to(torch.get_default_dtype())


def frequencies(d_model: int) -> Tensor:
    """ω_i = 10000^(-2i / d_model), radians a place: (d_model / 2,), float64.

    Wavelengths 2π / ω_i go from 2π towards 10000 · 2π, and do not quite reach it.
    """
    check_size("d_model", d_model)
    if d_model % 2:
        raise ValueError(f"d_model must be even, a sine and a cosine, got {d_model}")
    i = torch.arange(d_model // 2, dtype=torch.float64)
    return torch.exp(-math.log(10000) * 2 * i / d_model)


def check_places(T: int, first: int) -> None:
    """`ValueError` where T is no number of places, or the first stands before 0."""
    check_size("T", T)
    if not isinstance(first, int) or isinstance(first, bool) or first < 0:
        raise ValueError(f"first must be a whole number ≥ 0, got {first!r}")


def rotation(k: int, d_model: int) -> Tensor:
    """R(k) with PE(p + k) = R(k) PE(p) at every place p: (d_model, d_model).

    It turns each pair (sin, cos) by k ω_i; so R(j) R(k) = R(j + k), and R(-k) = R(k)ᵀ.
    Vaswani et al. 2017, section 3.5, say that there is such a matrix, not which.
    """
    angles = k * frequencies(d_model)
    sin, cos = angles.sin(), angles.cos()
    turns = torch.stack([cos, sin, -sin, cos], dim=-1).view(-1, 2, 2)
    R: Tensor = torch.block_diag(*turns)  # type: ignore[no-untyped-call]
    return R.to(torch.get_default_dtype())


class SinusoidalPositions(nn.Module):
    """`sinusoidal_positions` as a module: nothing to learn, and no last place."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.register_buffer("known", sinusoidal_positions(128, d_model), False)

    def forward(self, T: int, first: int = 0) -> Tensor:
        """The places first … first + T - 1: (T, d_model)."""
        check_places(T, first)
        known = self.get_buffer("known")
        if first + T <= len(known):
            return known[first : first + T]
        return sinusoidal_positions(T, self.d_model, first=first).to(known)


class LearnedPositions(nn.Module):
    """A vector for each place, learnt like a word's: Table 3, row (E).

    places  how many there are; what stands behind the last has no vector
    """

    def __init__(self, places: int, d_model: int) -> None:
        super().__init__()
        check_size("places", places)
        check_size("d_model", d_model)
        self.table = nn.Parameter(torch.randn(places, d_model) / math.sqrt(2))

    def forward(self, T: int, first: int = 0) -> Tensor:
        """The places first … first + T - 1: (T, d_model).

        Raises `ValueError` for places behind the last that has a vector.
        """
        check_places(T, first)
        if first + T > len(self.table):
            raise ValueError(
                f"place {first + T - 1} has no vector: {len(self.table)} places were "
                f"learnt, the sequence has {first + T}; expected a shorter one"
            )
        return self.table[first : first + T]
