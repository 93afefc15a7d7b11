"""A step of an LSTM cell."""

import torch
from torch import Tensor

from .judge import Case, Exercise, numbers

T = Tensor
Result = tuple[Tensor, Tensor]


def lstm_step(x: T, h: T, c: T, W: T, U: T, b: T) -> Result:
    """i, f, g, o = the four blocks of W x + U h + b, in that order, for each row of x

    c' = σ(f) ⊙ c + σ(i) ⊙ tanh(g),   h' = σ(o) ⊙ tanh(c')

    x (B, d);  h, c (B, n): the state before;  W (4 n, d), U (4 n, n), b (4 n,)
    →  h' (B, n), c' (B, n)
    """
    i, f, g, o = (x @ W.T + h @ U.T + b).chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def other_order(x: T, h: T, c: T, W: T, U: T, b: T) -> Result:
    """the blocks are read in the order i, f, o, g: here they are i, f, g, o"""
    i, f, o, g = (x @ W.T + h @ U.T + b).chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gates_exchanged(x: T, h: T, c: T, W: T, U: T, b: T) -> Result:
    """input and forget gate are exchanged: f keeps the old c, i lets in the new"""
    f, i, g, o = (x @ W.T + h @ U.T + b).chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def open_candidate(x: T, h: T, c: T, W: T, U: T, b: T) -> Result:
    """the candidate g goes through σ: it goes through tanh, so that it may take away"""
    i, f, g, o = (x @ W.T + h @ U.T + b).sigmoid().chunk(4, dim=1)
    c = f * c + i * g
    return o * c.tanh(), c


def four_gates(x: T, h: T, c: T, W: T, U: T, b: T) -> Result:
    """all four blocks go through σ, and g through tanh after it: g has tanh alone"""
    i, f, g, o = (x @ W.T + h @ U.T + b).sigmoid().chunk(4, dim=1)
    c = f * c + i * g.tanh()
    return o * c.tanh(), c


def bare_state(x: T, h: T, c: T, W: T, U: T, b: T) -> Result:
    """h' is σ(o) ⊙ c': the tanh of c' is missing"""
    _, c = lstm_step(x, h, c, W, U, b)
    return (x @ W.T + h @ U.T + b).chunk(4, dim=1)[3].sigmoid() * c, c


def old_state(x: T, h: T, c: T, W: T, U: T, b: T) -> Result:
    """h' is made of the old c: it is made of the new one"""
    o = (x @ W.T + h @ U.T + b).chunk(4, dim=1)[3]
    return o.sigmoid() * c.tanh(), lstm_step(x, h, c, W, U, b)[1]


def all_forgotten(x: T, h: T, c: T, W: T, U: T, b: T) -> Result:
    """the old c is not added: σ(f) ⊙ c is missing"""
    return lstm_step(x, h, torch.zeros_like(c), W, U, b)


def all_kept(x: T, h: T, c: T, W: T, U: T, b: T) -> Result:
    """all of the old c is kept, as in 1997: σ(f) is missing"""
    i, _, g, o = (x @ W.T + h @ U.T + b).chunk(4, dim=1)
    c = c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def states_exchanged(x: T, h: T, c: T, W: T, U: T, b: T) -> Result:
    """c' is returned first: h' comes first"""
    h, c = lstm_step(x, h, c, W, U, b)
    return c, h


def cases() -> list[Case]:
    sizes = (3, 2), (3, 4), (3, 4), (16, 2), (16, 4), (16,)
    arguments = numbers(*sizes)
    one = [[1.0]], [[0.5]], [[-2.0]], [[1.0], [2], [3], [0]], [[0.0], [0], [2], [1]]
    bias = torch.tensor([0.0, 1, 0, -1])
    return [
        Case("one unit", (*map(torch.tensor, one), bias)),
        Case("random numbers", arguments),
    ]


EXERCISE = Exercise(
    lstm_step,
    ("h'", "c'"),
    cases,
    [other_order, gates_exchanged, open_candidate, four_gates, bare_state, old_state,
     all_forgotten, all_kept, states_exchanged],
    gradients=("x", "h", "c", "W", "U", "b"),
)  # fmt: skip
