"""Sinusoidal positions."""

import torch
from torch import Tensor

from .judge import Case, Exercise


def sinusoids(T: int, d_model: int) -> Tensor:
    """PE(p, 2i) = sin(p / 10000^(2i / d_model)), PE(p, 2i + 1) = cos of the same

    →  (T, d_model), the positions 0 … T − 1
    """
    return clocks(T, d_model)


def clocks(
    T: int, d_model: int, first: int = 0, step: int = 2, base: float = 10000
) -> Tensor:
    i = torch.arange(d_model // 2)
    p = torch.arange(first, first + T).unsqueeze(1)
    angles = p / base ** (step * i / d_model)  # (T, d_model / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def not_interleaved(T: int, d_model: int) -> Tensor:
    """all sines come first, then all cosines: they alternate, sin, cos, sin, cos"""
    both = clocks(T, d_model)
    return torch.cat([both[:, 0::2], both[:, 1::2]], dim=1)


def cosine_first(T: int, d_model: int) -> Tensor:
    """sine and cosine are exchanged: even features are sines"""
    return torch.unflatten(clocks(T, d_model), 1, (-1, 2)).flip(2).flatten(1)


def half_exponent(T: int, d_model: int) -> Tensor:
    """the exponent is i / d_model: it is 2i / d_model, i from 0 to d_model / 2 − 1"""
    return clocks(T, d_model, step=1)


def own_exponent(T: int, d_model: int) -> Tensor:
    """each feature has its own exponent: a sine and its cosine share one, 2i"""
    features = torch.arange(d_model)
    angles = torch.arange(T).unsqueeze(1) / 10000 ** (features / d_model)
    return torch.where(features % 2 == 0, angles.sin(), angles.cos())


def double_exponent(T: int, d_model: int) -> Tensor:
    """i runs over features, 0, 2, 4, …, and is doubled once more"""
    return clocks(T, d_model, step=4)


def from_one(T: int, d_model: int) -> Tensor:
    """positions begin at 1: the first is 0"""
    return clocks(T, d_model, first=1)


def cases() -> list[Case]:
    sizes = ((1, 2), (3, 6), (50, 10))
    return [Case(f"(T, d_model) = {size}", size) for size in sizes]


EXERCISE = Exercise(
    sinusoids,
    ("the table",),
    cases,
    [not_interleaved, cosine_first, half_exponent, own_exponent, double_exponent,
     from_one],
)  # fmt: skip
