"""Recurrent networks: a state that is carried from word to word.

A cell computes the state after a word from the state before it and the word's vector.
`RNNCell` is Elman's; those with gates are in `lookback.lstm`. `unroll` runs a cell over
sentences, and `RecurrentLM` predicts each next word from the state.
The numbers of equations are those of the chapter.

Sizes: d of an input, n of a state, V of the vocabulary.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.checks import ids, may_attend, shapes, share, whole

__all__ = [
    "Cell",
    "CellState",
    "RNNCell",
    "RecurrentLM",
    "hidden",
    "jacobian_norms",
    "unroll",
]

CellState: TypeAlias = Tensor | tuple[Tensor, Tensor]
"""h (B, n), the hidden state; of an LSTM (h, c), c (B, n) being the cell state."""
S = TypeVar("S", Tensor, tuple[Tensor, Tensor])


class Cell(nn.Module, ABC, Generic[S]):
    """A recurrent cell: cell(x, state) → the state after x.

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

    def forward(self, x: Tensor, state: S | None = None) -> S:
        """x (B, d) and the state before it → the state after it.

        state  without one: zeros
        Raises `ValueError` where a shape is not (B, d), or (B, n) of the same B.
        """
        shapes(x=(x, f"B {self.d}"))
        return self.step(x, self.begin(len(x), state))

    @abstractmethod
    def step(self, x: Tensor, state: S) -> S:
        """The equations: x (B, d), state (B, n) → the state after x."""

    def begin(self, B: int, state: S | None = None) -> S:
        """The state before the first step: this one; without one, zeros."""
        if state is None:
            return self.W.new_zeros(B, self.n)  # type: ignore[return-value]
        if not isinstance(state, Tensor):
            raise ValueError(f"state is {len(state)} tensors: expected one, ({B}, n)")
        shapes(state=(state, f"{B} {self.n}"))
        return state

    def where(self, real: Tensor, new: S, old: S) -> S:
        """The new state where `real` (B, 1) is True, the old one elsewhere."""
        return torch.where(real, new, old)  # type: ignore[call-overload, no-any-return]


class RNNCell(Cell[Tensor]):
    """h_t = tanh(W x_t + U h_{t-1} + b).   Elman 1990, whose units are logistic.

    >>> cell = RNNCell(d=3, n=5)
    >>> h = cell(torch.zeros(2, 3))  # the first step of two sequences
    >>> cell(torch.zeros(2, 3), h).shape
    torch.Size([2, 5])
    """

    blocks = ("h",)

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        return torch.tanh(linear(x, self.W, self.b) + linear(h, self.U))  # (1)


def unroll(
    cell: Cell[S], x: Tensor, mask: Tensor | None = None, state: S | None = None
) -> list[S]:
    """The states of a cell that reads x (B, T, d): states[t] is after x[:, t].

    mask   (B, T)  bool, True on words and False on padding. Padding changes no state,
                   so that states[-1] is the last of every sequence
    state  before the first step; without one: zeros
    Raises `ValueError` for shapes that do not fit, and for sequences without a step.
    """
    shapes(x=(x, f"B T {cell.d}"), mask=(mask, "B T"))
    if mask is not None:
        may_attend(mask, x[..., 0])
    state = cell.begin(len(x), state)
    states: list[S] = []
    for t, x_t in enumerate(x.unbind(dim=1)):  # x_t (B, d)
        new = cell.step(x_t, state)  # h (B, n)
        state = new if mask is None else cell.where(mask[:, t, None], new, state)
        states.append(state)
    return states


def hidden(states: list[S]) -> Tensor:
    """The hidden states h of T states, as one tensor (B, T, n)."""
    return torch.stack([s if isinstance(s, Tensor) else s[0] for s in states], dim=1)


class RecurrentLM(nn.Module):
    """P(w_{t+1} | w_1 … w_t) = softmax(A h_t + a), h_t = cell(C(w_t), h_{t-1}).

    C (V, m)  a vector for each word;  A (V, n), a (V,)  from the state to scores
    cell      the class of the cell, which has a state of n
    dropout   the share of a word's vector, and of what is read off the state, that is
              left out in training

    >>> model = RecurrentLM(V=10, m=3, n=5)
    >>> logits, states = model(torch.tensor([[1, 4, 4, 2]]))
    >>> logits.shape  # one sentence, four words, a score for each of ten next words
    torch.Size([1, 4, 10])
    """

    def __init__(
        self,
        V: int,
        m: int,
        n: int,
        cell: Callable[[int, int], Cell[Any]] = RNNCell,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        whole(V=V, m=m, n=n)
        share(dropout=dropout)
        self.V = V
        self.C = nn.Embedding(V, m)
        self.cell = cell(m, n)
        self.out = nn.Linear(n, V)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, words: Tensor, mask: Tensor | None = None, state: CellState | None = None
    ) -> tuple[Tensor, list[CellState]]:
        """words (B, T) ids, from <s> on → logits (B, T, V); the T states.

        logits[:, t] score the word at t + 1. mask and state are those of `unroll`.
        Raises `ValueError` for ids that are no words, and as `unroll` does.
        """
        shapes(words=(words, "B T"))
        ids(self.V, words=words)
        states = unroll(self.cell, self.dropout(self.C(words)), mask, state)
        return self.out(self.dropout(hidden(states))), states


def jacobian_norms(cell: Cell[Any], x: Tensor, *, part: int = 0) -> Tensor:
    """‖∂h_T / ∂h_t‖, t = 1 … T: how much the last state depends on each one.

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
    wide = together.to(torch.promote_types(x.dtype, torch.float32))  # as svdvals needs
    return torch.linalg.svdvals(wide)[:, 0]  # type: ignore[no-any-return]
