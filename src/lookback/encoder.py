"""The left half of the Transformer: a stack of self-attention and feed-forward layers.

`FeedForward` works on each position alone. An `EncoderLayer` lets all positions attend
to each other first. `Encoder` is a stack of N layers. Vaswani et al. 2017, sections 3.1
and 3.3.

Sizes: B sentences of S words, d_model features of a position, h heads, N layers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from lookback.checks import may_attend, shapes, share, whole
from lookback.layernorm import LayerNorm, PreNorm, Residual
from lookback.multihead import MultiHeadAttention, check_heads

__all__ = [
    "Encoder",
    "EncoderLayer",
    "FeedForward",
    "LayerConfig",
    "PreNormEncoder",
    "PreNormEncoderLayer",
    "through",
]


@dataclass(frozen=True, kw_only=True)
class LayerConfig:
    """The sizes of a layer; the paper's base model: d_model 512, h 8, d_ff 2048.

    d_model  features of a position
    h        heads;  d_k, d_v  features of each one's query and key, and of its value;
             without them d_model / h
    d_ff     features inside the feed-forward network
    dropout  the share of each sublayer's output that is set to 0 in training; the
             paper: 0.1
    """

    d_model: int
    h: int
    d_ff: int
    d_k: int | None = None
    d_v: int | None = None
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_heads(self.d_model, self.h, self.d_k, self.d_v)
        whole(d_ff=self.d_ff)
        share(dropout=self.dropout)


class FeedForward(nn.Module):
    """max(0, x W_1 + b_1) W_2 + b_2 at each position alone.

    Vaswani et al. 2017, equation 2

    W_1  d_model → d_ff, W_2  d_ff → d_model, each with its bias

    >>> import torch
    >>> FeedForward(d_model=4, d_ff=16)(torch.zeros(2, 5, 4)).shape
    torch.Size([2, 5, 4])
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        whole(d_model=d_model, d_ff=d_ff)
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape; no position depends on another."""
        return self.W_2(self.W_1(x).relu())  # type: ignore[no-any-return]  # (2)


class EncoderLayer(Residual):
    """Self-attention, then a feed-forward network, each with a residual connection.

    Vaswani et al. 2017, section 3.1

    >>> import torch
    >>> layer = EncoderLayer(LayerConfig(d_model=6, h=3, d_ff=8))
    >>> y, weights = layer(torch.zeros(2, 5, 6), None)
    >>> y.shape, weights.shape
    (torch.Size([2, 5, 6]), torch.Size([2, 3, 5, 5]))
    """

    def __init__(self, config: LayerConfig) -> None:
        super().__init__(config.dropout)
        sizes = config.d_model, config.h, config.d_k, config.d_v
        self.self_attention = MultiHeadAttention(*sizes)
        self.norm_self_attention = LayerNorm(config.d_model)
        self.feed_forward = FeedForward(config.d_model, config.d_ff)
        self.norm_feed_forward = LayerNorm(config.d_model)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """x (B, S, d_model); mask bool, True where s may be attended to.

        mask  any that `MultiHeadAttention` takes, (B, 1, S) for padding
        →  (B, S, d_model); attention weights (B, h, S, S)
        Raises `ValueError` for shapes that do not fit and for an empty batch.
        """
        shapes(x=(x, f"B S {self.self_attention.d_model}"))
        z, add = self.residual(x, self.norm_self_attention)
        y, weights = self.self_attention(z, z, z, mask)
        z, add = self.residual(add(y), self.norm_feed_forward)
        return add(self.feed_forward(z)), weights


class PreNormEncoderLayer(PreNorm, EncoderLayer):
    """An `EncoderLayer` whose norms are those of what the sublayers read."""


class Encoder(nn.Module):
    """N layers; the input of each is the output of the one below.

    >>> import torch
    >>> encoder = Encoder(LayerConfig(d_model=6, h=3, d_ff=8), N=2)
    >>> memory, weights = encoder(torch.zeros(1, 5, 6), torch.ones(1, 5).bool())
    >>> memory.shape, len(weights)
    (torch.Size([1, 5, 6]), 2)
    """

    layer: type[EncoderLayer] = EncoderLayer

    def __init__(self, config: LayerConfig, N: int) -> None:
        whole(N=N)
        super().__init__()
        self.layers = nn.ModuleList(self.layer(config) for _ in range(N))

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """x (B, S, d_model), words and their positions; mask (B, S), True on words.

        →  memory (B, S, d_model); the attention weights of each layer, (B, h, S, S)
        Raises `ValueError` for shapes that do not fit, a mask that is not bool, an
        empty batch, and a sentence that is all padding.
        """
        shapes(x=(x, "B S d_model"), mask=(mask, "B S"))
        may_attend(mask, mask)
        mask = mask.unsqueeze(1)  # (B, 1, S): the same for all positions
        return through(self.layers, x, [mask] * len(self.layers))


class PreNormEncoder(Encoder):
    """N pre-norm layers, and a norm, since the last sum has passed none."""

    layer = PreNormEncoderLayer

    def __init__(self, config: LayerConfig, N: int) -> None:
        super().__init__(config, N)
        self.norm = LayerNorm(config.d_model)

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """As `Encoder.forward`."""
        x, weights = super().forward(x, mask)
        return self.norm(x), weights


def through(
    layers: nn.ModuleList, x: Tensor, *others: Sequence[Any]
) -> tuple[Any, ...]:
    """Apply the layers one after the other, each to the output of the one below.

    others  what a layer reads besides x: of each kind one for each layer
    →  x; what else each layer returns: of each kind one from each layer
    """
    results = []
    for layer, *read in zip(layers, *others, strict=True):
        x, *rest = layer(x, *read)
        results.append(rest)
    return x, *zip(*results, strict=True)
