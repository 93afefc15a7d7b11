"""How the Transformer is trained: a smoothed target, and a rate that rises and falls.

`label_smoothed_loss` is the cross-entropy with a target that gives every word a small
probability, `smoothed_target`. `noam_rate` is the learning rate, with its warm-up.
`adam_step` is what Adam does with a gradient, with `BETAS` and `EPS`. Vaswani et al.
2017, sections 5.3 and 5.4.

Sizes: V words of the vocabulary; … any axes in front, (B, T) in a translator.
"""

import math

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from lookback.checks import finite, ids, shapes, share, whole

__all__ = [
    "BETAS",
    "EPS",
    "adam_step",
    "label_smoothed_loss",
    "least_loss",
    "noam_rate",
    "smoothed_target",
]

BETAS = (0.9, 0.98)
EPS = 1e-9
"""Adam's, section 5.3: β₂ forgets twenty times sooner than the usual 0.999."""


def smoothed_target(target: Tensor, V: int, epsilon: float) -> Tensor:
    """q(w) = (1 - ε) [w = y] + ε / V.   Szegedy et al. 2016, section 7

    target (…)  the right word y  →  (…, V), probabilities
    Raises `ValueError` for ids that are none of the V words, and for an ε outside
    [0, 1).

    >>> smoothed_target(torch.tensor(1), V=4, epsilon=0.1)
    tensor([0.0250, 0.9250, 0.0250, 0.0250])
    """
    ids(V, target=target)
    share(epsilon=epsilon)
    return one_hot(target, V) * (1 - epsilon) + epsilon / V


def label_smoothed_loss(
    logits: Tensor, target: Tensor, mask: Tensor, epsilon: float
) -> Tensor:
    """-Σ_w q(w) ln p(w), q(w) = (1 - ε) [w = y] + ε / V, p = softmax(logits).

    Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4, with ε = 0.1

    logits (…, V)   target (…)  the right word y
    mask   (…)      bool, True on words; padding costs nothing, whatever its id
    →  (…), nats of each position: 0 on padding, finite elsewhere
    Raises `ValueError` for shapes that do not fit, for ids that are none of the V
    words, for an ε outside [0, 1), and for logits of -∞, to which ε would give a share.

    >>> logits, y = torch.tensor([[0.0, 0, 0, 0], [99, 0, 0, 0]]), torch.tensor([2, 0])
    >>> label_smoothed_loss(logits, y, torch.tensor([True, True]), epsilon=0.1)
    tensor([1.3863, 7.4250])
    """
    shapes(mask=(mask, axes := " ".join(map(str, target.shape))))
    shapes(logits=(logits, f"{axes} V"))
    ids(logits.size(-1), target=target[mask])
    share(epsilon=epsilon)
    log_p = logits.log_softmax(dim=-1)
    y = target.where(mask, 0)  # the id of padding may be none of the V
    loss = -(1 - epsilon) * log_p.gather(-1, y.unsqueeze(-1)).squeeze(-1)
    if epsilon:
        loss = loss - epsilon * log_p.mean(dim=-1)
    loss = torch.where(mask, loss, 0)
    if epsilon:
        finite("smoothing gives every word a share", logits=loss)
    return loss


def least_loss(V: int, epsilon: float) -> float:
    """-Σ_w q(w) ln q(w), nats: the smoothed loss of the best model there could be."""
    share(epsilon=epsilon)
    right, wrong = 1 - epsilon + epsilon / V, epsilon / V
    rest = (V - 1) * wrong * math.log(wrong) if wrong else 0.0
    return -(right * math.log(right) + rest)


def noam_rate(step: int, d_model: int, warmup: int) -> float:
    """d_model^-0.5 · min(step^-0.5, step · warmup^-1.5); steps count from 1.

    Vaswani et al. 2017, equation 3: straight up for `warmup` steps, then down as
    1 / √step. The peak, at step = warmup, is 1 / √(d_model · warmup).

    >>> [noam_rate(step, d_model=4, warmup=100) for step in (1, 50, 100, 400)]
    [0.0005, 0.025, 0.05, 0.025]
    """
    return min(1 / math.sqrt(step), step / math.sqrt(warmup**3)) / math.sqrt(d_model)


def adam_step(
    theta: Tensor, g: Tensor, m: Tensor, v: Tensor, step: int, rate: float
) -> tuple[Tensor, Tensor, Tensor]:
    """θ - rate · m̂ / (√v̂ + ε), the means m and v corrected for their first steps.

    Kingma and Ba 2015, algorithm 1, with the β and ε of Vaswani et al. 2017

    theta, g, m, v  of one shape: parameters, their gradient, the means of its values
                    and of its squares, which begin as 0;  steps count from 1
    →  theta, m and v after the step
    Raises `ValueError` for shapes that differ and for a step that is not counted from
    1.

    >>> zero = torch.zeros(2)
    >>> adam_step(zero, torch.tensor([0.1, -1000]), zero, zero, step=1, rate=0.5)[0]
    tensor([-0.5000,  0.5000])
    """
    shapes(g=(g, axes := " ".join(map(str, theta.shape))), m=(m, axes), v=(v, axes))
    whole(step=step)
    g = g.to(torch.promote_types(g.dtype, torch.float32))  # squares overflow half
    m = BETAS[0] * m + (1 - BETAS[0]) * g
    v = BETAS[1] * v + (1 - BETAS[1]) * g.square()
    m_hat, v_hat = m / (1 - BETAS[0] ** step), v / (1 - BETAS[1] ** step)
    return theta - rate * m_hat / (v_hat.sqrt() + EPS), m, v
