"""The left half of the Transformer: every word looks at all words, N times over.

`FeedForward` works on each place alone, `EncoderLayer` lets places look at each other
first, `Encoder` is a stack of layers. Vaswani et al. 2017, sections 3.1 and 3.3.

Sizes: B sentences of S words, d_model numbers a place, h heads, N layers.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lookback.attention import check_size
from lookback.layernorm import LayerNorm, Residual
from lookback.multihead import MultiHeadAttention, head_sizes


@dataclass(frozen=True, kw_only=True)
class LayerConfig:
    """The sizes of a layer; the paper's base model: d_model 512, h 8, d_ff 2048.

    d_model     numbers a place
    h           heads;  d_k, d_v  numbers of each one's query and key, and of its value;
                without them d_model / h
    d_ff        numbers inside the feed-forward network
    dropout     the share of what each part says that is left out in training; 0.1
    norm_first  where the norm stands: see `Residual`; the paper: False
    """

    d_model: int
    h: int
    d_ff: int
    d_k: int | None = None
    d_v: int | None = None
    dropout: float = 0.0
    norm_first: bool = False

    def __post_init__(self) -> None:
        head_sizes(self.d_model, self.h, self.d_k, self.d_v)
        check_size("d_ff", self.d_ff)
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be ≥ 0 and < 1, got {self.dropout!r}")

    def attention(self) -> MultiHeadAttention:
        return MultiHeadAttention(self.d_model, self.h, self.d_k, self.d_v)

    def feed_forward(self) -> "FeedForward":
        return FeedForward(self.d_model, self.d_ff)

    def residual(self) -> Residual:
        return Residual(self.d_model, dropout=self.dropout, norm_first=self.norm_first)


class FeedForward(nn.Module):
    """max(0, x W_1 + b_1) W_2 + b_2 at each place alone.

    Vaswani et al. 2017, equation 2

    W_1  d_model → d_ff, W_2  d_ff → d_model, each with its bias
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        check_size("d_model", d_model)
        check_size("d_ff", d_ff)
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape; no place knows of another.

        Raises `ValueError` where the last axis is not d_model.
        """
        if x.dim() == 0 or x.size(-1) != self.W_1.in_features:
            raise ValueError(
                f"x has shape {tuple(x.shape)}: expected (…, {self.W_1.in_features})"
            )
        y: Tensor = self.W_2(self.W_1(x).relu())
        return y


class EncoderLayer(nn.Module):
    """Look at all places, then think about each; a way around both.

    Vaswani et al. 2017, section 3.1
    """

    def __init__(self, config: LayerConfig) -> None:
        super().__init__()
        self.attention = config.attention()
        self.around_attention = config.residual()
        self.feed_forward = config.feed_forward()
        self.around_feed_forward = config.residual()

    def forward(self, x: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        """x (B, S, d_model); mask bool, True where s may be looked at: any that
        `MultiHeadAttention` takes, (B, 1, S) for padding.

        →  (B, S, d_model); weights (B, h, S, S)
        Raises `ValueError` for shapes that do not fit and for an empty batch.
        """
        check_places(x, self.attention.d_model)
        read = self.around_attention.into(x)
        found, weights = self.attention(read, read, read, mask)
        x = self.around_attention.out(x, found)
        thought = self.feed_forward(self.around_feed_forward.into(x))
        return self.around_feed_forward.out(x, thought), weights


class Encoder(nn.Module):
    """N layers, each reading what the one below made of the sentence.

    Where norms stand first nothing normalises the last sum: one more norm does.
    """

    def __init__(self, config: LayerConfig, N: int) -> None:
        super().__init__()
        check_size("N", N)
        self.d_model = config.d_model
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(N))
        self.norm = LayerNorm(config.d_model) if config.norm_first else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """x (B, S, d_model), words and their places; mask (B, S), True on words.

        →  memory (B, S, d_model); the weights of each layer, (B, h, S, S)
        Raises `ValueError` for shapes that do not fit, a mask that is not bool, an
        empty batch, and a sentence that is all padding.
        """
        check_places(x, self.d_model)
        check_words(mask, x.size(0), x.size(1))
        looked = []
        for layer in self.layers:
            x, weights = layer(x, mask.unsqueeze(1))  # (B, 1, S): alike for all places
            looked.append(weights)
        return self.norm(x), tuple(looked)


def check_places(x: Tensor, d_model: int) -> None:
    """`ValueError` unless x is (B, places, d_model), with at least one of each."""
    if x.dim() != 3 or x.size(-1) != d_model or 0 in x.shape:
        raise ValueError(
            f"x has shape {tuple(x.shape)}: expected (B, places, {d_model}), B and "
            "places ≥ 1"
        )


def check_words(mask: Tensor, B: int, S: int) -> None:
    """`ValueError` unless mask is bool (B, S), with a word in each sentence."""
    if mask.dtype != torch.bool or mask.shape != (B, S):
        raise ValueError(
            f"mask is {mask.dtype} of shape {tuple(mask.shape)}: expected torch.bool "
            f"of shape {(B, S)}, True on words"
        )
    if not bool(mask.any(dim=1).all()):
        empty = (~mask.any(dim=1)).nonzero().flatten().tolist()
        raise ValueError(f"sentences {empty} are all padding: expected a word in each")
