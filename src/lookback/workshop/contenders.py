"""Layers that compete with attention, how long their chains are, how far they reach.

Each turns n vectors of d numbers into n vectors of d numbers: x (B, n, d) → (B, n, d).
They are the rows of table 1 of Vaswani et al. 2017.
"""

import torch
from torch import Tensor, nn

from lookback.attention import scaled_dot_product_attention
from lookback.measure import path_length, receptive_field, sequential_operations
from lookback.multihead import MultiHeadAttention
from lookback.recurrent import CELLS, hidden, unroll


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


chain, reach, hops = sequential_operations, receptive_field, path_length
