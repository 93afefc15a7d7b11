"""Multiplicative attention: the score of two states is their product.

`LuongAttention` is the core: it compares the decoder's state with every state of the
encoder, by one of three scores. `LuongTranslator` puts it on top of stacked LSTMs, with
input feeding. `LocationAttention` and `LocalAttention` are the paper's other forms.
Luong, Pham and Manning 2015; equations are numbered as in the last version on arXiv.

Sizes: B sentences of S source and T target words, m of a word's vector, n of a state.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from lookback.bahdanau import reading_mask
from lookback.checks import one_of, shapes, share, whole
from lookback.encdec import check_source, check_target
from lookback.lstm import CELLS
from lookback.masking import masked_softmax
from lookback.recurrent import Cell, CellState, hidden, unroll

__all__ = [
    "DIRECTIONS",
    "SCORES",
    "LocalAttention",
    "LocationAttention",
    "LuongAttention",
    "LuongConfig",
    "LuongTranslator",
    "Memory",
    "State",
]

SCORES = ("dot", "general", "concat")
DIRECTIONS = {
    "left-to-right": ("left",),
    "right-to-left": ("right",),
    "both": ("left", "right"),
}
"""In which directions an encoder may read, and from which sides that is."""


class Memory(NamedTuple):
    """The source, as attention reads it.

    states (B, S, n)  h̄_s, the states of the encoder's top layer
    keys   (B, S, n)  what h_t is compared with: made of the states, once per sentence
    mask   (B, S)     bool, True on what may be attended to; padding comes last
    """

    states: Tensor
    keys: Tensor
    mask: Tensor


# --- the core: global attention -------------------------------------------------------


class LuongAttention(nn.Module):
    """c_t = Σ_s a_t(s) h̄_s, a_t = softmax over s of score(h_t, h̄_s).   Equation 7

    score
      dot       h_tᵀ h̄_s
      general   h_tᵀ W_a h̄_s
      concat    v_aᵀ tanh(W_a [h_t; h̄_s])

    >>> attention, states = LuongAttention(2, "dot"), 9 * torch.eye(2).unsqueeze(0)
    >>> memory = attention.project(states, torch.tensor([[True, True]]))
    >>> context, weights = attention(torch.tensor([[[0.0, 1.0]]]), memory)
    >>> weights
    tensor([[[1.2339e-04, 9.9988e-01]]])
    """

    def __init__(self, n: int, score: str) -> None:
        super().__init__()
        whole(n=n)
        one_of(SCORES, score=score)
        self.n, self.score = n, score
        if score != "dot":
            self.W_a = nn.Linear(n, n, bias=False)  # of concat the half for h̄_s
        if score == "concat":
            self.W_h = nn.Linear(n, n, bias=False)  # the half for h_t
            self.v_a = nn.Linear(n, 1, bias=False)

    def project(self, states: Tensor, mask: Tensor) -> Memory:
        """states (B, S, n), mask (B, S) → all that depends on no h_t."""
        return Memory(states, states if self.score == "dot" else self.W_a(states), mask)

    def scores(self, h: Tensor, keys: Tensor) -> Tensor:
        """h (B, T, n), keys (B, S, n) → score(h_t, h̄_s): (B, T, S)."""
        if self.score != "concat":
            wide = torch.promote_types(h.dtype, torch.float32)  # products overflow half
            return h.to(wide) @ keys.to(wide).transpose(1, 2)
        both = self.W_h(h).unsqueeze(2) + keys.unsqueeze(1)  # (B, T, S, n)
        return self.v_a(torch.tanh(both)).squeeze(3)  # type: ignore[no-any-return]

    def weights(self, h: Tensor, memory: Memory, t: Tensor | None) -> Tensor:
        """a_t(s), over all words of the source: (B, T, S)."""
        scores, mask = self.scores(h, memory.keys), memory.mask.unsqueeze(1)
        return masked_softmax(scores, mask)  # (7)

    def forward(
        self, h: Tensor, memory: Memory, t: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The contexts of T states of the decoder.

        h (B, T, n)  states of the decoder
        t (B, T)     which target word each is about to predict, counting from 1, for
                     local attention; without it: 1 … T
        →  context (B, T, n); weights (B, T, S). A row sums to 1, of local-p to less
        Raises `ValueError` for sizes that differ and for sources without a word.
        """
        states = memory.states
        shapes(
            h=(h, "B T n"),
            states=(states, "B S n"),
            mask=(memory.mask, "B S"),
            t=(t, "B T"),
        )
        weights = self.weights(h, memory, t).to(states)
        return weights @ states, weights


