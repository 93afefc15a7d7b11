"""Multi-head attention."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from .judge import Case, Exercise, numbers


class Matrices(NamedTuple):
    """W.Q, W.K, W.V and W.O: (d_model, d_model) each."""

    Q: Tensor
    K: Tensor
    V: Tensor
    O: Tensor  # noqa: E741  the paper's symbol


def multi_head_attention(x: Tensor, y: Tensor, W: Matrices, h: int) -> Tensor:
    """Concat(head_1, …, head_h) W_O,  head_i = softmax(Q_i K_iᵀ / √d_k) V_i

    x (B, T, d_model): the positions that attend;  y (B, S, d_model): those attended to
    W.Q, W.K, W.V, W.O (d_model, d_model);  Q = x W.Q,  K = y W.K,  V = y W.V
    head i has the features i d_k … (i + 1) d_k − 1 of each, d_k = d_model / h
    →  (B, T, d_model)
    """
    return merge(attend(split(x @ W.Q, h), split(y @ W.K, h), split(y @ W.V, h))) @ W.O


def split(x: Tensor, h: int) -> Tensor:
    return torch.unflatten(x, 2, (h, -1)).transpose(1, 2)  # (B, h, S, d_k)


def merge(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)  # (B, T, h d_k)


def attend(Q: Tensor, K: Tensor, V: Tensor, d: int | None = None) -> Tensor:
    return (Q @ K.transpose(-2, -1) / math.sqrt(d or K.size(-1))).softmax(dim=-1) @ V


def one_head(x: Tensor, y: Tensor, W: Matrices, h: int) -> Tensor:
    """there is one head of all features: split them into h"""
    return multi_head_attention(x, y, W, 1)


def viewed(x: Tensor, y: Tensor, W: Matrices, h: int) -> Tensor:
    """view(B, h, S, d_k) cuts sentences, not features: split the last axis, then
    transpose"""
    Q, K, V = (z.reshape(len(z), h, z.size(1), -1) for z in (x @ W.Q, y @ W.K, y @ W.V))
    return merge(attend(Q, K, V)) @ W.O


def not_transposed_back(x: Tensor, y: Tensor, W: Matrices, h: int) -> Tensor:
    """the heads are joined without transposing back, so that positions are mixed"""
    out = attend(split(x @ W.Q, h), split(y @ W.K, h), split(y @ W.V, h))
    return out.reshape(x.shape) @ W.O


def every_h_th(x: Tensor, y: Tensor, W: Matrices, h: int) -> Tensor:
    """head i has every h-th feature: its features stand side by side"""
    Q, K, V = (
        torch.unflatten(z, 2, (-1, h)).permute(0, 3, 1, 2)
        for z in (x @ W.Q, y @ W.K, y @ W.V)
    )
    return merge(attend(Q, K, V)) @ W.O


def over_heads(x: Tensor, y: Tensor, W: Matrices, h: int) -> Tensor:
    """the heads attend to each other: without a transpose, their axis is the last but
    one"""
    Q, K, V = (torch.unflatten(z, 2, (h, -1)) for z in (x @ W.Q, y @ W.K, y @ W.V))
    return attend(Q, K[:, : x.size(1)], V[:, : x.size(1)]).flatten(2) @ W.O


def root_of_model(x: Tensor, y: Tensor, W: Matrices, h: int) -> Tensor:
    """the scores are divided by √d_model: a head has d_k = d_model / h features"""
    Q, K, V = split(x @ W.Q, h), split(y @ W.K, h), split(y @ W.V, h)
    return merge(attend(Q, K, V, x.size(2))) @ W.O


def no_output_matrix(x: Tensor, y: Tensor, W: Matrices, h: int) -> Tensor:
    """W.O is missing: it mixes what the heads return"""
    return merge(attend(split(x @ W.Q, h), split(y @ W.K, h), split(y @ W.V, h)))


def keys_of_x(x: Tensor, y: Tensor, W: Matrices, h: int) -> Tensor:
    """keys and values are made of x: x attends to y"""
    return multi_head_attention(x, x, W, h)


def cases() -> list[Case]:
    x, y, *parts = numbers((2, 3, 6), (2, 5, 6), *[(6, 6)] * 4)
    W = Matrices(*parts)
    return [
        Case("one head", (x, y, W, 1)),
        Case("three heads, self-attention", (y, y, W, 3)),
        Case("three heads", (x, y, W, 3)),
        Case("two heads", (x, y, W, 2)),
    ]


EXERCISE = Exercise(
    multi_head_attention,
    ("the output",),
    cases,
    [one_head, viewed, not_transposed_back, every_h_th, over_heads, root_of_model,
     no_output_matrix, keys_of_x],
    gradients=("x", "y"),
)  # fmt: skip
