"""LSTM and GRU: cells whose gates decide what is kept.

`LSTMCell` and `GRUCell` go wherever `RNNCell` went: into `unroll` and `RecurrentLM`.

Sizes: d of an input, n of a state.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.checks import shapes
from lookback.recurrent import Cell, RNNCell, State

__all__ = ["CELLS", "GRUCell", "LSTMCell"]


class LSTMCell(Cell):
    """A state that is added to, and gates that say when.   Hochreiter–Schmidhuber 1997

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

    def step(self, read: Tensor, state: State) -> State:
        h, c = state
        i, f, g, o = (read + linear(h, self.U)).chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c

    def begin(self, B: int, state: State | None = None) -> State:
        if state is None:
            return self.W.new_zeros(B, self.n), self.W.new_zeros(B, self.n)
        if isinstance(state, Tensor):
            raise ValueError(f"state is one tensor: expected (h, c), each ({B}, n)")
        h, c = state
        shapes(h=(h, f"{B} {self.n}"), c=(c, f"{B} {self.n}"))
        return state


class GRUCell(Cell):
    """A mixture of the old state and a new one, by a gate.   Cho et al. 2014.

    r, z = σ(W x + U h + b)        reset and update; each has its own W, U, b
    h̃ = tanh(W x + U (r ⊙ h) + b)  the candidate, what might replace h
    h = z ⊙ h + (1 - z) ⊙ h̃

    reset_after  True: h̃ = tanh(W x + b + r ⊙ (U h + b_h)), the order of cuDNN and so
                 of torch.nn.GRU: all products U h in one, but another function

    >>> h = GRUCell(d=3, n=5)(torch.zeros(2, 3))  # a step of two sequences
    >>> h.shape
    torch.Size([2, 5])
    """

    blocks = ("r", "z", "h̃")

    def __init__(self, d: int, n: int, *, reset_after: bool = False) -> None:
        super().__init__(d, n)
        self.reset_after = reset_after
        if reset_after:
            bound = 1 / math.sqrt(n)
            self.b_h = nn.Parameter(torch.empty(n).uniform_(-bound, bound))

    def step(self, read: Tensor, state: State) -> State:
        h = state
        assert isinstance(h, Tensor)
        gates, rest = 2 * self.n, self.U[2 * self.n :]
        scores = read[:, :gates] + linear(h, self.U[:gates])
        r, z = scores.sigmoid().chunk(2, dim=-1)
        past = (
            r * linear(h, rest, self.b_h) if self.reset_after else linear(r * h, rest)
        )
        return z * h + (1 - z) * torch.tanh(read[:, gates:] + past)


CELLS: dict[str, type[Cell]] = {"rnn": RNNCell, "lstm": LSTMCell, "gru": GRUCell}
