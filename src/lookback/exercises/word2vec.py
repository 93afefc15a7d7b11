"""The loss of skip-gram with negative sampling."""

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from .judge import Case, Exercise, numbers


def sampled_loss(centre: Tensor, context: Tensor, noise: Tensor) -> Tensor:
    """−log σ(u · v) − Σ_k log σ(−u_k · v), the mean over the batch

    v    centre (B, m), vectors of the words in the middle
    u    context (B, m), of a word near each
    u_k  noise (B, K, m), of K words that were drawn for each
    →  a tensor without axes
    """
    near, drawn = pair_scores(centre, context, noise)
    return -(logsigmoid(near) + logsigmoid(-drawn).sum(dim=1)).mean()


def pair_scores(v: Tensor, u: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
    return (v * u).sum(dim=1), torch.einsum("bm,bkm->bk", v, noise)


def same_sign(centre: Tensor, context: Tensor, noise: Tensor) -> Tensor:
    """the minus before u_k · v is missing: noise is pulled near, and not pushed away"""
    near, drawn = pair_scores(centre, context, noise)
    return -(logsigmoid(near) + logsigmoid(drawn).sum(dim=1)).mean()


def mean_of_noise(centre: Tensor, context: Tensor, noise: Tensor) -> Tensor:
    """the K words of noise are averaged: they are summed"""
    near, drawn = pair_scores(centre, context, noise)
    return -(logsigmoid(near) + logsigmoid(-drawn).mean(dim=1)).mean()


def sum_of_batch(centre: Tensor, context: Tensor, noise: Tensor) -> Tensor:
    """the loss is summed over the batch: take the mean"""
    return sampled_loss(centre, context, noise) * len(centre)


def softmax(centre: Tensor, context: Tensor, noise: Tensor) -> Tensor:
    """this is a softmax over K + 1 words: each is one decision, by σ, of its own"""
    near, drawn = pair_scores(centre, context, noise)
    return -torch.cat([near.unsqueeze(1), drawn], 1).log_softmax(dim=1)[:, 0].mean()


def no_logarithm(centre: Tensor, context: Tensor, noise: Tensor) -> Tensor:
    """the logarithm is missing"""
    near, drawn = pair_scores(centre, context, noise)
    return -(near.sigmoid() + (-drawn).sigmoid().sum(dim=1)).mean()


def infinite(centre: Tensor, context: Tensor, noise: Tensor) -> Tensor:
    """σ is 0 in float32 where a score is far below 0, and its logarithm −∞: take
    logsigmoid"""
    near, drawn = pair_scores(centre, context, noise)
    return -(near.sigmoid().log() + (-drawn).sigmoid().log().sum(dim=1)).mean()


def cases() -> list[Case]:
    v, u, noise = numbers((4, 5), (4, 5), (4, 3, 5))
    one = [[1.0, 2]], [[0.5, 0]], [[[0.0, 1], [1, -1]]]
    return [
        Case("one word", tuple(map(torch.tensor, one))),
        Case("random vectors", (v, u, noise)),
        Case("a word that is far", (-99 * u, u, noise / 99)),
        Case("noise that is near", (99 * v, v, noise)),
    ]


EXERCISE = Exercise(
    sampled_loss,
    ("the loss",),
    cases,
    [same_sign, mean_of_noise, sum_of_batch, softmax, no_logarithm, infinite],
    gradients=("centre", "context", "noise"),
)  # fmt: skip
