"""Paths through layers: how many steps in a row, and who depends on whom.

Two columns of table 1 of Vaswani et al. 2017, sequential operations and maximum path
length, measured instead of derived.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def sequential_operations(y: Tensor) -> int:
    """The longest chain of operations that led to y, of which each needs the last.

    Counted in the graph that autograd recorded; an input with a gradient counts as one.
    Raises `ValueError` where there is none.
    """
    if y.grad_fn is None:
        raise ValueError("y has no graph of autograd: expected y.requires_grad")
    length, todo = dict[object, int](), [y.grad_fn]
    while todo:
        step = todo[-1]
        before = [s for s, _ in step.next_functions if s is not None]
        waits = [s for s in before if s not in length]
        if waits:
            todo.extend(waits)
        else:
            length[todo.pop()] = 1 + max((length[s] for s in before), default=0)
    return length[y.grad_fn]


def receptive_field(
    layer: Callable[[Tensor], Tensor],
    n: int,
    d: int,
    *,
    generator: torch.Generator | None = None,
) -> NDArray[np.bool_]:
    """(n, n): True at [t, s] where output t has a gradient for input s.

    layer      x (B, n, d) → (B, n, d)
    generator  draws the input; without one it is the same at each call
    """
    generator = torch.Generator() if generator is None else generator
    x = torch.randn(n, d, generator=generator).repeat(n, 1, 1).requires_grad_()
    outputs = layer(x).diagonal(dim1=0, dim2=1)  # (d, n): of copy t its output t alone
    # Weighted, since the plain sum of a layer norm's features is constant.
    weights = torch.randn(d, 1, generator=generator)
    (gradient,) = torch.autograd.grad((outputs * weights).sum(), x)
    return gradient.ne(0).any(dim=-1).numpy()


def path_length(fields: Callable[[int], NDArray[np.bool_]]) -> int:
    """How many layers a signal passes from the first position to the last.

    fields  the number of a layer, from 0 → its receptive field (n, n)
    Raises `ValueError` where more layers reach no further.
    """
    reached, layers = fields(0), 1
    while not reached[-1, 0]:
        further = fields(layers) @ reached
        if (further == reached).all():
            raise ValueError(f"{layers} layers, and one more reaches no further")
        reached, layers = further, layers + 1
    return layers
