"""Aligning, made plainer: where to look is a product of two states.

`LuongAttention` compares the decoder's state with every state of the encoder, by one
of four scores, in the whole source or in a window of it. `LuongTranslator` puts it on
top of stacked LSTMs and tells each step what the last one found. Luong, Pham and
Manning 2015; equations are numbered as in the last version on arXiv.

Sizes: B sentences of S source and T target words, m of a word's vector, n of a state.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.bahdanau import masked_softmax
from lookback.encdec import check_source, check_target
from lookback.recurrent import CELLS, Cell, hidden, unroll
from lookback.recurrent import State as CellState

SCORES = ("dot", "general", "concat", "location")
WINDOWS = ("global", "local-m", "local-p")
READS = ("left", "right", "both")


class Memory(NamedTuple):
    """The source, as attention reads it.

    states (B, S, n)  h̄_s, the states on top of the encoder
    keys   (B, S, n)  what h_t is compared with: made of the states, once per sentence
    mask   (B, S)     bool, True on words; padding stands behind them
    """

    states: Tensor
    keys: Tensor
    mask: Tensor


class LuongAttention(nn.Module):
    """c_t = Σ_s a_t(s) h̄_s, a_t = softmax over s of score(h_t, h̄_s).   Equation 7

    score
      dot       h_tᵀ h̄_s
      general   h_tᵀ W_a h̄_s
      concat    v_aᵀ tanh(W_a [h_t; h̄_s])
      location  row s of W_a h_t, which looks at no word (equation 8)
    window
      global    all of the source
      local-m   the places s with |s - p_t| ≤ D, and p_t = t: straight on
      local-p   p_t = S σ(v_pᵀ tanh(W_p h_t)): predicted (equation 9); the weights are
                multiplied by exp(-(s - p_t)² / 2σ²), σ = D / 2 (equation 10)
    places      how many of the first words a location has a row for
    """

    def __init__(
        self, n: int, score: str, window: str, *, D: int = 10, places: int = 80
    ) -> None:
        super().__init__()
        for name, value, names in (
            ("score", score, SCORES),
            ("window", window, WINDOWS),
        ):
            if value not in names:
                raise ValueError(f"{name} must be one of {names}, got {value!r}")
        for name, size in (("n", n), ("D", D), ("places", places)):
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                raise ValueError(f"{name} must be a whole number ≥ 1, got {size!r}")
        self.n, self.score, self.window, self.D = n, score, window, D
        if score == "location" and window != "global":
            raise ValueError(f"a location has no window but global, got {window!r}")
        if score in ("general", "concat"):
            self.W_a = nn.Linear(n, n, bias=False)  # the part that reads h̄_s
        if score == "concat":
            self.W_h = nn.Linear(n, n, bias=False)  # the part that reads h_t
            self.v_a = nn.Linear(n, 1, bias=False)
        if score == "location":
            self.W_a = nn.Linear(n, places, bias=False)
        if window == "local-p":
            self.W_p = nn.Linear(n, n, bias=False)
            self.v_p = nn.Linear(n, 1, bias=False)

    def read(self, states: Tensor, mask: Tensor) -> Memory:
        """states (B, S, n), mask (B, S) → what can be known before the first h_t."""
        known = self.score in ("general", "concat")
        return Memory(states, self.W_a(states) if known else states, mask)

    def scores(self, h: Tensor, keys: Tensor) -> Tensor:
        """h (B, T, n), keys (B, S, n) → score(h_t, h̄_s): (B, T, S)."""
        if self.score in ("dot", "general"):
            return h @ keys.transpose(1, 2)
        if self.score == "concat":
            both = self.W_h(h).unsqueeze(2) + keys.unsqueeze(1)  # (B, T, S, n)
            scores: Tensor = self.v_a(torch.tanh(both)).squeeze(3)
            return scores
        rows, S = self.W_a(h), keys.size(1)  # (B, T, places)
        beyond = max(0, S - rows.size(2))
        return nn.functional.pad(rows[..., :S], (0, beyond), value=-torch.inf)

    def centre(self, h: Tensor, t: Tensor, mask: Tensor) -> Tensor:
        """p_t, around which the window lies, places counting from 1: (B, T)."""
        S = mask.sum(dim=1, keepdim=True)  # (B, 1), of each sentence its own
        if self.window == "local-m":
            return torch.minimum(t, S).to(h.dtype)
        p: Tensor = S * self.v_p(torch.tanh(self.W_p(h))).squeeze(2).sigmoid()
        return p

    def forward(self, h: Tensor, memory: Memory, t: Tensor) -> tuple[Tensor, Tensor]:
        """Look up what h_t asks for.

        h (B, T, n)  states of the decoder
        t (B, T)     which target word each is about to predict, counting from 1
        →  context (B, T, n); weights (B, T, S). A row sums to 1, of local-p to less
        Raises `ValueError` for sizes that differ and for sources without a word.
        """
        self._check(h, memory, t)
        scores, allowed = self.scores(h, memory.keys), memory.mask.unsqueeze(1)
        if self.window == "global":
            weights = masked_softmax(scores, allowed)
            return weights @ memory.states, weights
        p = self.centre(h, t, memory.mask).unsqueeze(2)  # (B, T, 1)
        away = torch.arange(1, scores.size(2) + 1, device=h.device) - p  # (B, T, S)
        weights = masked_softmax(scores, allowed & (away.abs() <= self.D))
        if self.window == "local-p":
            weights = weights * torch.exp(-(away**2) / (2 * (self.D / 2) ** 2))
        return weights @ memory.states, weights

    def _check(self, h: Tensor, memory: Memory, t: Tensor) -> None:
        states, _, mask = memory
        B, T, n = h.shape
        if states.shape != (B, mask.size(1), n) or len(mask) != B or t.shape != (B, T):
            raise ValueError(
                f"h has shape {(B, T, n)}, states {tuple(states.shape)}, mask "
                f"{tuple(mask.shape)}, t {tuple(t.shape)}: expected (B, T, n), "
                "(B, S, n), (B, S) and (B, T)"
            )


@dataclass(frozen=True)
class LuongConfig:
    """The sizes of a translator; the paper's: m 1000, n 1000, 4 layers, D 10.

    m         of a word's vector, on either side
    n         of every state
    layers    how many LSTMs stand one on another, on either side
    score     one of SCORES;  window  one of WINDOWS
    D         how far a local window reaches to either side
    places    how many of the first words the location score knows
    feeding   is h̃ of the last step fed to the next?
    reads     one of READS: the side the source is read from; with both, one half of
              every state comes from either side
    cell      one of lookback.recurrent's CELLS
    dropout   the share of a word's vector, and of h̃ on its way to the softmax, that is
              left out in training
    """

    m: int
    n: int
    layers: int = 1
    score: str = "dot"
    window: str = "global"
    D: int = 10
    places: int = 80
    feeding: bool = True
    reads: str = "right"
    cell: str = "lstm"
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.layers < 1:
            raise ValueError(f"layers must be ≥ 1, got {self.layers!r}")
        if self.cell not in CELLS:
            raise ValueError(f"cell must be one of {[*CELLS]}, got {self.cell!r}")
        if self.reads not in READS:
            raise ValueError(f"reads must be one of {READS}, got {self.reads!r}")
        if self.reads == "both" and self.n % 2:
            raise ValueError(f"half of n comes from either side, got n = {self.n}")


class Stack(nn.ModuleList):
    """Cells one above the other, each reading the hidden states of the one below."""

    def __init__(self, kind: type[Cell], d: int, n: int, layers: int) -> None:
        super().__init__(kind(size, n) for size in (d, *[n] * (layers - 1)))

    def cells(self) -> list[Cell]:
        """The lowest first."""
        return [cell for cell in self if isinstance(cell, Cell)]

    def unroll(self, x: Tensor, mask: Tensor) -> tuple[Tensor, tuple[CellState, ...]]:
        """x (B, T, d), mask (B, T) → h on top (B, T, n); the last state of each."""
        last = []
        for cell in self.cells():
            states = unroll(cell, x, mask)
            last.append(states[-1])
            x = hidden(states)
        return x, tuple(last)

    def step(
        self, read: Tensor, states: tuple[CellState, ...]
    ) -> tuple[Tensor, tuple[CellState, ...]]:
        """read (B, k n), what the lowest cell reads → h on top (B, n); each state."""
        new: list[CellState] = []
        for cell, state in zip(self.cells(), states, strict=True):
            new.append(cell.step(cell.read(h_of(new[-1])) if new else read, state))
        return h_of(new[-1]), tuple(new)


class Encoder(nn.Module):
    """A stack that reads the source from one side, or two that read it from both."""

    def __init__(self, config: LuongConfig) -> None:
        super().__init__()
        sides = READS[:2] if config.reads == "both" else (config.reads,)
        kind, n = CELLS[config.cell], config.n // len(sides)
        self.sides = nn.ModuleDict(
            {side: Stack(kind, config.m, n, config.layers) for side in sides}
        )

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, tuple[CellState, ...]]:
        """x (B, S, m), mask (B, S) → h̄ (B, S, n), each at its word; the last states."""
        tops, ends = [], []
        for side, stack in self.sides.items():
            assert isinstance(stack, Stack)
            back = [1] * (side == "right")
            # Turned round, padding stands in front: until the last word h is 0.
            top, last = stack.unroll(x.flip(back), mask.flip(back))
            tops.append(top.flip(back))
            ends.append(last)
        return torch.cat(tops, dim=-1), tuple(map(beside, *ends))


def beside(*states: CellState) -> CellState:
    """The states of one layer from all sides, as one."""
    if isinstance(states[0], Tensor):
        return torch.cat([h_of(state) for state in states], dim=-1)
    h, c = (torch.cat(parts, dim=-1) for parts in zip(*states, strict=True))
    return h, c


def h_of(state: CellState) -> Tensor:
    """The hidden state (B, n): an LSTM has a cell state beside it."""
    return state if isinstance(state, Tensor) else state[0]


class State(NamedTuple):
    """Where the decoder stands behind t words.

    cells    the state of each layer, the lowest first
    h_tilde  (B, n)  h̃ of the last step; before the first: 0
    t        (B,)    how many words were read
    memory           what can be looked at
    weights  (B, S)  how it looked at its last step; before the first: 0
    """

    cells: tuple[CellState, ...]
    h_tilde: Tensor
    t: Tensor
    memory: Memory
    weights: Tensor


class LuongTranslator(nn.Module):
    """P(y_t | y_<t, x) = softmax(W_s h̃_t), h̃_t = tanh(W_c [c_t; h_t]).   Equations 5, 6

    h_t is the state on top of the decoder, which begins where the encoder ended and
    reads the word y_{t-1} and, fed back to it, h̃_{t-1} (section 3.3).
    """

    def __init__(
        self, config: LuongConfig, source_words: int, target_words: int
    ) -> None:
        super().__init__()
        self.config = config
        m, n, kind = config.m, config.n, CELLS[config.cell]
        self.e_source = nn.Embedding(source_words, m)
        self.encoder = Encoder(config)
        self.e_target = nn.Embedding(target_words, m)
        self.decoder = Stack(kind, m + n * config.feeding, n, config.layers)
        self.attention = LuongAttention(
            n, config.score, config.window, D=config.D, places=config.places
        )
        self.W_c = nn.Linear(2 * n, n, bias=False)
        self.W_s = nn.Linear(n, target_words, bias=False)
        self.dropout = nn.Dropout(config.dropout)

    def start(self, source: Tensor, mask: Tensor) -> State:
        """Read source, mask (B, S): the state before the first target word."""
        check_source(source, mask, self.e_source.num_embeddings)
        top, cells = self.encoder(self.dropout(self.e_source(source)), mask)
        nothing, t = torch.zeros_like(top[:, 0]), torch.zeros_like(source[:, 0])
        nowhere = torch.zeros_like(top[:, :, 0])
        return State(cells, nothing, t, self.attention.read(top, mask), nowhere)

    def forward(
        self, source: Tensor, mask: Tensor, target: Tensor
    ) -> tuple[Tensor, Tensor]:
        """source, mask (B, S); target (B, T), from <s> on: teacher forcing.

        →  logits (B, T, V), weights (B, T, S): row t is of what stands behind target t
        """
        return self._write(target, self.start(source, mask))[:2]

    def step(self, token: Tensor, state: State) -> tuple[Tensor, State]:
        """token (B,), the last word written → logits (B, V) of the next; the state."""
        logits, _, state = self._write(token.unsqueeze(1), state)
        return logits.squeeze(1), state

    def attentional(
        self, h: Tensor, memory: Memory, t: Tensor
    ) -> tuple[Tensor, Tensor]:
        """h̃_t = tanh(W_c [c_t; h_t]): h (B, T, n), t (B, T) → (B, T, n), weights."""
        c, weights = self.attention(h, memory, t)
        return torch.tanh(self.W_c(torch.cat([c, h], dim=-1))), weights

    def _write(self, target: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """target (B, T) → logits (B, T, V), weights (B, T, S), the state behind it."""
        check_target(target, len(state.t), self.e_target.num_embeddings)
        lowest, y = self.decoder.cells()[0], self.dropout(self.e_target(target))
        reads = linear(y, lowest.W[:, : self.config.m], lowest.b)  # (B, T, k n)
        write = self._feeding if self.config.feeding else self._at_once
        h_tilde, weights, state = write(reads, state)
        return self.W_s(self.dropout(h_tilde)), weights, state

    def _feeding(self, reads: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """Step by step, since every step reads what the one before it found."""
        W_fed = self.decoder.cells()[0].W[:, self.config.m :]
        cells, fed, t, memory, _ = state
        found = []
        for read in reads.unbind(dim=1):
            h, cells = self.decoder.step(read + linear(fed, W_fed), cells)
            t = t + 1
            h_tilde, weights = self.attentional(h[:, None], memory, t[:, None])
            fed = h_tilde[:, 0]
            found.append((h_tilde, weights))
        both = [torch.cat(parts, dim=1) for parts in zip(*found, strict=True)]
        return both[0], both[1], State(cells, fed, t, memory, both[1][:, -1])

    def _at_once(self, reads: Tensor, state: State) -> tuple[Tensor, Tensor, State]:
        """The states one by one, then all T of them look at once."""
        cells, _, t, memory, _ = state
        tops = []
        for read in reads.unbind(dim=1):
            h, cells = self.decoder.step(read, cells)
            tops.append(h)
        places = t[:, None] + torch.arange(1, len(tops) + 1, device=t.device)
        h_tilde, weights = self.attentional(torch.stack(tops, 1), memory, places)
        last = State(cells, h_tilde[:, -1], places[:, -1], memory, weights[:, -1])
        return h_tilde, weights, last
