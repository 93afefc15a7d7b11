"""Layers that compete with attention, how long their chains are, how far they reach.

Each turns n vectors of d numbers into n vectors of d numbers: x (B, n, d) → (B, n, d).
They are the rows of table 1 of Vaswani et al. 2017.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lookback.attention import scaled_dot_product_attention
from lookback.multihead import MultiHeadAttention
from lookback.recurrent import CELLS, hidden, unroll

from . import seeds


class Recurrent(nn.Module):
    """A state for each place, of which each needs the one before."""

    def __init__(self, cell: str, d: int) -> None:
        super().__init__()
        self.cell = CELLS[cell](d, d)

    def forward(self, x: Tensor) -> Tensor:
        return hidden(unroll(self.cell, x))


class Step(nn.Module):
    """One step of a recurrent layer at all places: from the place before, and here."""

    def __init__(self, cell: str, d: int) -> None:
        super().__init__()
        self.cell = CELLS[cell](d, d)

    def forward(self, x: Tensor) -> Tensor:
        y = self.cell(x[:, 1:].flatten(0, 1), x[:, :-1].flatten(0, 1))
        first = self.cell(x[:, 0])
        return torch.cat([first.unsqueeze(1), y.view_as(x[:, 1:])], dim=1)


class Convolution(nn.Module):
    """At each place the same map of k places around it, beyond the ends of zeros.

    k is odd; dilation: how far apart the k places stand
    """

    def __init__(self, d: int, k: int, dilation: int = 1) -> None:
        super().__init__()
        if k < 1 or not k % 2:
            raise ValueError(f"k must be odd and ≥ 1, got {k}")
        around = dilation * (k // 2)
        self.conv = nn.Conv1d(d, d, k, padding=around, dilation=dilation, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.conv(x.transpose(1, 2)).transpose(1, 2)
        return y


class Attention(nn.Module):
    """Self-attention by one head, with its four maps."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.head = MultiHeadAttention(d, 1)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.head(x, x, x)[0]
        return y


class Products(nn.Module):
    """softmax(x xᵀ / √d) x, self-attention without a map: all that table 1 counts.

    r  how many places each one sees, r // 2 to either side; None: all
    """

    def __init__(self, r: int | None = None) -> None:
        super().__init__()
        self.r = r

    def forward(self, x: Tensor) -> Tensor:
        if self.r is None:
            return scaled_dot_product_attention(x, x, x)[0]
        return restricted(x, self.r)


def restricted(x: Tensor, r: int) -> Tensor:
    """Each place looks at itself and r // 2 to either side: x (B, n, d) → (B, n, d).

    A block of r places looks at the 2 r around it, behind a mask: twice the products
    that are needed, but large ones. Raises `ValueError` unless r is even and divides n.
    """
    n, far = x.size(1), r // 2
    if r < 2 or r % 2 or n % r:
        raise ValueError(f"r is {r} and n {n}: expected r even, and n a multiple of r")
    longer = nn.functional.pad(x, (0, 0, far, far))
    around = longer.unfold(1, 2 * r, r).transpose(2, 3)  # (B, n / r, 2 r, d)
    t = torch.arange(n).reshape(n // r, r, 1)
    s = torch.arange(-far, n + far).unfold(0, 2 * r, r).unsqueeze(1)  # (n / r, 1, 2 r)
    mask = ((s - t).abs() <= far) & (s >= 0) & (s < n)
    blocks = x.reshape(x.size(0), n // r, r, x.size(2))
    found, _ = scaled_dot_product_attention(blocks, around, around, mask)
    return found.flatten(1, 2)


def chain(y: Tensor) -> int:
    """The longest chain of operations that led to y, of which each needs the last."""
    length, todo = dict[object, int](), [y.grad_fn]
    while todo:
        step = todo[-1]
        assert step is not None
        before = [s for s, _ in step.next_functions if s is not None]
        waits = [s for s in before if s not in length]
        if waits:
            todo.extend(waits)
        else:
            length[todo.pop()] = 1 + max((length[s] for s in before), default=0)
    return length[y.grad_fn]


def reach(layer: nn.Module, n: int, d: int) -> NDArray[np.bool_]:
    """(n, n): True at [t, s] where output t has a gradient for input s."""
    chance = seeds.generator(0)
    x = torch.randn(n, d, generator=chance).repeat(n, 1, 1).requires_grad_()
    asked = layer(x).diagonal(dim1=0, dim2=1)  # (d, n): of copy t its output t alone
    way = torch.randn(d, 1, generator=chance)  # a plain sum may be fixed, as in a norm
    (found,) = torch.autograd.grad((asked * way).sum(), x)
    return found.ne(0).any(dim=-1).numpy()


def hops(layers: Callable[[int], NDArray[np.bool_]]) -> int:
    """How many layers, each of a reach, lead from the first place to the last."""
    seen = layers(0)
    made = 1
    while not seen[-1, 0]:
        further = layers(made) @ seen
        if (further == seen).all():
            raise ValueError(f"{made} layers, and one more reaches no further")
        seen, made = further, made + 1
    return made
