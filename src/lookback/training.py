"""How the Transformer is trained: a softer target, and a rate that rises and falls.

`label_smoothed_loss` asks for a little less than certainty; `noam_rate` warms up and
cools down; `BETAS` and `EPS` are Adam's. Vaswani et al. 2017, sections 5.3 and 5.4.

Sizes: V words to choose from; … any axes in front, (B, T) in a translator.
"""

import math

import torch
from torch import Tensor

from lookback.attention import check_size

BETAS = (0.9, 0.98)
EPS = 1e-9
"""Adam's, section 5.3: β₂ forgets twenty times sooner than the usual 0.999."""


def label_smoothed_loss(
    logits: Tensor, target: Tensor, mask: Tensor, epsilon: float
) -> Tensor:
    """-Σ_w q(w) ln p(w), q(w) = (1 - ε) [w = y] + ε / V, p = softmax(logits).

    Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4, with ε = 0.1

    logits (…, V)   finite;  target (…)  the right word y
    mask   (…)      bool, True on words; padding costs nothing, whatever stands there
    →  (…), nats a place: 0 on padding, finite elsewhere
    Raises `ValueError` for shapes that do not fit, a mask that is not bool, words that
    are none of the V, and an ε outside [0, 1).
    """
    _check_epsilon(epsilon)
    _check(logits, target, mask)
    log_p = logits.log_softmax(dim=-1)
    y = target.where(mask, 0)  # padding may hold an id that is no word
    right = log_p.gather(-1, y.unsqueeze(-1)).squeeze(-1)
    loss = -(1 - epsilon) * right - epsilon * log_p.mean(dim=-1)
    return torch.where(mask, loss, 0)


def least_loss(V: int, epsilon: float) -> float:
    """-Σ_w q(w) ln q(w), nats: the smoothed loss of the best model there could be."""
    check_size("V", V)
    _check_epsilon(epsilon)
    right, wrong = 1 - epsilon + epsilon / V, epsilon / V
    rest = (V - 1) * wrong * math.log(wrong) if wrong else 0.0
    return -(right * math.log(right) + rest)


def noam_rate(step: int, d_model: int, warmup: int) -> float:
    """d_model^-0.5 · min(step^-0.5, step · warmup^-1.5); steps count from 1.

    Vaswani et al. 2017, equation 3: straight up for `warmup` steps, then down as
    1 / √step. The peak, at step = warmup, is 1 / √(d_model · warmup).
    """
    for name, size in (("step", step), ("d_model", d_model), ("warmup", warmup)):
        check_size(name, size)
    return min(1 / math.sqrt(step), step / math.sqrt(warmup**3)) / math.sqrt(d_model)


def _check_epsilon(epsilon: float) -> None:
    if not 0 <= epsilon < 1:
        raise ValueError(f"epsilon must be ≥ 0 and < 1, got {epsilon!r}")


def _check(logits: Tensor, target: Tensor, mask: Tensor) -> None:
    if logits.shape[:-1] != target.shape or mask.shape != target.shape:
        raise ValueError(
            f"logits {tuple(logits.shape)}, target {tuple(target.shape)}, mask "
            f"{tuple(mask.shape)}: expected (…, V), (…) and (…)"
        )
    if mask.dtype != torch.bool:
        raise ValueError(f"mask is {mask.dtype}: expected torch.bool, True on words")
    words, V = target[mask], logits.size(-1)
    if words.numel() and (int(words.min()) < 0 or int(words.max()) >= V):
        raise ValueError(
            f"target holds ids from {int(words.min())} to {int(words.max())}: expected "
            f"words, 0 to {V - 1}"
        )
