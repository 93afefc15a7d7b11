"""The right half of the Transformer: masked self-attention, cross-attention, network.

A `DecoderLayer` attends to the target so far, then to the source, and ends in a
feed-forward network. A `Decoder` is a stack of N layers. A `KVCache` of each keeps the
keys and values of the prefix, so that a new word costs the work of one position.
Vaswani et al. 2017, sections 3.1 and 3.2.3.

Sizes: B sentences of S source words; T target words after a prefix of P; h heads.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from torch import Tensor, nn

from lookback.checks import may_attend, shapes, whole
from lookback.encoder import FeedForward, LayerConfig, through
from lookback.layernorm import LayerNorm, PreNorm, Residual
from lookback.multihead import KVCache, MultiHeadAttention

__all__ = [
    "Decoder",
    "DecoderLayer",
    "DecoderLayerWeights",
    "PreNormDecoder",
    "PreNormDecoderLayer",
]


class DecoderLayerWeights(NamedTuple):
    """The attention weights of a layer.

    self_attention   (B, h, T, P + T)  to the target so far
    cross_attention  (B, h, T, S)      to the source
    """

    self_attention: Tensor
    cross_attention: Tensor


class DecoderLayer(Residual):
    """Masked self-attention, cross-attention and a feed-forward network.

    Each has a residual connection. Vaswani et al. 2017, section 3.1

    >>> import torch
    >>> layer = DecoderLayer(LayerConfig(d_model=6, h=3, d_ff=8))
    >>> memory = torch.zeros(2, 5, 6)
    >>> source = layer.cross_attention.project(memory, memory)
    >>> y, weights, past = layer(torch.zeros(2, 4, 6), source, None)
    >>> y.shape, weights.cross_attention.shape
    (torch.Size([2, 4, 6]), torch.Size([2, 3, 4, 5]))
    """

    def __init__(self, config: LayerConfig) -> None:
        super().__init__(config.dropout)
        sizes = config.d_model, config.h, config.d_k, config.d_v
        self.self_attention = MultiHeadAttention(*sizes)
        self.norm_self_attention = LayerNorm(config.d_model)
        self.cross_attention = MultiHeadAttention(*sizes)
        self.norm_cross_attention = LayerNorm(config.d_model)
        self.feed_forward = FeedForward(config.d_model, config.d_ff)
        self.norm_feed_forward = LayerNorm(config.d_model)

    def forward(
        self,
        x: Tensor,
        source: KVCache,
        mask: Tensor | None = None,
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
        z, add = self.residual(x, self.norm_self_attention)
        y, to_target, past = self.self_attention.causal(z, past)
        z, add = self.residual(add(y), self.norm_cross_attention)
        y, to_source = self.cross_attention.attend(z, *source, mask)
        z, add = self.residual(add(y), self.norm_feed_forward)
        y = add(self.feed_forward(z))
        return y, DecoderLayerWeights(to_target, to_source), past


class PreNormDecoderLayer(PreNorm, DecoderLayer):
    """A `DecoderLayer` whose norms are those of what the sublayers read."""


class Decoder(nn.Module):
    """N layers, which all attend to the same memory of the source.

    >>> import torch
    >>> decoder = Decoder(LayerConfig(d_model=6, h=3, d_ff=8), N=2)
    >>> source, mask = decoder.project(torch.zeros(1, 5, 6)), torch.ones(1, 5).bool()
    >>> _, _, past = decoder(torch.zeros(1, 3, 6), source, mask)  # a prefix of 3 words
    >>> y, weights, past = decoder(torch.zeros(1, 1, 6), source, mask, past)
    >>> weights[0].self_attention.shape
    torch.Size([1, 3, 1, 4])
    """

    layer: type[DecoderLayer] = DecoderLayer

    def __init__(self, config: LayerConfig, N: int) -> None:
        whole(N=N)
        super().__init__()
        self.layers = nn.ModuleList(self.layer(config) for _ in range(N))

    def project(self, memory: Tensor) -> tuple[KVCache, ...]:
        """memory (B, S, d_model) → each layer's keys and values of it.

        They serve for all words of the target.
        """
        layers: Iterable[Any] = self.layers
        return tuple(layer.cross_attention.project(memory, memory) for layer in layers)

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
        shapes(
            x=(x, "B T d_model"), source=(source[0].K, "B h S d"), mask=(mask, "B S")
        )
        may_attend(mask, mask)
        N = len(self.layers)
        masks = [mask.unsqueeze(1)] * N  # (B, 1, S): the same for all positions
        before = [None] * N if past is None else past
        return through(self.layers, x, source, masks, before)


class PreNormDecoder(Decoder):
    """N pre-norm layers, and a norm, since the last sum has passed none."""

    layer = PreNormDecoderLayer

    def __init__(self, config: LayerConfig, N: int) -> None:
        super().__init__(config, N)
        self.norm = LayerNorm(config.d_model)

    def forward(
        self,
        x: Tensor,
        source: tuple[KVCache, ...],
        mask: Tensor,
        past: tuple[KVCache, ...] | None = None,
    ) -> tuple[Tensor, tuple[DecoderLayerWeights, ...], tuple[KVCache, ...]]:
        """As `Decoder.forward`."""
        x, weights, past = super().forward(x, source, mask, past)
        return self.norm(x), weights, past
