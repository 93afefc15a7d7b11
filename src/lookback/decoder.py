"""The right half of the Transformer: masked self-attention, cross-attention, network.

A `DecoderLayer` attends to the target so far, then to the source, and ends in a
feed-forward network. A `Decoder` is a stack of N layers. A `KVCache` of each keeps the
keys and values of the prefix, so that a new word costs the work of one position.
Vaswani et al. 2017, sections 3.1 and 3.2.3.

Sizes: B sentences of S source words; T target words after a prefix of P; h heads.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from lookback.attention import causal_mask, scaled_dot_product_attention
from lookback.checks import shapes
from lookback.encoder import FeedForward, LayerConfig
from lookback.layernorm import LayerNorm
from lookback.multihead import MultiHeadAttention, merge, split

__all__ = [
    "CrossAttention",
    "Decoder",
    "DecoderLayer",
    "DecoderLayerWeights",
    "KVCache",
    "SelfAttention",
]


class KVCache(NamedTuple):
    """The keys and values of P positions: K (B, h, P, d_k) and V (B, h, P, d_v)."""

    K: Tensor
    V: Tensor

    def append(self, K: Tensor, V: Tensor) -> "KVCache":
        """A cache of P + T positions: K (B, h, T, d_k) and V (B, h, T, d_v) are new."""
        return KVCache(torch.cat([self.K, K], dim=2), torch.cat([self.V, V], dim=2))


class SelfAttention(MultiHeadAttention):
    """Masked self-attention: a position attends to all before it, and to itself."""

    def forward(  # type: ignore[override]
        self, x: Tensor, cache: KVCache | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor, KVCache]:
        """x (B, T, d_model), new positions after a prefix of P.

        cache  the keys and values of the prefix; without it P is 0
        mask   (B, P + T), False where no position may attend to; without it: all may
        →  output (B, T, d_model); weights (B, h, T, P + T); keys and values of P + T
        """
        Q, K, V = (split(W(x), self.h) for W in (self.W_Q, self.W_K, self.W_V))
        cache = KVCache(K, V) if cache is None else cache.append(K, V)
        T, S = x.size(1), cache.K.size(2)
        may = causal_mask(T, S - T, device=x.device)  # (T, P + T)
        if mask is not None:
            may = may & mask[:, None, None]  # (B, 1, T, P + T)
        heads, weights = scaled_dot_product_attention(Q, *cache, may)
        return self.W_O(merge(heads)), weights, cache


class CrossAttention(MultiHeadAttention):
    """Attention to a memory, whose keys and values serve for all queries to come."""

    def keys_values(self, memory: Tensor) -> KVCache:
        """memory (B, S, d_model) → K (B, h, S, d_k), V (B, h, S, d_v)."""
        return KVCache(split(self.W_K(memory), self.h), split(self.W_V(memory), self.h))

    def forward(  # type: ignore[override]
        self, x: Tensor, source: KVCache, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """x (B, T, d_model); source from `keys_values`; mask (B, S), True on words.

        →  output (B, T, d_model); attention weights (B, h, T, S)
        """
        Q = split(self.W_Q(x), self.h)
        if mask is not None:
            mask = mask[:, None, None]  # (B, 1, 1, S): the same for heads and queries
        heads, weights = scaled_dot_product_attention(Q, *source, mask)
        return self.W_O(merge(heads)), weights


class DecoderLayerWeights(NamedTuple):
    """The attention weights of a layer.

    self_attention   (B, h, T, P + T)  to the target so far
    cross_attention  (B, h, T, S)      to the source
    """

    self_attention: Tensor
    cross_attention: Tensor


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention and a feed-forward network.

    Each has a residual connection. Vaswani et al. 2017, section 3.1

    >>> layer = DecoderLayer(LayerConfig(d_model=6, h=3, d_ff=8))
    >>> source = layer.cross_attention.keys_values(torch.zeros(2, 5, 6))
    >>> y, weights, cache = layer(torch.zeros(2, 4, 6), source)
    >>> y.shape, weights.cross_attention.shape
    (torch.Size([2, 4, 6]), torch.Size([2, 3, 4, 5]))
    """

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        c = config
        sizes = c.d_model, c.h, c.d_k, c.d_v
        self.self_attention = SelfAttention(*sizes, bias=c.bias)
        self.norm_self_attention = LayerNorm(c.d_model)
        self.cross_attention = CrossAttention(*sizes, bias=c.bias)
        self.norm_cross_attention = LayerNorm(c.d_model)
        self.feed_forward = FeedForward(c.d_model, c.d_ff)
        self.norm_feed_forward = LayerNorm(c.d_model)
        self.dropout = nn.Dropout(c.dropout)
        self.norm_first = c.norm_first

    def forward(
        self,
        x: Tensor,
        source: KVCache,
        mask: Tensor | None = None,
        cache: KVCache | None = None,
    ) -> tuple[Tensor, DecoderLayerWeights, KVCache]:
        """x (B, T, d_model), the new positions of the target.

        source  keys and values of the memory, from `cross_attention`
        mask    (B, S), True on the words of the source
        cache   keys and values of the prefix of P positions; without it P is 0
        →  (B, T, d_model); the attention weights; the cache, with the new positions
        """
        if self.norm_first:
            z = self.norm_self_attention(x)
            y, to_target, cache = self.self_attention(z, cache)
            x = x + self.dropout(y)
            y, to_source = self.cross_attention(
                self.norm_cross_attention(x), source, mask
            )
            x = x + self.dropout(y)
            x = x + self.dropout(self.feed_forward(self.norm_feed_forward(x)))
        else:
            y, to_target, cache = self.self_attention(x, cache)
            x = self.norm_self_attention(x + self.dropout(y))
            y, to_source = self.cross_attention(x, source, mask)
            x = self.norm_cross_attention(x + self.dropout(y))
            x = self.norm_feed_forward(x + self.dropout(self.feed_forward(x)))
        return x, DecoderLayerWeights(to_target, to_source), cache


