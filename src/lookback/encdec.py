"""Translating: one network reads a sentence into a vector, another writes it out.

`Encoder` reads the source into c, the one vector that is all the decoder ever learns of
it. `Decoder` writes the target from c, and sees it at every step. Together they are
`RNNEncoderDecoder`. Cho, van Merriënboer, Gulcehre, Bahdanau, Bougares, Schwenk and
Bengio 2014, appendix; primes there mark the decoder's parameters, here their owner.

Sizes: B sentences of S source and T target words, m of a word's vector, n of a state.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.recurrent import GRUCell, unroll


@dataclass(frozen=True)
class EncoderDecoderConfig:
    """The sizes of an encoder–decoder; the paper's, section 4.1: m 100, n 1000, l 500.

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
        for name in ("m", "n", "l"):
            size = getattr(self, name)
            if not isinstance(size, int) or isinstance(size, bool) or size < 1:
                raise ValueError(f"{name} must be a whole number ≥ 1, got {size!r}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be ≥ 0 and < 1, got {self.dropout!r}")


class Encoder(nn.Module):
    """c = tanh(V h_S), h_s = GRU(e(x_s), h_{s-1}), h_0 = 0."""

    def __init__(self, config: EncoderDecoderConfig, words: int) -> None:
        super().__init__()
        self.e = nn.Embedding(words, config.m)
        self.cell = GRUCell(config.m, config.n)
        self.V = nn.Linear(config.n, config.n)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, source: Tensor, mask: Tensor) -> Tensor:
        """source (B, S) ids, mask (B, S) bool, True on words → c (B, n)."""
        check_source(source, mask, self.e.num_embeddings)
        states = unroll(self.cell, self.dropout(self.e(source)), mask)
        last = states[-1]  # behind the last word: padding changes no state
        assert isinstance(last, Tensor)
        return torch.tanh(self.V(last))


