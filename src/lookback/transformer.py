"""The Transformer: a translator of attention and feed-forward networks alone.

`Transformer` embeds words and their positions, applies the encoder and the decoder, and
scores every word of the target vocabulary by its own embedding. Vaswani et al. 2017.

Sizes: B sentences of S source and T target words, d_model features of a position.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.checks import ids, shapes
from lookback.decoder import Decoder, DecoderLayerWeights, KVCache
from lookback.encoder import Encoder, LayerConfig
from lookback.positions import SinusoidalPositions

__all__ = [
    "BASE",
    "BIG",
    "AttentionWeights",
    "Embedding",
    "State",
    "Transformer",
    "TransformerConfig",
]


@dataclass(frozen=True, kw_only=True)
class TransformerConfig(LayerConfig):
    """The sizes of a Transformer: those of a layer, and these.

    N       layers of the encoder, and as many of the decoder
    shared  do both languages share one vocabulary? Then one matrix embeds the words of
            both and scores the target's (section 3.4); otherwise one embeds and scores
            the target's, and another embeds the source's
    """

    N: int
    shared: bool = False


BASE = TransformerConfig(
    N=6, d_model=512, d_ff=2048, h=8, d_k=64, d_v=64, dropout=0.1, shared=True
)
"""The base model of Vaswani et al. 2017, Table 3."""

BIG = TransformerConfig(
    N=6, d_model=1024, d_ff=4096, h=16, d_k=64, d_v=64, dropout=0.3, shared=True
)
"""The big model, the last row of Table 3."""


class AttentionWeights(NamedTuple):
    """The attention weights of every layer, the lowest first.

    encoder  (B, h, S, S) of each layer: self-attention of the source
    decoder  `DecoderLayerWeights` of each layer: self-attention of the target, and
             cross-attention to the source
    """

    encoder: tuple[Tensor, ...]
    decoder: tuple[DecoderLayerWeights, ...]


class State(NamedTuple):
    """What the decoder needs to predict the next word.

    source  each layer's keys and values of the memory;  mask (B, S), True on words
    cache   each layer's keys and values of the target so far; before its first word:
            None
    """

    source: tuple[KVCache, ...]
    mask: Tensor
    cache: tuple[KVCache, ...] | None


class Embedding(nn.Module):
    """√d_model times a row of the table, plus a positional encoding; section 3.4.

    table (V, d_model)  begins with variance 1 / d_model: times √d_model that is 1
    """

    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(vocab_size, d_model) / math.sqrt(d_model))

    def forward(self, ids: Tensor, positions: Tensor) -> Tensor:
        """ids (B, T), positions (T, d_model) → (B, T, d_model)."""
        return self.table[ids] * math.sqrt(self.table.size(1)) + positions

    def scores(self, x: Tensor) -> Tensor:
        """The product with each word's row: x (B, T, d_model) → logits (B, T, V)."""
        return linear(x, self.table)


class Transformer(nn.Module):
    """P(target | source), all positions at once.   Vaswani et al. 2017, figure 1

    A source is ids of words and </s>, a target begins with <s> and ends with </s>;
    masks are True on all but the padding after them.

    >>> config = TransformerConfig(N=2, d_model=8, h=2, d_ff=16)
    >>> model = Transformer(config, source_vocab_size=9, target_vocab_size=7)
    >>> source, target = torch.tensor([[4, 5, 3]]), torch.tensor([[2, 4]])
    >>> logits, weights = model(source, torch.ones(1, 3).bool(), target)
    >>> logits.shape, weights.decoder[0].cross_attention.shape
    (torch.Size([1, 2, 7]), torch.Size([1, 2, 2, 3]))
    """

    def __init__(
        self, config: TransformerConfig, source_vocab_size: int, target_vocab_size: int
    ) -> None:
        if config.shared and source_vocab_size != target_vocab_size:
            raise ValueError(
                f"one matrix cannot serve {source_vocab_size} source and "
                f"{target_vocab_size} target words: expected one vocabulary, or "
                "shared=False"
            )
        super().__init__()
        self.config, d = config, config.d_model
        self.e_target = Embedding(target_vocab_size, d)
        self.e_source = (
            self.e_target if config.shared else Embedding(source_vocab_size, d)
        )
        self.positions: nn.Module = SinusoidalPositions(d)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = Encoder(config, config.N)
        self.decoder = Decoder(config, config.N)

    def forward(
        self, source: Tensor, mask: Tensor, target: Tensor
    ) -> tuple[Tensor, AttentionWeights]:
        """source, mask (B, S); target (B, T), from <s> on.

        →  logits (B, T, V), those at t for the word at t + 1; the attention weights
        Raises `ValueError` for ids outside the vocabulary, shapes that do not fit, a
        source that is empty or all padding.
        """
        memory, encoder = self.encode(source, mask)
        shapes(target=(target, f"{len(source)} T"))
        ids(len(self.e_target.table), target=target)
        y = self.e_target(target, self.positions(target.size(1)))
        keys_values = self.decoder.keys_values(memory)  # of each layer
        y, decoder, _ = self.decoder(self.dropout(y), keys_values, mask)
        return self.e_target.scores(y), AttentionWeights(encoder, decoder)

    def encode(self, source: Tensor, mask: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """source, mask (B, S) → memory (B, S, d_model); each layer's weights."""
        shapes(source=(source, "B S"), mask=(mask, "B S"))
        ids(len(self.e_source.table), source=source)
        x = self.e_source(source, self.positions(source.size(1)))
        memory, weights = self.encoder(self.dropout(x), mask)
        return memory, weights

    def start(self, source: Tensor, mask: Tensor) -> State:
        """Encode the source, mask (B, S): the state before the first target word."""
        memory, _ = self.encode(source, mask)
        return State(self.decoder.keys_values(memory), mask, None)

    def step(self, token: Tensor, state: State) -> tuple[Tensor, State]:
        """token (B,), the last word → logits (B, V) of the next; the state after it."""
        target = token.unsqueeze(1)  # (B, 1)
        shapes(target=(target, f"{len(state.mask)} T"))
        ids(len(self.e_target.table), target=target)
        P = state.cache[0].K.size(2) if state.cache else 0  # words of the target so far
        y = self.e_target(target, self.positions(1, P))
        y, _, cache = self.decoder(self.dropout(y), *state)
        return self.e_target.scores(y).squeeze(1), state._replace(cache=cache)
