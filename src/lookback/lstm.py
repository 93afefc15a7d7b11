"""LSTM and GRU: cells whose gates decide what is kept.

`LSTMCell` and `GRUCell` go wherever `RNNCell` went: into `unroll` and `RecurrentLM`.
The numbers of equations are those of the chapter.

Sizes: d of an input, n of a state.
"""

import math
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.checks import shapes
from lookback.recurrent import Cell, RNNCell

__all__ = ["CELLS", "GRUCell", "LSTMCell", "ResetAfterGRUCell"]

LSTMState: TypeAlias = tuple[Tensor, Tensor]
"""h (B, n), the hidden state; c (B, n), the cell state."""


class LSTMCell(Cell[LSTMState]):
    """LSTM: a cell state c, and three gates.   Hochreiter and Schmidhuber 1997.

    i, f, o = σ(W x + U h + b)  input, forget and output gate, each its own W, U, b
    g = tanh(W x + U h + b)     the candidate, what might be added
    c = f ⊙ c + i ⊙ g           the cell state
    h = o ⊙ tanh(c)             the hidden state
    The forget gate f is that of Gers, Schmidhuber and Cummins 2000; in 1997 it is 1.

    forget_bias  added to the forget gate's first b, so that it begins nearer to 1

    >>> h, c = LSTMCell(d=3, n=5)(torch.zeros(2, 3))
    >>> h.shape == c.shape == (2, 5)
    True
    """

    blocks = ("i", "f", "g", "o")

    def __init__(self, d: int, n: int, *, forget_bias: float = 1.0) -> None:
        super().__init__(d, n)
        with torch.no_grad():
            self.b[n : 2 * n] += forget_bias

    def step(self, x: Tensor, state: LSTMState) -> LSTMState:
        h, c = state
        i, f, g, o = (linear(x, self.W, self.b) + linear(h, self.U)).chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)  # (1), (2)
        return torch.sigmoid(o) * torch.tanh(c), c

    def begin(self, B: int, state: LSTMState | None = None) -> LSTMState:
        if state is None:
            return self.W.new_zeros(B, self.n), self.W.new_zeros(B, self.n)
        if isinstance(state, Tensor):
            raise ValueError(f"state is one tensor: expected (h, c), each ({B}, n)")
        h, c = state
        shapes(h=(h, f"{B} {self.n}"), c=(c, f"{B} {self.n}"))
        return h, c

    def where(self, real: Tensor, new: LSTMState, old: LSTMState) -> LSTMState:
        return torch.where(real, new[0], old[0]), torch.where(real, new[1], old[1])


class GRUCell(Cell[Tensor]):
    """GRU: a gate mixes the old state with a candidate.   Cho et al. 2014.

    r, z = σ(W x + U h + b)        reset and update; each has its own W, U, b
    h̃ = tanh(W x + U (r ⊙ h) + b)  the candidate, what might replace h
    h = z ⊙ h + (1 - z) ⊙ h̃

    >>> h = GRUCell(d=3, n=5)(torch.zeros(2, 3))  # a step of two sequences
    >>> h.shape
    torch.Size([2, 5])
    """

    blocks = ("r", "z", "h̃")

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        x_r, x_z, x_h = linear(x, self.W, self.b).chunk(3, dim=-1)
        U_r, U_z, U_h = self.U.chunk(3)
        r = torch.sigmoid(x_r + linear(h, U_r))  # (3)
        z = torch.sigmoid(x_z + linear(h, U_z))
        new = torch.tanh(x_h + linear(r * h, U_h))
        return z * h + (1 - z) * new  # (4)


class ResetAfterGRUCell(GRUCell):
    """The GRU of torch.nn and cuDNN: h̃ = tanh(W x + b + r ⊙ (U h + b_h)).

    The reset gate acts after the product, so that all products U h are one. It is
    another function than `GRUCell`.

    b_h (n,)  is added to U h
    """

    def __init__(self, d: int, n: int) -> None:
        super().__init__(d, n)
        bound = 1 / math.sqrt(n)
        self.b_h = nn.Parameter(torch.empty(n).uniform_(-bound, bound))

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        x_r, x_z, x_h = linear(x, self.W, self.b).chunk(3, dim=-1)
        h_r, h_z, h_h = linear(h, self.U).chunk(3, dim=-1)
        r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        new = torch.tanh(x_h + r * (h_h + self.b_h))
        return z * h + (1 - z) * new


CELLS: dict[str, type[Cell[Any]]] = {"rnn": RNNCell, "lstm": LSTMCell, "gru": GRUCell}
