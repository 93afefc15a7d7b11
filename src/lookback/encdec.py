"""Translating: one network reads a sentence into a vector, another writes it out.

`Encoder` reads the source into c, the one vector that is all the decoder ever learns of
it. `Decoder` writes the target from c, which it reads at every step. Together they are
`RNNEncoderDecoder`. Cho, van Merriënboer, Gulcehre, Bahdanau, Bougares, Schwenk and
Bengio 2014, appendix; there a prime marks the decoder's parameters, here they are
attributes of `Decoder`. The numbers of equations are those of the chapter.

Sizes: B sentences of S source and T target words, m of a word's vector, n of a state.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.checks import ids, may_attend, shapes, share, whole
from lookback.lstm import GRUCell
from lookback.recurrent import unroll

__all__ = [
    "Decoder",
    "DecoderCell",
    "Encoder",
    "EncoderDecoderConfig",
    "RNNEncoderDecoder",
    "State",
    "check_source",
    "check_target",
    "maxout",
]


@dataclass(frozen=True)
class EncoderDecoderConfig:
    """The sizes; the paper's, section 4.1: m 100, n 1000, l 500.

    m        of a word's vector, on either side
    n        of the state and of c
    l        of what the maxout leaves
    dropout  the share of a word's vector, and of what the maxout leaves, that is left
             out in training
    """

    m: int
    n: int
    l: int  # noqa: E741  the paper's symbol
    dropout: float = 0.0

    def __post_init__(self) -> None:
        whole(m=self.m, n=self.n, l=self.l)
        share(dropout=self.dropout)


class Encoder(nn.Module):
    """c = tanh(V h_S), h_s = GRU(e(x_s), h_{s-1}), h_0 = 0."""

    def __init__(self, config: EncoderDecoderConfig, vocab_size: int) -> None:
        super().__init__()
        self.e = nn.Embedding(vocab_size, config.m)
        self.cell = GRUCell(config.m, config.n)
        self.V = nn.Linear(config.n, config.n)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, source: Tensor, mask: Tensor) -> Tensor:
        """source (B, S) ids, mask (B, S) bool, True on words → c (B, n)."""
        check_source(source, mask, self.e.num_embeddings)
        states = unroll(self.cell, self.dropout(self.e(source)), mask)
        return torch.tanh(self.V(states[-1]))  # (1); padding changes no state


class DecoderCell(nn.Module):
    """A GRU that reads c at every step; the reset gate acts on c, too.

    r, z = σ(W y + U h + C c + b)         each with its own W, U, C, b
    h̃ = tanh(W y + b + r ⊙ (U h + C c))
    h = z ⊙ h + (1 - z) ⊙ h̃

    W (3 n, m), U (3 n, n), C (3 n, n), b (3 n,): n rows for r, for z, for h̃
    """

    def __init__(self, m: int, n: int) -> None:
        super().__init__()
        self.n, bound = n, 1 / math.sqrt(n)
        self.W = nn.Parameter(torch.empty(3 * n, m).uniform_(-bound, bound))
        self.U = nn.Parameter(torch.empty(3 * n, n).uniform_(-bound, bound))
        self.C = nn.Parameter(torch.empty(3 * n, n).uniform_(-bound, bound))
        self.b = nn.Parameter(torch.empty(3 * n).uniform_(-bound, bound))

    def read(self, c: Tensor) -> Tensor:
        """C c: (B, n) → (B, 3 n). No step changes it: once for a sentence."""
        return linear(c, self.C)

    def forward(self, y: Tensor, h: Tensor, from_c: Tensor) -> Tensor:
        """y (B, m), h (B, n), from_c = C c → the state after y (B, n)."""
        y_r, y_z, y_h = linear(y, self.W, self.b).chunk(3, dim=-1)
        p_r, p_z, p_h = (linear(h, self.U) + from_c).chunk(3, dim=-1)
        r, z = torch.sigmoid(y_r + p_r), torch.sigmoid(y_z + p_z)  # (3)
        new = torch.tanh(y_h + r * p_h)  # (4)
        return z * h + (1 - z) * new  # (5)


class State(NamedTuple):
    """The decoder's state: h (B, n); and the encoder's vector, c (B, n)."""

    h: Tensor
    c: Tensor


def maxout(s: Tensor) -> Tensor:
    """The larger of each pair: (…, 2 l) → (…, l).   Goodfellow et al. 2013"""
    return torch.unflatten(s, -1, (-1, 2)).amax(dim=-1)


class Decoder(nn.Module):
    """P(y_t | y_1 … y_{t-1}, c): a GRU that reads c, then a maxout.

    h_0 = tanh(V c),   P(y_t | …) = softmax(G s_t)
    s'_t = O_h h_t + O_y e(y_{t-1}) + O_c c,   s_t = the larger of each pair of s'_t
    """

    def __init__(self, config: EncoderDecoderConfig, vocab_size: int) -> None:
        super().__init__()
        m, n, l = config.m, config.n, config.l  # noqa: E741
        self.e = nn.Embedding(vocab_size, m)
        self.V = nn.Linear(n, n)
        self.cell = DecoderCell(m, n)
        self.O_h = nn.Linear(n, 2 * l)
        self.O_y = nn.Linear(m, 2 * l, bias=False)
        self.O_c = nn.Linear(n, 2 * l, bias=False)
        self.G = nn.Linear(l, vocab_size)
        self.dropout = nn.Dropout(config.dropout)

    def start(self, c: Tensor) -> State:
        """The state before the first word: c (B, n)."""
        return State(torch.tanh(self.V(c)), c)

    def forward(self, target: Tensor, state: State) -> tuple[Tensor, State]:
        """target (B, T) ids, from <s> on → logits (B, T, V); the last state.

        logits[:, t] score the word at t + 1.
        Teacher forcing: every word is read as the target has it, whatever the logits
        before it predicted.
        """
        check_target(target, len(state.c), self.e.num_embeddings)
        h, c = state
        y, from_c, states = self.dropout(self.e(target)), self.cell.read(c), []
        for y_t in y.unbind(dim=1):  # T × (B, m)
            h = self.cell(y_t, h, from_c)
            states.append(h)
        h_t = torch.stack(states, dim=1)
        s = self.O_h(h_t) + self.O_y(y) + self.O_c(c).unsqueeze(1)  # (6)
        return self.G(self.dropout(maxout(s))), State(h, c)  # (7), (8)


class RNNEncoderDecoder(nn.Module):
    """P(target | source), all through one vector.

    A source is ids of words and </s>, a target begins with <s> and ends with </s>;
    masks are True on all but the padding after it.

    >>> config = EncoderDecoderConfig(m=3, n=5, l=2)
    >>> model = RNNEncoderDecoder(config, source_vocab_size=9, target_vocab_size=11)
    >>> source, target = torch.tensor([[4, 7, 1]]), torch.tensor([[0, 8, 3, 2]])
    >>> model(source, source > 0, target).shape  # scores for what follows each word
    torch.Size([1, 4, 11])
    """

    def __init__(
        self,
        config: EncoderDecoderConfig,
        source_vocab_size: int,
        target_vocab_size: int,
    ) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, source_vocab_size)
        self.decoder = Decoder(config, target_vocab_size)

    def forward(self, source: Tensor, mask: Tensor, target: Tensor) -> Tensor:
        """source, mask (B, S); target (B, T), from <s> on → logits (B, T, V).

        logits[:, t] score the word at t + 1. Raises `ValueError` for ids outside the
        vocabulary, shapes that do not fit, and a source that is empty or all padding.
        """
        logits, _ = self.decoder(target, self.start(source, mask))
        return logits  # type: ignore[no-any-return]

    def start(self, source: Tensor, mask: Tensor) -> State:
        """source, mask (B, S) → the state before the first target word."""
        return self.decoder.start(self.encoder(source, mask))

    def step(self, token: Tensor, state: State) -> tuple[Tensor, State]:
        """token (B,), the last word → logits (B, V) of the next; the state."""
        logits, state = self.decoder(token.unsqueeze(-1), state)
        return logits.squeeze(1), state

    def score(
        self, source: Tensor, mask: Tensor, target: Tensor, target_mask: Tensor
    ) -> Tensor:
        """log P(target | source), all words and </s> together: (B,), at most 0.

        source, mask (B, S); target, target_mask (B, T), from <s> to </s>
        """
        shapes(target=(target, "B T"), target_mask=(target_mask, "B T"))
        log_p = self(source, mask, target[:, :-1]).log_softmax(dim=-1)
        each = log_p.gather(-1, target[:, 1:, None]).squeeze(-1)  # (B, T - 1)
        return torch.where(target_mask[:, 1:], each, 0).sum(dim=1)


def check_source(source: Tensor, mask: Tensor, V: int) -> None:
    """Check that source (B, S) holds ids of V words, and each row a word."""
    shapes(source=(source, "B S"), mask=(mask, "B S"))
    ids(V, source=source)
    may_attend(mask, source)


def check_target(target: Tensor, B: int, V: int) -> None:
    """Check that target (B, T) holds ids of V words, a row for each source."""
    shapes(target=(target, f"{B} T"))
    ids(V, target=target)
