"""Translating with depth: layers of LSTMs, and the source read backwards.

The decoder starts from the encoder's last states, which are all that it learns of the
source; unlike the one of `encdec`, it does not read them again. `reverse` reverses the
source, so that its first words are read last. Sutskever, Vinyals and Le 2014.

Sizes: B sentences of S source and T target words, m of a word's vector, n of a state.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor, nn

from lookback.checks import padded, share, whole
from lookback.encdec import check_source, check_target
from lookback.lstm import LSTMCell
from lookback.recurrent import hidden, unroll

__all__ = ["DeepLSTM", "Seq2Seq", "Seq2SeqConfig", "States", "reverse"]

States: TypeAlias = tuple[tuple[Tensor, Tensor], ...]
"""For each layer, from the lowest: h (B, n) and c (B, n)."""


@dataclass(frozen=True)
class Seq2SeqConfig:
    """The sizes of the model; the paper's: m 1000, n 1000, layers 4, reversed.

    m         of a word's vector, on either side
    n         of the state of every layer
    layers    how many LSTMs are stacked, on either side
    reversed  is the source read from its last word to its first?
    dropout   the share of what goes into each layer, and of what comes out of the last,
              that is left out in training
    """

    m: int
    n: int
    layers: int
    reversed: bool
    dropout: float = 0.0

    def __post_init__(self) -> None:
        whole(m=self.m, n=self.n, layers=self.layers)
        share(dropout=self.dropout)


def reverse(source: Tensor, mask: Tensor) -> Tensor:
    """Each source from its last word to its first; </s> and padding stay.

    source (B, S) ids, words and </s>, then padding; mask (B, S) bool, True before the
    padding → (B, S). What is reversed twice is as it was.
    Raises `ValueError` for a mask that is False before a word.
    """
    padded(mask)
    position = torch.arange(source.size(1), device=source.device)  # (S,)
    last = mask.sum(dim=1, keepdim=True) - 1  # (B, 1), the position of </s>
    from_the_end = torch.where(position < last, last - 1 - position, position)
    return source.gather(1, from_the_end)


class DeepLSTM(nn.Module):
    """A stack of LSTMs: each reads the hidden states of the one below.

    W and U begin uniform between ±2.53 / √n, which is the paper's ±0.08 at n = 1000.
    With the ±1 / √n of one cell, a layer at first depends little on those below.
    """

    def __init__(self, d: int, n: int, layers: int, dropout: float) -> None:
        super().__init__()
        cells = [LSTMCell(size, n) for size in (d, *[n] * (layers - 1))]
        bound = 0.08 * math.sqrt(1000 / n)
        for cell in cells:
            nn.init.uniform_(cell.W, -bound, bound)
            nn.init.uniform_(cell.U, -bound, bound)
        self.cells = nn.ModuleList(cells)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, states: States | None = None
    ) -> tuple[Tensor, States]:
        """x (B, T, d), mask (B, T) → the top layer's h (B, T, n); last states."""
        if states is not None and len(states) != len(self.cells):
            raise ValueError(
                f"states are of {len(states)} layers: expected {len(self.cells)}"
            )
        before, last = states or [None] * len(self.cells), []
        for cell, state in zip(self.cells, before, strict=True):
            assert isinstance(cell, LSTMCell)
            all_states = unroll(cell, self.dropout(x), mask, state)  # (2)
            x = hidden(all_states)  # (B, T, n), for the layer above
            last.append(all_states[-1])  # h and c, (B, n) each
        return x, tuple(last)


class Seq2Seq(nn.Module):
    """P(y | x) = Π_t P(y_t | v, y_1 … y_{t-1}).   Sutskever et al. 2014, (1).

    v  the last states of the encoder

    >>> config = Seq2SeqConfig(m=3, n=5, layers=2, reversed=True)
    >>> model = Seq2Seq(config, source_vocab_size=9, target_vocab_size=11)
    >>> source, target = torch.tensor([[4, 7, 1]]), torch.tensor([[0, 8, 3, 2]])
    >>> model(source, source > 0, target).shape  # scores for what follows each word
    torch.Size([1, 4, 11])
    """

    def __init__(
        self, config: Seq2SeqConfig, source_vocab_size: int, target_vocab_size: int
    ) -> None:
        super().__init__()
        self.config = config
        sizes = config.m, config.n, config.layers, config.dropout
        self.source = nn.Embedding(source_vocab_size, config.m)
        self.encoder = DeepLSTM(*sizes)
        self.target = nn.Embedding(target_vocab_size, config.m)
        self.decoder = DeepLSTM(*sizes)
        self.out = nn.Linear(config.n, target_vocab_size)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, source: Tensor, mask: Tensor, target: Tensor) -> Tensor:
        """source, mask (B, S); target (B, T), from <s> → logits (B, T, V)."""
        check_target(target, len(source), self.target.num_embeddings)
        y = self.target(target)  # (B, T, m)
        h, _ = self.decoder(y, states=self.start(source, mask))  # (B, T, n)
        return self.out(self.dropout(h))  # type: ignore[no-any-return]

    def start(self, source: Tensor, mask: Tensor) -> States:
        """source, mask (B, S) → v, from which the decoder starts."""
        check_source(source, mask, self.source.num_embeddings)
        if self.config.reversed:
            source = reverse(source, mask)
        _, states = self.encoder(self.source(source), mask)  # (3)
        return states  # type: ignore[no-any-return]

    def step(self, token: Tensor, state: States) -> tuple[Tensor, States]:
        """token (B,), the last word → logits (B, V) of the next; the states."""
        check_target(token.unsqueeze(1), len(state[0][0]), self.target.num_embeddings)
        y = self.target(token.unsqueeze(1))  # (B, 1, m)
        h, state = self.decoder(y, states=state)  # (B, 1, n)
        return self.out(h.squeeze(1)), state
