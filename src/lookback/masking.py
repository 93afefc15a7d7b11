"""Attention weights of scores, of which some are masked. Every attention ends in it.

A leaf, as `checks` is: ideas from 2014 on import it, and it has no chapter.
"""

import math

from torch import Tensor

from lookback.checks import may_attend

__all__ = ["masked_softmax"]


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """exp(e_j) / Σ_k exp(e_k), j and k being positions that may be attended to.

    scores  (…, S)
    mask    (…, S)  bool, True where one may attend; of the shape of scores, or one that
                    broadcasts to it; without one: everywhere
    →  weights (…, S): exactly 0 where mask is False, each row sums to 1
    Raises `ValueError` for a row that may attend to nothing, and for masks that do not
    fit.

    >>> import torch
    >>> masked_softmax(torch.zeros(4), torch.tensor([True, True, False, False]))
    tensor([0.5000, 0.5000, 0.0000, 0.0000])
    """
    if mask is None:
        return scores.softmax(dim=-1)
    may_attend(mask, scores)
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
