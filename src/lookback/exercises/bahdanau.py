"""Additive attention, with a mask."""

import math

import torch
from torch import Tensor

from .judge import Case, Exercise, numbers

T = Tensor
Result = tuple[Tensor, Tensor]


def additive_attention(s: T, h: T, W: T, U: T, v: T, mask: T) -> Result:
    """e_j = v · tanh(W s + U h_j),   α = softmax(e),   context = Σ_j α_j h_j

    s (B, n): the decoder's state;  h (B, S, d): the annotations of S words
    W (k, n), U (k, d), v (k,);  mask (B, S), bool: True on words, False on padding
    →  context (B, d), weights α (B, S)
    """
    e = torch.tanh((s @ W.T).unsqueeze(1) + h @ U.T) @ v
    return weighed(e.masked_fill(~mask, -math.inf).softmax(dim=1), h)


def weighed(alpha: T, h: T) -> Result:
    return (alpha.unsqueeze(2) * h).sum(dim=1), alpha


def no_tanh(s: T, h: T, W: T, U: T, v: T, mask: T) -> Result:
    """the tanh is missing: without it the state s shifts all scores alike"""
    e = ((s @ W.T).unsqueeze(1) + h @ U.T) @ v
    return weighed(e.masked_fill(~mask, -math.inf).softmax(dim=1), h)


def state_unread(s: T, h: T, W: T, U: T, v: T, mask: T) -> Result:
    """the state s is not read: W s is missing"""
    return additive_attention(torch.zeros_like(s), h, W, U, v, mask)


def source_unread(s: T, h: T, W: T, U: T, v: T, mask: T) -> Result:
    """the scores never look at the annotations: U h_j is missing"""
    return weighed(additive_attention(s, 0 * h, W, U, v, mask)[1], h)


def wrong_axis(s: T, h: T, W: T, U: T, v: T, mask: T) -> Result:
    """the softmax goes over the batch: it goes over the words of a sentence, dim=1"""
    e = torch.tanh((s @ W.T).unsqueeze(1) + h @ U.T) @ v
    return weighed(e.masked_fill(~mask, -math.inf).softmax(dim=0), h)


def no_mask(s: T, h: T, W: T, U: T, v: T, mask: T) -> Result:
    """the mask is not used: padding gets weight"""
    return additive_attention(s, h, W, U, v, torch.ones_like(mask))


def mask_after(s: T, h: T, W: T, U: T, v: T, mask: T) -> Result:
    """the mask came after the softmax, so that the weights no longer sum to 1"""
    return weighed(no_mask(s, h, W, U, v, mask)[1] * mask, h)


def mask_zero(s: T, h: T, W: T, U: T, v: T, mask: T) -> Result:
    """the scores of padding became 0, and e⁰ is 1: fill with −∞"""
    e = torch.tanh((s @ W.T).unsqueeze(1) + h @ U.T) @ v
    return weighed((e * mask).softmax(dim=1), h)


def mask_turned(s: T, h: T, W: T, U: T, v: T, mask: T) -> Result:
    """the mask is turned round: True stands on words"""
    e = torch.tanh((s @ W.T).unsqueeze(1) + h @ U.T) @ v
    return weighed(e.masked_fill(mask, -math.inf).softmax(dim=1), h)


def projected(s: T, h: T, W: T, U: T, v: T, mask: T) -> Result:
    """the context is made of U h_j: the annotations h_j themselves are averaged"""
    return weighed(additive_attention(s, h, W, U, v, mask)[1], h @ U.T)


def cases() -> list[Case]:
    sizes = (3, 2), (3, 4, 5), (6, 2), (6, 5), (6,)
    arguments = numbers(*sizes)
    words = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]]).bool()
    one = [[1.0]], [[[0.0], [1], [-1]]], [[0.5]], [[1.0]], [2.0]
    return [
        Case("three words", (*map(torch.tensor, one), torch.ones(1, 3).bool())),
        Case("random numbers", (*arguments, torch.ones(3, 4).bool())),
        Case("padding", (*arguments, words)),
    ]


EXERCISE = Exercise(
    additive_attention,
    ("context", "weights"),
    cases,
    [no_tanh, state_unread, source_unread, wrong_axis, no_mask, mask_after,
     mask_zero, mask_turned, projected],
    gradients=("s", "h", "W", "U", "v"),
)  # fmt: skip
