"""Scaled dot-product attention, with a mask."""

import math

import torch
from torch import Tensor

from .judge import Case, Exercise, numbers

Result = tuple[Tensor, Tensor]
Mask = Tensor | None


def dot_product_attention(Q: Tensor, K: Tensor, V: Tensor, mask: Mask = None) -> Result:
    """softmax(Q Kᵀ / √d_k) V

    Q (T, d_k), K (S, d_k), V (S, d_v)
    mask (T, S), bool: True where t may attend to s; None: it may everywhere
    →  output (T, d_v), weights (T, S)
    """
    scores = Q @ K.transpose(-2, -1) / math.sqrt(K.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ V, weights


def not_divided(Q: Tensor, K: Tensor, V: Tensor, mask: Mask = None) -> Result:
    """the scores are not divided by √d_k"""
    return dot_product_attention(Q * math.sqrt(K.size(-1)), K, V, mask)


def divided_by_d(Q: Tensor, K: Tensor, V: Tensor, mask: Mask = None) -> Result:
    """the scores are divided by d_k and not by its root"""
    return dot_product_attention(Q / math.sqrt(K.size(-1)), K, V, mask)


def root_of_length(Q: Tensor, K: Tensor, V: Tensor, mask: Mask = None) -> Result:
    """the root is of the number of keys: it belongs to the size of a key, K.size(-1)"""
    return dot_product_attention(Q * math.sqrt(K.size(-1) / K.size(0)), K, V, mask)


def wrong_axis(Q: Tensor, K: Tensor, V: Tensor, mask: Mask = None) -> Result:
    """the softmax goes over the queries: each row should sum to 1, so dim=-1"""
    scores = Q @ K.T / math.sqrt(K.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-2)
    return weights @ V, weights


def mask_after(Q: Tensor, K: Tensor, V: Tensor, mask: Mask = None) -> Result:
    """the mask came after the softmax, so that the rows no longer sum to 1"""
    weights = dot_product_attention(Q, K, V)[1]
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ V, weights


def mask_turned(Q: Tensor, K: Tensor, V: Tensor, mask: Mask = None) -> Result:
    """the mask is turned round: True means may attend, so fill where it is False"""
    return dot_product_attention(Q, K, V, None if mask is None else ~mask)


def mask_zero(Q: Tensor, K: Tensor, V: Tensor, mask: Mask = None) -> Result:
    """hidden scores became 0, and e⁰ is 1: hidden words still get weight; use −∞"""
    scores = Q @ K.T / math.sqrt(K.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, 0.0)
    weights = scores.softmax(dim=-1)
    return weights @ V, weights


def no_mask(Q: Tensor, K: Tensor, V: Tensor, mask: Mask = None) -> Result:
    """the mask is not used"""
    return dot_product_attention(Q, K, V)


def keys_ask(Q: Tensor, K: Tensor, V: Tensor, mask: Mask = None) -> Result:
    """queries and keys are exchanged: row t compares query t with all keys, Q @ K.T"""
    return dot_product_attention(K, Q, V, mask)


def cases() -> list[Case]:
    hand = [[2.0, 0, 1], [1, 1, 2]], [[0.0, 2, 1], [2, 1, 2]], [[1.0, 0, 3], [2, 6, 0]]
    Q, K, V = numbers((4, 3), (4, 3), (4, 5))
    may = torch.ones(4, 4, dtype=torch.bool).tril()
    may[0, 2] = True
    return [
        Case("two words", tuple(map(torch.tensor, hand))),
        Case("four random words", (Q, K, V)),
        Case("a mask", (Q, K, V, may)),
        Case("a mask and large scores", (40 * Q, K, V, may)),
    ]


EXERCISE = Exercise(
    dot_product_attention,
    ("output", "weights"),
    cases,
    [not_divided, divided_by_d, root_of_length, wrong_axis, mask_after,
     mask_turned, mask_zero, no_mask, keys_ask],
    gradients=("Q", "K", "V"),
)  # fmt: skip