class Decoder(nn.Module):
    """N layers, which all attend to the same memory of the source.

    In pre-norm a norm follows, since the last sum has passed none.

    >>> decoder = Decoder(LayerConfig(d_model=6, h=3, d_ff=8), N=2)
    >>> source = decoder.keys_values(torch.zeros(1, 5, 6))
    >>> mask = torch.ones(1, 5).bool()
    >>> _, _, cache = decoder(torch.zeros(1, 3, 6), source, mask)  # a prefix of 3 words
    >>> y, weights, cache = decoder(torch.zeros(1, 1, 6), source, mask, cache)
    >>> weights[0].self_attention.shape
    torch.Size([1, 3, 1, 4])
    """

    def __init__(self, config: LayerConfig, N: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(N))
        self.norm = LayerNorm(config.d_model) if config.norm_first else nn.Identity()

    def keys_values(self, memory: Tensor) -> tuple[KVCache, ...]:
        """memory (B, S, d_model) → each layer's keys and values of it.

        They serve for all words of the target.
        """
        each = [layer.cross_attention for layer in self.layers]
        return tuple(one.keys_values(memory) for one in each)  # type: ignore[union-attr, operator]

    def forward(
        self,
        x: Tensor,
        source: tuple[KVCache, ...],
        mask: Tensor,
        cache: tuple[KVCache, ...] | None = None,
    ) -> tuple[Tensor, tuple[DecoderLayerWeights, ...], tuple[KVCache, ...]]:
        """x (B, T, d_model); source from `keys_values`; mask (B, S), True on words.

        cache  what the last call returned: the prefix of P positions; without it none
        →  (B, T, d_model); the attention weights of each layer; the cache of the next
           call
        Raises `ValueError` for shapes that do not fit, another number of layers, a mask
        that is not bool, an empty batch, and a source that is all padding.
        """
        shapes(x=(x, "B T d_model"), K=(source[0].K, "B h S d"), mask=(mask, "B S"))
        before = cache or [None] * len(self.layers)
        weights, after = [], []
        for layer, KV, kept in zip(self.layers, source, before, strict=True):
            x, w, kept = layer(x, KV, mask, kept)
            weights.append(w)
            after.append(kept)
        return self.norm(x), tuple(weights), tuple(after)