# --- the translator ------------------------------------------------------------------


@dataclass(frozen=True)
class LuongConfig:
    """The sizes of a translator; the paper's: m 1000, n 1000, 4 layers.

    m              of a word's vector, on either side
    n              of every state
    layers         how many LSTMs are stacked, on either side
    score          one of SCORES
    input_feeding  is h̃ of the last step part of the input of the next? (section 3.3)
    dropout        the share of a word's vector, and of h̃ on its way to the softmax,
                   that is left out in training

    The paper has one encoder of LSTMs, which reads the source reversed. Other choices:
    directions     one of DIRECTIONS; with both, each gives one half of every state
    cell           one of lookback.lstm's CELLS
    """

    m: int
    n: int
    layers: int = 1
    score: str = "dot"
    input_feeding: bool = True
    directions: str = "right-to-left"
    cell: str = "lstm"
    dropout: float = 0.0

    def __post_init__(self) -> None:
        whole(m=self.m, n=self.n, layers=self.layers)
        one_of(SCORES, score=self.score)
        one_of(DIRECTIONS, directions=self.directions)
        one_of(CELLS, cell=self.cell)
        share(dropout=self.dropout)
        if self.directions == "both" and self.n % 2:
            raise ValueError(f"n must be even to read in both directions, got {self.n}")


class Stack(nn.ModuleList):
    """Stacked cells: each layer reads the hidden states of the layer below."""

    def __init__(self, kind: type[Cell[Any]], d: int, n: int, layers: int) -> None:
        super().__init__(kind(size, n) for size in (d, *[n] * (layers - 1)))

    def cells(self) -> list[Cell[Any]]:
        """The lowest first."""
        return [cell for cell in self if isinstance(cell, Cell)]

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        before: tuple[CellState | None, ...] | None = None,
    ) -> tuple[Tensor, tuple[CellState, ...]]:
        """x (B, T, d), mask (B, T) → h of the top (B, T, n); the last state of each.

        before  the state in which each layer begins; without: zeros
        """
        last = []
        for cell, state in zip(self.cells(), before or [None] * len(self), strict=True):
            states = unroll(cell, x, mask, state)
            last.append(states[-1])
            x = hidden(states)
        return x, tuple(last)


class Encoder(nn.Module):
    """A stack that reads the source in one direction, or two that read it in both."""

    def __init__(self, config: LuongConfig) -> None:
        super().__init__()
        sides = DIRECTIONS[config.directions]
        kind, n = CELLS[config.cell], config.n // len(sides)
        self.sides = nn.ModuleDict(
            {side: Stack(kind, config.m, n, config.layers) for side in sides}
        )

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, tuple[CellState, ...]]:
        """x (B, S, m), mask (B, S) → h̄ (B, S, n), one per word; the last states."""
        tops, ends = [], []
        for side, stack in self.sides.items():
            axes = [1] * (side == "right")
            # Reversed, padding comes first: until the last word h stays 0.
            top, last = stack(x.flip(axes), mask.flip(axes))
            tops.append(top.flip(axes))
            ends.append(last)
        return torch.cat(tops, dim=-1), tuple(map(concatenated, *ends))


def concatenated(*states: Any) -> CellState:
    """The states of one layer, one from each side, as one state."""
    if isinstance(states[0], Tensor):
        return torch.cat(states, dim=-1)
    h, c = (torch.cat(parts, dim=-1) for parts in zip(*states, strict=True))
    return h, c


