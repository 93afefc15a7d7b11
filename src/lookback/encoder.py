"""The left half of the Transformer: a stack of self-attention and feed-forward layers.

`FeedForward` works on each position alone. An `EncoderLayer` lets all positions attend
to each other first. `Encoder` is a stack of N layers. Vaswani et al. 2017, sections 3.1
and 3.3.

Sizes: B sentences of S words, d_model features of a position, h heads, N layers.
"""

from dataclasses import dataclass

from torch import Tensor, nn

from lookback.checks import shapes
from lookback.layernorm import LayerNorm
from lookback.multihead import MultiHeadAttention

__all__ = ["Encoder", "EncoderLayer", "FeedForward", "LayerConfig"]


@dataclass(frozen=True, kw_only=True)
class LayerConfig:
    """The sizes of a layer; the paper's base model: d_model 512, h 8, d_ff 2048.

    d_model     features of a position
    h           heads;  d_k, d_v  features of each one's query and key, and of its
                value; without them d_model / h
    d_ff        features inside the feed-forward network
    dropout     the share of each sublayer's output that is set to 0 in training; the
                paper: 0.1
    norm_first  False: post-norm, as in the paper; True: pre-norm
    bias        do the matrices of attention have a bias? The paper's have none
    """

    d_model: int
    h: int
    d_ff: int
    d_k: int | None = None
    d_v: int | None = None
    dropout: float = 0.0
    norm_first: bool = False
    bias: bool = False


class FeedForward(nn.Module):
    """max(0, x W_1 + b_1) W_2 + b_2 at each position alone.

    Vaswani et al. 2017, equation 2

    W_1  d_model → d_ff, W_2  d_ff → d_model, each with its bias

    >>> import torch
    >>> FeedForward(d_model=4, d_ff=16)(torch.zeros(2, 5, 4)).shape
    torch.Size([2, 5, 4])
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape; no position depends on another."""
        return self.W_2(self.W_1(x).relu())  # type: ignore[no-any-return]  # (2)


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network, each with a residual connection.

    Vaswani et al. 2017, section 3.1

    >>> import torch
    >>> layer = EncoderLayer(LayerConfig(d_model=6, h=3, d_ff=8))
    >>> y, weights = layer(torch.zeros(2, 5, 6))
    >>> y.shape, weights.shape
    (torch.Size([2, 5, 6]), torch.Size([2, 3, 5, 5]))
    """

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        c = config
        self.self_attention = MultiHeadAttention(
            c.d_model, c.h, c.d_k, c.d_v, bias=c.bias
        )
        self.norm_self_attention = LayerNorm(c.d_model)
        self.feed_forward = FeedForward(c.d_model, c.d_ff)
        self.norm_feed_forward = LayerNorm(c.d_model)
        self.dropout = nn.Dropout(c.dropout)
        self.norm_first = c.norm_first

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """x (B, S, d_model); mask bool, True where s may be attended to.

        mask  any that `MultiHeadAttention` takes, (B, 1, S) for padding
        →  (B, S, d_model); attention weights (B, h, S, S)
        """
        if self.norm_first:
            z = self.norm_self_attention(x)
            y, weights = self.self_attention(z, z, z, mask)
            x = x + self.dropout(y)
            x = x + self.dropout(self.feed_forward(self.norm_feed_forward(x)))
        else:
            y, weights = self.self_attention(x, x, x, mask)
            x = self.norm_self_attention(x + self.dropout(y))
            x = self.norm_feed_forward(x + self.dropout(self.feed_forward(x)))
        return x, weights


class Encoder(nn.Module):
    """N layers; the input of each is the output of the one below.

    In pre-norm a norm follows, since the last sum has passed none.

    >>> import torch
    >>> encoder = Encoder(LayerConfig(d_model=6, h=3, d_ff=8), N=2)
    >>> memory, weights = encoder(torch.zeros(1, 5, 6), torch.ones(1, 5).bool())
    >>> memory.shape, len(weights)
    (torch.Size([1, 5, 6]), 2)
    """

    def __init__(self, config: LayerConfig, N: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(N))
        self.norm = LayerNorm(config.d_model) if config.norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """x (B, S, d_model), words and their positions; mask (B, S), True on words.

        →  memory (B, S, d_model); the attention weights of each layer, (B, h, S, S)
        Raises `ValueError` for shapes that do not fit, a mask that is not bool, an
        empty batch, and a sentence that is all padding.
        """
        shapes(x=(x, "B S d_model"), mask=(mask, "B S"))
        mask = mask.unsqueeze(1)  # (B, 1, S): the same for all positions
        weights = []
        for layer in self.layers:
            x, w = layer(x, mask)
            weights.append(w)
        return self.norm(x), tuple(weights)
