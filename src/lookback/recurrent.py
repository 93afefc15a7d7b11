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
        for name, size in (("d", d), ("n", n)):
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                raise ValueError(f"{name} must be a whole number ≥ 1, got {size!r}")
        self.d, self.n = d, n
        rows, bound = len(self.blocks) * n, 1 / math.sqrt(n)
        self.W = nn.Parameter(torch.empty(rows, d).uniform_(-bound, bound))
        self.U = nn.Parameter(torch.empty(rows, n).uniform_(-bound, bound))
        self.b = nn.Parameter(torch.empty(rows).uniform_(-bound, bound))

    def forward(self, x: Tensor, state: State | None = None) -> State:
        """One step: x (B, d) and the state before it → the state behind it.

        state  without one: zeros
        Raises `ValueError` where a shape is not (B, d), or (B, n) of the same B.
        """
        if x.dim() != 2 or x.size(1) != self.d:
            raise ValueError(f"x has shape {tuple(x.shape)}: expected (B, {self.d})")
        return self.step(self.read(x), self.begin(x.size(0), state))

    def read(self, x: Tensor) -> Tensor:
        """W x + b: x (…, d) → (…, k n). It knows no state: do all steps at once."""
        return linear(x, self.W, self.b)

    @abstractmethod
    def step(self, read: Tensor, state: State) -> State:
        """The state behind an input that was read: read (B, k n), state (B, n)."""

    def begin(self, B: int, state: State | None = None) -> State:
        """The state that was given, if its shape is right; without one, zeros."""
        if state is None:
            return self.W.new_zeros(B, self.n)
        if isinstance(state, Tensor):
            self._check("state", state, B)
            return state
        raise ValueError(
            f"{type(self).__name__}'s state is one tensor, ({B}, {self.n}), got "
            f"{_told(state)}"
        )

    def _check(self, name: str, part: Tensor, B: int) -> None:
        if part.shape != (B, self.n):
            raise ValueError(
                f"{name} has shape {tuple(part.shape)}: expected ({B}, {self.n}), "
                f"for {B} sequences and a state of size {self.n}"
            )


class RNNCell(Cell):
    """h_t = tanh(W x_t + U h_{t-1} + b).   Elman 1990, with tanh for his logistic."""

    blocks = ("h",)

    def step(self, read: Tensor, state: State) -> State:
        assert isinstance(state, Tensor)
        return torch.tanh(read + linear(state, self.U))


class LSTMCell(Cell):
    """A state that is added to, and gates that say when.   Hochreiter–Schmidhuber 1997

    i, f, o = σ(W x + U h + b)  gates: let in, keep, show; each has its own W, U, b
    g = tanh(W x + U h + b)     what might be let in
    c = f ⊙ c + i ⊙ g           the cell state
    h = o ⊙ tanh(c)             the hidden state
    The forget gate f is that of Gers, Schmidhuber and Cummins 2000; in 1997 it is 1.

    forget_bias  added to the forget gate's first b, so that it begins nearer to 1
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
        if isinstance(state, Tensor) or len(state) != 2:
            raise ValueError(
                f"an LSTM's state is a pair (h, c), each ({B}, {self.n}), got "
                f"{_told(state)}"
            )
        for name, part in zip("hc", state, strict=True):
            self._check(name, part, B)
        return state


class GRUCell(Cell):
    """A state that is partly kept, partly replaced.   Cho et al. 2014.

    r, z = σ(W x + U h + b)        reset and update; each has its own W, U, b
    h̃ = tanh(W x + U (r ⊙ h) + b)  what might replace h
    h = z ⊙ h + (1 - z) ⊙ h̃

    reset_after  True: h̃ = tanh(W x + b + r ⊙ (U h + b_h)), the order of cuDNN and so
                 of torch.nn.GRU: all products U h in one, but another function
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
    """The T states of a cell that reads x: states[t] is the one behind x[:, t].

    x      (B, T, d)
    mask   (B, T)  bool, True where something stands. Where it is False the state stays
                   as it was, so that states[-1] is the last of every sequence
    state  before the first step; without one: zeros
    Raises `ValueError` for shapes that do not fit, and for sequences without a step.
    """
    if x.dim() != 3 or x.size(2) != cell.d or not x.size(1):
        raise ValueError(
            f"x has shape {tuple(x.shape)}: expected (B, T, {cell.d}), T ≥ 1"
        )
    if mask is not None:
        _check_mask(mask, x)
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


def _check_mask(mask: Tensor, x: Tensor) -> None:
    if mask.dtype != torch.bool or mask.shape != x.shape[:2]:
        raise ValueError(
            f"mask is {mask.dtype} of shape {tuple(mask.shape)}: expected torch.bool "
            f"of shape {tuple(x.shape[:2])}, as x has"
        )
    if not bool(mask.any(dim=1).all()):
        empty = (~mask.any(dim=1)).nonzero().flatten().tolist()
        raise ValueError(f"sequences {empty} are empty: expected at least one step")


def _told(state: object) -> str:
    if isinstance(state, Tensor):
        return f"a tensor of shape {tuple(state.shape)}"
    return f"{type(state).__name__} of {len(state) if hasattr(state, '__len__') else 1}"


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
        if self.cell not in CELLS:
            raise ValueError(f"cell must be one of {[*CELLS]}, got {self.cell!r}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be ≥ 0 and < 1, got {self.dropout!r}")


class RecurrentLM(nn.Module):
    """P(w_{t+1} | w_1 … w_t) = softmax(A h_t + a), h_t = cell(C(w_t), h_{t-1}).

    C (V, m)  a vector for each word;  A (V, n), a (V,)  from the state to scores
    """

    def __init__(self, config: RecurrentConfig, V: int) -> None:
        super().__init__()
        self.config, self.V = config, V
        self.C = nn.Embedding(V, config.m)
        self.cell = CELLS[config.cell](config.m, config.n)
        self.out = nn.Linear(config.n, V)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, ids: Tensor, mask: Tensor | None = None, state: State | None = None
    ) -> tuple[Tensor, list[State]]:
        """ids (B, T), which begin with <s> → logits (B, T, V); the T states.

        logits[:, t] score what stands at t + 1. mask and state are those of `unroll`.
        Raises `ValueError` for ids that are no words, and as `unroll` does.
        """
        if ids.dim() != 2 or not ids.numel():
            raise ValueError(
                f"ids have shape {tuple(ids.shape)}: expected (B, T), B and T ≥ 1"
            )
        least, most = int(ids.min()), int(ids.max())
        if least < 0 or most >= self.V:
            raise ValueError(
                f"ids go from {least} to {most}: expected words of the vocabulary, "
                f"0 to {self.V - 1}"
            )
        states = unroll(self.cell, self.dropout(self.C(ids)), mask, state)
        return self.out(self.dropout(hidden(states))), states


def remembered(cell: Cell, x: Tensor, *, part: int = 0) -> Tensor:
    """‖∂h_T / ∂h_t‖ for t = 1 … T: how much the last state depends on each state.

    x     (T, d)  one sequence
    part  of an LSTM's state: 0 for h, c being held; 1 for c, with which h moves
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