class DecoderCell(nn.Module):
    """A GRU that is told c at every step.

    r, z = σ(W y + U h + C c + b)          each with its own W, U, C, b
    h̃ = tanh(W y + b + r ⊙ (U h + C c))   the reset gate holds c back too
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

    def step(self, read: Tensor, told: Tensor, h: Tensor) -> Tensor:
        """read = W y + b and told = C c, both (B, 3 n); h (B, n) → h (B, n)."""
        gates, past = 2 * self.n, linear(h, self.U) + told  # (B, 3 n)
        r, z = (read[:, :gates] + past[:, :gates]).sigmoid().chunk(2, dim=-1)
        new = torch.tanh(read[:, gates:] + r * past[:, gates:])
        return z * h + (1 - z) * new


class State(NamedTuple):
    """Where the decoder stands: h (B, n); and what it was told, c (B, n)."""

    h: Tensor
    c: Tensor


class Decoder(nn.Module):
    """P(y_t | y_1 … y_{t-1}, c) = softmax(G s_t), s_t a maxout over h_t, y_{t-1} and c.

    h_0 = tanh(V c)
    s'_t = O_h h_t + O_y e(y_{t-1}) + O_c c,   s_t = the larger of each pair of s'_t
    """

    def __init__(self, config: EncoderDecoderConfig, words: int) -> None:
        super().__init__()
        m, n, l = config.m, config.n, config.l  # noqa: E741
        self.e = nn.Embedding(words, m)
        self.V = nn.Linear(n, n)
        self.cell = DecoderCell(m, n)
        self.O_h = nn.Linear(n, 2 * l)
        self.O_y = nn.Linear(m, 2 * l, bias=False)
        self.O_c = nn.Linear(n, 2 * l, bias=False)
        self.G = nn.Linear(l, words)
        self.dropout = nn.Dropout(config.dropout)

    def start(self, c: Tensor) -> State:
        """The state before the first word: c (B, n)."""
        return State(torch.tanh(self.V(c)), c)

    def forward(self, target: Tensor, state: State) -> tuple[Tensor, State]:
        """target (B, T) ids, each behind the last → logits (B, T, V) of what follows.

        Teacher forcing: every word is read as the target has it, whatever the logits
        in front of it said.
        """
        check_target(target, len(state.c), self.e.num_embeddings)
        h, c = state
        y, told = self.dropout(self.e(target)), linear(c, self.cell.C)
        states = []
        for read in linear(y, self.cell.W, self.cell.b).unbind(dim=1):
            h = self.cell.step(read, told, h)
            states.append(h)
        s = self.O_h(torch.stack(states, dim=1)) + self.O_y(y)  # (B, T, 2 l)
        s = maxout(s + self.O_c(c).unsqueeze(1))  # (B, 1, 2 l) to all T
        return self.G(self.dropout(s)), State(h, c)


def maxout(s: Tensor) -> Tensor:
    """The larger of each two neighbours: (…, 2 l) → (…, l).  Goodfellow et al. 2013"""
    pairs: Tensor = s.unflatten(-1, (-1, 2))  # type: ignore[no-untyped-call]
    return pairs.amax(dim=-1)


class RNNEncoderDecoder(nn.Module):
    """P(target | source), all through one vector.

    A source is ids of words and </s>, a target begins with <s> and ends with </s>;
    masks are True on all but the padding behind.
    """

    def __init__(
        self, config: EncoderDecoderConfig, source_words: int, target_words: int
    ) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config, source_words)
        self.decoder = Decoder(config, target_words)

    def forward(self, source: Tensor, mask: Tensor, target: Tensor) -> Tensor:
        """source, mask (B, S); target (B, T), from <s> on → logits (B, T, V).

        logits[:, t] score what stands at t + 1. Raises `ValueError` for ids that are no
        words, shapes that do not fit, and a source that is empty or all padding.
        """
        logits: Tensor = self.decoder(target, self.start(source, mask))[0]
        return logits

    def start(self, source: Tensor, mask: Tensor) -> State:
        """Read the source, mask (B, S): the state before the first target word."""
        return self.decoder.start(self.encoder(source, mask))

    def step(self, token: Tensor, state: State) -> tuple[Tensor, State]:
        """token (B,), the last word written → logits (B, V) of the next; the state."""
        logits, state = self.decoder(token.unsqueeze(-1), state)
        return logits.squeeze(1), state

    def score(
        self, source: Tensor, mask: Tensor, target: Tensor, target_mask: Tensor
    ) -> Tensor:
        """log P(target | source), all words and </s> together: (B,), at most 0.

        source, mask (B, S); target, target_mask (B, T), from <s> to </s>
        """
        if target_mask.dtype != torch.bool or target_mask.shape != target.shape:
            raise ValueError(
                f"target_mask is {target_mask.dtype} of shape "
                f"{tuple(target_mask.shape)}: expected torch.bool of shape "
                f"{tuple(target.shape)}, as target has"
            )
        log_p = self(source, mask, target[:, :-1]).log_softmax(dim=-1)
        each = log_p.gather(-1, target[:, 1:, None]).squeeze(-1)  # (B, T - 1)
        return torch.where(target_mask[:, 1:], each, 0).sum(dim=1)


def check_source(source: Tensor, mask: Tensor, words: int) -> None:
    """`ValueError` unless these are the ids (B, S) and mask (B, S) of B sentences."""
    check_ids("source", source, words)
    if mask.dtype != torch.bool or mask.shape != source.shape:
        raise ValueError(
            f"mask is {mask.dtype} of shape {tuple(mask.shape)}: expected torch.bool "
            f"of shape {tuple(source.shape)}, as source has"
        )
    if not bool(mask.any(dim=1).all()):
        empty = (~mask.any(dim=1)).nonzero().flatten().tolist()
        raise ValueError(f"sources {empty} are all padding: expected a word in each")


def check_target(target: Tensor, sources: int, words: int) -> None:
    """`ValueError` unless these are the ids (B, T) of a sentence for each source."""
    check_ids("target", target, words)
    if target.size(0) != sources:
        raise ValueError(
            f"target has shape {tuple(target.shape)}, {target.size(0)} sentences: "
            f"expected {sources}, one for each source"
        )


def check_ids(name: str, ids: Tensor, words: int) -> None:
    """`ValueError` unless these are ids (B, length) of so many words."""
    if ids.dim() != 2 or not ids.numel():
        raise ValueError(
            f"{name} has shape {tuple(ids.shape)}: expected (B, length), both ≥ 1"
        )
    least, most = (int(end) for end in ids.aminmax())
    if least < 0 or most >= words:
        raise ValueError(
            f"{name} holds ids from {least} to {most}: expected words of the "
            f"vocabulary, 0 to {words - 1}"
        )
