"""A layer of the Transformer's decoder."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from .judge import Case, Exercise, numbers

T = Tensor
Matrices = Mapping[str, Tensor]


class Layer(NamedTuple):
    """The matrices of the two attentions and of the feed-forward network."""

    own: Matrices
    cross: Matrices
    ff: Matrices


def attend(q: Tensor, k: Tensor, W: Matrices, mask: Tensor) -> Tensor:
    """Let q (T, d) attend to k (S, d) by one head; mask (T, S): True where it may."""
    scores = (q @ W["Q"]) @ (k @ W["K"]).T / math.sqrt(k.size(1))
    return scores.masked_fill(~mask, -math.inf).softmax(dim=1) @ (k @ W["V"])


def norm(x: Tensor) -> Tensor:
    """Layer normalisation without gain and bias."""
    return torch.nn.functional.layer_norm(x, x.shape[-1:])


def feed_forward(x: Tensor, W: Matrices) -> Tensor:
    """max(0, x W_1) W_2"""
    return (x @ W["1"]).relu() @ W["2"]


def decoder_layer(x: T, memory: T, real: T, W: Layer) -> T:
    """Masked self-attention, cross-attention, feed-forward; each: norm(x + sublayer(x))

    x (T, d): the words so far;  memory (S, d): what the encoder returned
    real (S,), bool: True on words of the source, False on padding
    W.own, W.cross: matrices of the two attentions, for `attend(q, k, W.own, mask)`
    W.ff: those of `feed_forward(x, W.ff)`;  `attend`, `feed_forward`, `norm` are given
    →  (T, d)
    """
    x = norm(x + attend(x, x, W.own, causal(x)))
    x = norm(x + attend(x, memory, W.cross, real.expand(len(x), -1)))
    return norm(x + feed_forward(x, W.ff))


def causal(x: Tensor, diagonal: int = 0) -> Tensor:
    return torch.ones(len(x), len(x), dtype=torch.bool).tril(diagonal)


def future_seen(x: T, memory: T, real: T, W: Layer) -> T:
    """self-attention has no mask: position t may attend to 1 … t alone"""
    x = norm(x + attend(x, x, W.own, torch.ones_like(causal(x))))
    x = norm(x + attend(x, memory, W.cross, real.expand(len(x), -1)))
    return norm(x + feed_forward(x, W.ff))


def past_hidden(x: T, memory: T, real: T, W: Layer) -> T:
    """the causal mask is turned round: tril keeps the past, triu the future"""
    x = norm(x + attend(x, x, W.own, causal(x).T))
    x = norm(x + attend(x, memory, W.cross, real.expand(len(x), -1)))
    return norm(x + feed_forward(x, W.ff))


def next_seen(x: T, memory: T, real: T, W: Layer) -> T:
    """each position also attends to the next one: the mask is one diagonal too wide"""
    x = norm(x + attend(x, x, W.own, causal(x, 1)))
    x = norm(x + attend(x, memory, W.cross, real.expand(len(x), -1)))
    return norm(x + feed_forward(x, W.ff))


def padding_seen(x: T, memory: T, real: T, W: Layer) -> T:
    """cross-attention attends to padding: `real` is not used"""
    return decoder_layer(x, memory, torch.ones_like(real), W)


def no_residuals(x: T, memory: T, real: T, W: Layer) -> T:
    """the residual connections are missing: norm(x + sublayer(x))"""
    x = norm(attend(x, x, W.own, causal(x)))
    x = norm(attend(x, memory, W.cross, real.expand(len(x), -1)))
    return norm(feed_forward(x, W.ff))


def pre_norm(x: T, memory: T, real: T, W: Layer) -> T:
    """this is pre-norm, x + sublayer(norm(x)): here the sum is normalised"""
    z = norm(x)
    x = x + attend(z, z, W.own, causal(x))
    x = x + attend(norm(x), memory, W.cross, real.expand(len(x), -1))
    return x + feed_forward(norm(x), W.ff)


def source_first(x: T, memory: T, real: T, W: Layer) -> T:
    """cross-attention comes first: it comes after self-attention"""
    x = norm(x + attend(x, memory, W.cross, real.expand(len(x), -1)))
    x = norm(x + attend(x, x, W.own, causal(x)))
    return norm(x + feed_forward(x, W.ff))


def source_unread(x: T, memory: T, real: T, W: Layer) -> T:
    """the second attention attends to x again: its keys and values are the memory's"""
    x = norm(x + attend(x, x, W.own, causal(x)))
    x = norm(x + attend(x, x, W.cross, causal(x)))
    return norm(x + feed_forward(x, W.ff))


def cases() -> list[Case]:
    x, memory, *six, W_1, W_2 = numbers((5, 4), (3, 4), *[(4, 4)] * 6, (4, 8), (8, 4))
    own, cross = (dict(zip("QKV", part, strict=True)) for part in (six[:3], six[3:]))
    W = Layer(own, cross, {"1": W_1, "2": W_2})
    words, padded = torch.ones(3).bool(), torch.tensor([True, True, False])
    return [
        Case("one word", (x[:1], memory, words, W)),
        Case("five words", (x, memory, words, W)),
        Case("a source with padding", (x, memory, padded, W)),
    ]


EXERCISE = Exercise(
    decoder_layer,
    ("the output",),
    cases,
    [future_seen, past_hidden, next_seen, padding_seen, no_residuals, pre_norm,
     source_first, source_unread],
    gradients=("x", "memory"),
    given=("attend", "feed_forward", "norm"),
)  # fmt: skip