class State(NamedTuple):
    """The state of the decoder after t words.

    cells    the state of each layer, the lowest first
    h_tilde  (B, n)  h̃ of the last step; before the first: 0
    t        (B,)    how many words were read
    memory           what can be attended to
    weights  (B, S)  the attention weights of the last step; before the first: 0
    """

    cells: tuple[CellState, ...]
    h_tilde: Tensor
    t: Tensor
    memory: Memory
    weights: Tensor


class LuongTranslator(nn.Module):
    """P(y_t | y_<t, x) = softmax(W_s h̃_t), h̃_t = tanh(W_c [c_t; h_t]).   (5), (6)

    h_t is the state of the decoder's top layer. The decoder begins with the last states
    of the encoder; it reads the word y_{t-1} and, by input feeding, h̃_{t-1} (section
    3.3).

    >>> model = LuongTranslator(LuongConfig(m=4, n=6), 10, 12)
    >>> source, target = torch.tensor([[4, 7, 3]]), torch.tensor([[2, 5]])
    >>> logits, weights = model(source, torch.ones_like(source).bool(), target)
    >>> logits.shape, weights.shape
    (torch.Size([1, 2, 12]), torch.Size([1, 2, 3]))
    """

    def __init__(
        self, config: LuongConfig, source_vocab_size: int, target_vocab_size: int
    ) -> None:
        super().__init__()
        self.config = config
        m, n, kind = config.m, config.n, CELLS[config.cell]
        self.e_source = nn.Embedding(source_vocab_size, m)
        self.encoder = Encoder(config)
        self.e_target = nn.Embedding(target_vocab_size, m)
        self.decoder = Stack(kind, m + n * config.input_feeding, n, config.layers)
        self.attention = LuongAttention(n, config.score)
        self.W_c = nn.Linear(2 * n, n, bias=False)
        self.W_s = nn.Linear(n, target_vocab_size, bias=False)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, source: Tensor, mask: Tensor, target: Tensor
    ) -> tuple[Tensor, Tensor]:
        """source, mask (B, S); target (B, T), from <s> on: teacher forcing.

        →  logits (B, T, V), weights (B, T, S): row t is of the word after target t
        """
        logits, weights, _ = self.decode(target, self.start(source, mask))
        return logits, weights

    def start(self, source: Tensor, mask: Tensor) -> State:
        """Read source, mask (B, S): the state before the first target word."""
        check_source(source, mask, self.e_source.num_embeddings)
        x = self.dropout(self.e_source(source))
        top, cells = self.encoder(x, reading_mask(mask))
        h_tilde, t = torch.zeros_like(top[:, 0]), torch.zeros_like(source[:, 0])
        weights = torch.zeros_like(top[:, :, 0])
        return State(cells, h_tilde, t, self.attention.project(top, mask), weights)

    def step(self, token: Tensor, state: State) -> tuple[Tensor, State]:
        """token (B,), the last word → logits (B, V) of the next; the new state."""
        logits, _, state = self.decode(token.unsqueeze(1), state)
        return logits.squeeze(1), state

    def decode(self, target: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """target (B, T) → logits (B, T, V), weights (B, T, S), the state after it."""
        check_target(target, len(state.t), self.e_target.num_embeddings)
        attend = self.feed if self.config.input_feeding else self.attend
        h_tilde, weights, state = attend(self.dropout(self.e_target(target)), state)
        return self.W_s(self.dropout(h_tilde)), weights, state  # (6)

    def feed(self, y: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """Input feeding: each step reads its word and h̃ of the last.   Section 3.3

        y (B, T, m), vectors of the words → as `attend`
        """
        results = []
        for word in y.unbind(dim=1):  # T × (B, m)
            x = torch.cat([word, state.h_tilde], dim=-1)
            h_tilde, weights, state = self.attend(x.unsqueeze(1), state)
            results.append((h_tilde, weights))
        h_tilde, weights = (torch.cat(x, dim=1) for x in zip(*results, strict=True))
        return h_tilde, weights, state

    def attend(self, x: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """h_t → a_t → c_t → h̃_t for T steps: no attention waits for another.

        x (B, T, d), what the lowest cell reads → h̃ (B, T, n), weights (B, T, S), and
        the state after the last
        """
        h, cells = self.decoder(x, before=state.cells)
        t = state.t.unsqueeze(1) + torch.arange(1, h.size(1) + 1, device=h.device)
        c, weights = self.attention(h, state.memory, t)
        h_tilde = torch.tanh(self.W_c(torch.cat([c, h], dim=-1)))  # (5)
        last = h_tilde[:, -1], t[:, -1], state.memory, weights[:, -1]
        return h_tilde, weights, State(cells, *last)


# --- the paper's other forms: by location, and local ---------------------------------


class LocationAttention(LuongAttention):
    """a_t = softmax(W_a h_t), scores of positions, not of words.   Equation 8

    max_positions  how many of the first words have a row of W_a; later ones get 0
    """

    def __init__(self, n: int, max_positions: int) -> None:
        super().__init__(n, "dot")  # which has no parameters
        whole(max_positions=max_positions)
        self.score, self.W_a = "location", nn.Linear(n, max_positions, bias=False)

    def project(self, states: Tensor, mask: Tensor) -> Memory:
        """Nothing is computed of the states; later positions are hidden."""
        known = torch.arange(mask.size(1), device=mask.device) < self.W_a.out_features
        return Memory(states, states, mask & known)

    def scores(self, h: Tensor, keys: Tensor) -> Tensor:
        """Position s of W_a h_t: h (B, T, n), keys (B, S, n) → (B, T, S)."""
        scores, S = self.W_a(h), keys.size(1)  # (8): (B, T, max_positions)
        beyond = max(0, S - scores.size(2))
        return nn.functional.pad(scores[..., :S], (0, beyond))


class LocalAttention(LuongAttention):
    """Only positions s with |s - p_t| ≤ D are attended to.   Section 3.2

    scope
      local-m   p_t = t, monotonic alignment
      local-p   p_t = S σ(v_pᵀ tanh(W_p h_t)), predictive alignment (equation 9);
                weights are multiplied by exp(-(s - p_t)² / 2σ²), σ = D/2 (equation 10)
    """

    def __init__(self, n: int, score: str, scope: str, *, D: int) -> None:
        super().__init__(n, score)
        whole(D=D)
        one_of(("local-m", "local-p"), scope=scope)
        self.scope, self.D = scope, D
        if scope == "local-p":
            self.W_p = nn.Linear(n, n, bias=False)
            self.v_p = nn.Linear(n, 1, bias=False)

    def centre(self, h: Tensor, t: Tensor, mask: Tensor) -> Tensor:
        """p_t, the middle of the window, positions counting from 1: (B, T)."""
        S = reading_mask(mask).sum(dim=1, keepdim=True)  # (B, 1), each its own
        if self.scope == "local-m":
            return torch.minimum(t, S)
        p = self.v_p(torch.tanh(self.W_p(h))).squeeze(2).sigmoid()
        # (9): in half precision positions after 256 would be rounded
        return S.float() * p  # type: ignore[no-any-return]

    def weights(self, h: Tensor, memory: Memory, t: Tensor | None) -> Tensor:
        """a_t(s), 0 outside the window: (B, T, S)."""
        scores, mask = self.scores(h, memory.keys), memory.mask
        if t is None:
            t = torch.arange(1, h.size(1) + 1, device=h.device).expand(h.shape[:2])
        p = self.centre(h, t, mask).unsqueeze(2)  # (B, T, 1)
        away = torch.arange(1, scores.size(2) + 1, device=h.device) - p  # (B, T, S)
        weights = masked_softmax(scores, mask.unsqueeze(1) & (away.abs() <= self.D))
        if self.scope == "local-p":
            weights = weights * torch.exp(-(away**2) / (2 * (self.D / 2) ** 2))  # (10)
        return weights
