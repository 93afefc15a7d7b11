"""The right half of the Transformer: masked self-attention, cross-attention, network.

A `DecoderLayer` attends to the target so far, then to the source, and ends in a
feed-forward network. A `Decoder` is a stack of N layers. A `KVCache` keeps the keys and
values of the prefix, so that a new word costs the work of one position. Vaswani et al.
2017, sections 3.1 and 3.2.3.

Sizes: B sentences of S source words; T target words after a prefix of P; h heads.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from lookback.attention import causal_mask
from lookback.checks import may_attend, shapes, whole
from lookback.encoder import LayerConfig
from lookback.layernorm import LayerNorm

__all__ = ["Decoder", "DecoderLayer", "DecoderLayerWeights", "KVCache"]


class KVCache(NamedTuple):
    """The keys and values of P positions, as `MultiHeadAttention.project` gives them.

    K (B, h, P, d_k);  V (B, h, P, d_v)
    """

    K: Tensor
    V: Tensor

    def append(self, K: Tensor, V: Tensor) -> "KVCache":
        """A cache of P + T positions: K (B, h, T, d_k) and V (B, h, T, d_v) are new.

        Raises `ValueError` for a cache of other sentences, heads or features.
        """
        kept = {"past.K": (self.K, "B h P d_k"), "past.V": (self.V, "B h P d_v")}
        shapes(**kept, K=(K, "B h T d_k"), V=(V, "B h T d_v"))
        return KVCache(torch.cat([self.K, K], dim=2), torch.cat([self.V, V], dim=2))


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
    >>> memory = torch.zeros(2, 5, 6)
    >>> source = KVCache(*layer.cross_attention.project(memory, memory))
    >>> y, weights, past = layer(torch.zeros(2, 4, 6), source, None)
    >>> y.shape, weights.cross_attention.shape
    (torch.Size([2, 4, 6]), torch.Size([2, 3, 4, 5]))
    """

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        self.self_attention = config.attention()
        self.norm_self_attention = LayerNorm(config.d_model)
        self.cross_attention = config.attention()
        self.norm_cross_attention = LayerNorm(config.d_model)
        self.feed_forward = config.feed_forward()
        self.norm_feed_forward = LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.norm_first = config.norm_first

    def forward(
        self,
        x: Tensor,
        source: KVCache,
        mask: Tensor | None,
        past: KVCache | None = None,
    ) -> tuple[Tensor, DecoderLayerWeights, KVCache]:
        """x (B, T, d_model), the new positions of the target.

        source  keys and values of the memory, projected by `cross_attention`
        mask    (B, 1, S), True on words
        past    keys and values of the prefix of P positions; without it P is 0
        →  (B, T, d_model); the attention weights; the past of the next position
        Raises `ValueError` for shapes that do not fit and for an empty batch.
        """
        shapes(x=(x, f"B T {self.self_attention.d_model}"))
        if self.norm_first:  # pre-norm: x + dropout(sublayer(norm(x)))
            y, to_target, past = self.attend_to_target(
                self.norm_self_attention(x), past
            )
            x = x + self.dropout(y)
            y, to_source = self.cross_attention.attend(
                self.norm_cross_attention(x), *source, mask
            )
            x = x + self.dropout(y)
            x = x + self.dropout(self.feed_forward(self.norm_feed_forward(x)))
        else:  # post-norm: norm(x + dropout(sublayer(x)))
            y, to_target, past = self.attend_to_target(x, past)
            x = self.norm_self_attention(x + self.dropout(y))
            y, to_source = self.cross_attention.attend(x, *source, mask)
            x = self.norm_cross_attention(x + self.dropout(y))
            x = self.norm_feed_forward(x + self.dropout(self.feed_forward(x)))
        return x, DecoderLayerWeights(to_target, to_source), past

    def attend_to_target(
        self, x: Tensor, past: KVCache | None
    ) -> tuple[Tensor, Tensor, KVCache]:
        """Masked self-attention of x (B, T, d_model) to the prefix and to itself.

        →  (B, T, d_model); attention weights (B, h, T, P + T); P + T keys and values
        """
        K, V = self.self_attention.project(x, x)
        cache = past.append(K, V) if past is not None else KVCache(K, V)
        mask = self.target_mask(x.size(1), cache)
        y, weights = self.self_attention.attend(x, *cache, mask)
        return y, weights, cache

    def target_mask(self, T: int, cache: KVCache) -> Tensor:
        """(T, P + T), True where one of T new positions may attend to a cached one.

        These are the last T rows of the causal mask of all P + T.
        """
        return causal_mask(cache.K.size(2), device=cache.K.device)[-T:]


class Decoder(nn.Module):
    """N layers, which all attend to the same memory of the source.

    >>> decoder = Decoder(LayerConfig(d_model=6, h=3, d_ff=8), N=2)
    >>> source, mask = decoder.project(torch.zeros(1, 5, 6)), torch.ones(1, 5).bool()
    >>> _, _, past = decoder(torch.zeros(1, 3, 6), source, mask)  # a prefix of 3 words
    >>> y, weights, past = decoder(torch.zeros(1, 1, 6), source, mask, past)
    >>> weights[0].self_attention.shape
    torch.Size([1, 3, 1, 4])
    """

    def __init__(self, config: LayerConfig, N: int) -> None:
        whole(N=N)
        super().__init__()
        self.d_model = config.d_model
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(N))
        self.norm = LayerNorm(config.d_model) if config.norm_first else nn.Identity()

    def project(self, memory: Tensor) -> tuple[KVCache, ...]:
        """memory (B, S, d_model) → each layer's keys and values of it.

        They serve for all words of the target.
        """
        source = []
        for layer in self.layers:
            assert isinstance(layer, DecoderLayer)
            source.append(KVCache(*layer.cross_attention.project(memory, memory)))
        return tuple(source)

    def forward(
        self,
        x: Tensor,
        source: tuple[KVCache, ...],
        mask: Tensor,
        past: tuple[KVCache, ...] | None = None,
    ) -> tuple[Tensor, tuple[DecoderLayerWeights, ...], tuple[KVCache, ...]]:
        """x (B, T, d_model); source from `project`; mask (B, S), True on words.

        past  what the last call returned: the prefix of P positions; without it none
        →  (B, T, d_model); the attention weights of each layer; the past of the next
           call
        Raises `ValueError` for shapes that do not fit, another number of layers, a mask
        that is not bool, an empty batch, and a source that is all padding.
        """
        K = source[0].K
        shapes(x=(x, f"B T {self.d_model}"), source=(K, "B h S d"), mask=(mask, "B S"))
        may_attend(mask, mask)
        before = past if past is not None else (None,) * len(self.layers)
        weights, after = [], []
        for layer, memory, cache in zip(self.layers, source, before, strict=True):
            x, w, cache = layer(x, memory, mask.unsqueeze(1), cache)
            weights.append(w)
            after.append(cache)
        return self.norm(x), tuple(weights), tuple(after)
