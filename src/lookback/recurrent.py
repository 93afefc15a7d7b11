"""Remembering: a state that is carried from word to word.

A cell makes the state after a word from the state before it and the word's vector:
`RNNCell`, `LSTMCell`, `GRUCell`. `unroll` runs one over sentences. `RecurrentLM`
predicts each next word from the state.

Sizes: d of an input, n of a state, V of the vocabulary.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.checks import ids, may_attend, one_of, shapes, share, whole

__all__ = [
    "CELLS",
    "Cell",
    "GRUCell",
    "LSTMCell",
    "RNNCell",
    "RecurrentConfig",
    "RecurrentLM",
    "State",
    "hidden",
    "jacobian_norms",
    "unroll",
]

State: TypeAlias = Tensor | tuple[Tensor, Tensor]
"""h (B, n), the hidden state; of an LSTM (h, c), c (B, n) being the cell state."""


class Cell(nn.Module, ABC):
    """cell(x, state) → state.

    W (k n, d)  reads the input, U (k n, n) the hidden state, b (k n,) is added; the
                k blocks of n rows are the parts named in `blocks`, in that order
    All begin uniform between ±1/√n, as in torch.nn.
    """

    blocks: ClassVar[tuple[str, ...]]

    def __init__(self, d: int, n: int) -> None:
        super().__init__()
        whole(d=d, n=n)
        self.d, self.n = d, n
        rows, bound = len(self.blocks) * n, 1 / math.sqrt(n)
        self.W = nn.Parameter(torch.empty(rows, d).uniform_(-bound, bound))
        self.U = nn.Parameter(torch.empty(rows, n).uniform_(-bound, bound))
        self.b = nn.Parameter(torch.empty(rows).uniform_(-bound, bound))

    def forward(self, x: Tensor, state: State | None = None) -> State:
        """One step: x (B, d) and the state before it → the state after it.

        state  without one: zeros
        Raises `ValueError` where a shape is not (B, d), or (B, n) of the same B.
        """
        shapes(x=(x, f"B {self.d}"))
        return self.step(self.read(x), self.begin(x.size(0), state))

    def read(self, x: Tensor) -> Tensor:
        """W x + b: x (…, d) → (…, k n). It needs no state: one call for all steps."""
        return linear(x, self.W, self.b)

    @abstractmethod
    def step(self, read: Tensor, state: State) -> State:
        """The state after an input that `read` has read: (B, k n), state (B, n)."""

    def begin(self, B: int, state: State | None = None) -> State:
        """This state, if its shape is right; without one, zeros."""
        if state is None:
            return self.W.new_zeros(B, self.n)
        if not isinstance(state, Tensor):
            raise ValueError(f"state is {len(state)} tensors: expected one, ({B}, n)")
        shapes(state=(state, f"{B} {self.n}"))
        return state


class RNNCell(Cell):
    """h_t = tanh(W x_t + U h_{t-1} + b).   Elman 1990, with tanh for his logistic.

    >>> cell = RNNCell(d=3, n=5)
    >>> h = cell(torch.zeros(2, 3))  # the first step of two sequences
    >>> cell(torch.zeros(2, 3), h).shape
    torch.Size([2, 5])
    """

    blocks = ("h",)

    def step(self, read: Tensor, state: State) -> State:
        assert isinstance(state, Tensor)
        return torch.tanh(read + linear(state, self.U))


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

    >>> states = unroll(GRUCell(d=3, n=5), torch.zeros(2, 7, 3))  # 7 steps
    >>> hidden(states).shape
    torch.Size([2, 7, 5])
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


def unroll(
    cell: Cell, x: Tensor, mask: Tensor | None = None, state: State | None = None
) -> list[State]:
    """The T states of a cell that reads x: states[t] is the one after x[:, t].

    x      (B, T, d)
    mask   (B, T)  bool, True on words and False on padding. Padding changes no state,
                   so that states[-1] is the last of every sequence
    state  before the first step; without one: zeros
    Raises `ValueError` for shapes that do not fit, and for sequences without a step.
    """
    shapes(x=(x, f"B T {cell.d}"), mask=(mask, "B T"))
    if mask is not None:
        may_attend(mask, x[..., 0])
    state, states = cell.begin(x.size(0), state), list[State]()
    for t, read in enumerate(cell.read(x).unbind(dim=1)):  # (B, T, k n) → T × (B, k n)
        new = cell.step(read, state)
        state = new if mask is None else _where(mask[:, t, None], new, state)
        states.append(state)
    return states


def hidden(states: list[State]) -> Tensor:
    """The hidden states h of T states, as one tensor (B, T, n)."""
    return torch.stack([s if isinstance(s, Tensor) else s[0] for s in states], dim=1)


def _where(real: Tensor, new: State, old: State) -> State:
    """The new state where `real` (B, 1) is True, the old one elsewhere."""
    if isinstance(new, Tensor):
        assert isinstance(old, Tensor)
        return torch.where(real, new, old)
    return torch.where(real, new[0], old[0]), torch.where(real, new[1], old[1])


@dataclass(frozen=True)
class RecurrentConfig:
    """The sizes of a recurrent language model.

    cell     one of CELLS: "rnn", "lstm" or "gru"
    m        of a word's vector
    n        of the state
    dropout  the share of a word's vector, and of what is read off the state, that is
             left out in training
    """

    cell: str
    m: int
    n: int
    dropout: float = 0.0

    def __post_init__(self) -> None:
        one_of(CELLS, cell=self.cell)
        whole(m=self.m, n=self.n)
        share(dropout=self.dropout)


class RecurrentLM(nn.Module):
    """P(w_{t+1} | w_1 … w_t) = softmax(A h_t + a), h_t = cell(C(w_t), h_{t-1}).

    C (V, m)  a vector for each word;  A (V, n), a (V,)  from the state to scores

    >>> model = RecurrentLM(RecurrentConfig("lstm", m=3, n=5), V=10)
    >>> logits, states = model(torch.tensor([[1, 4, 4, 2]]))
    >>> logits.shape  # one sentence, four words, a score for each of ten next words
    torch.Size([1, 4, 10])
    """

    def __init__(self, config: RecurrentConfig, V: int) -> None:
        super().__init__()
        self.config, self.V = config, V
        self.C = nn.Embedding(V, config.m)
        self.cell = CELLS[config.cell](config.m, config.n)
        self.out = nn.Linear(config.n, V)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, words: Tensor, mask: Tensor | None = None, state: State | None = None
    ) -> tuple[Tensor, list[State]]:
        """words (B, T), ids that begin with <s> → logits (B, T, V); the T states.

        logits[:, t] score the word at t + 1. mask and state are those of `unroll`.
        Raises `ValueError` for ids that are no words, and as `unroll` does.
        """
        shapes(words=(words, "B T"))
        ids(self.V, words=words)
        states = unroll(self.cell, self.dropout(self.C(words)), mask, state)
        return self.out(self.dropout(hidden(states))), states


def jacobian_norms(cell: Cell, x: Tensor, *, part: int = 0) -> Tensor:
    """‖∂h_T / ∂h_t‖ for t = 1 … T: how much the last state depends on each state.

    x     (T, d)  one sequence
    part  of an LSTM's state: 0 for h, c being constant; 1 for c, with which h changes
    →  (T,), spectral norms of Jacobians (n, n): by how much a small change can grow
    """
    states = unroll(cell, x.unsqueeze(0))
    parts = [s if isinstance(s, Tensor) else s[part] for s in states]
    each = torch.eye(cell.n, dtype=x.dtype, device=x.device)
    jacobians = torch.autograd.grad(  # a row for each unit of the last state
        parts[-1][0], parts, grad_outputs=each, is_grads_batched=True
    )
    # T × (n, 1, n) → (T, n, n)
    together = torch.cat(jacobians, dim=1).transpose(0, 1)
    singular: Tensor = torch.linalg.svdvals(together)
    return singular[:, 0]
