"""The language model of today: GPT with other norms, gates, positions and heads.

`RMSNorm` normalises without centring (Zhang and Sennrich 2019). `SwiGLU` is a
feed-forward network one half of which opens and closes the other (Shazeer 2020).
`Llama` puts them together with rotary positions and grouped-query attention, as Llama
does (Touvron et al. 2023). Equations have the numbers of this chapter's page.

Sizes: B sequences of T words after a prefix of P; d_model features; N layers; V words.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lookback.attention import causal_mask
from lookback.checks import ids, one_of, shapes
from lookback.decoder import KVCache
from lookback.gpt import init_weights
from lookback.grouped import GroupedQueryAttention, grouped_attention
from lookback.multihead import merge, split
from lookback.rotary import RotaryEmbedding

__all__ = [
    "GATES",
    "GatedNetwork",
    "Llama",
    "LlamaConfig",
    "LlamaLayer",
    "RMSNorm",
    "RotaryGroupedAttention",
    "SwiGLU",
]


class RMSNorm(nn.Module):
    """g ⊙ x / √(mean of x² + ε), over the features of one token.

    Zhang and Sennrich 2019: `LayerNorm` without its mean and its bias.

    >>> RMSNorm(2)(torch.tensor([1.0, 7]))  # the root of (1 + 49) / 2 is 5
    tensor([0.2000, 1.4000], grad_fn=<MulBackward0>)
    """

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape."""
        shapes(x=(x, f"… {len(self.g)}"))
        x = x.to(torch.promote_types(x.dtype, torch.float32))  # squares overflow half
        mean_square = x.square().mean(dim=-1, keepdim=True)
        y = x * torch.rsqrt(mean_square + self.eps) * self.g  # (1)
        return y.to(self.g.dtype)


class SwiGLU(nn.Module):
    """(silu(x W) ⊙ x V) W_2 at each position alone, without biases.   Shazeer 2020

    W, V  d_model → d_ff;  W_2  d_ff → d_model;  silu(a) = a · sigmoid(a)

    It has three matrices, and `FeedForward` has two. With two thirds of the d_ff of a
    `FeedForward` it has about as many parameters.

    >>> SwiGLU(d_model=4, d_ff=6)(torch.zeros(2, 5, 4)).shape
    torch.Size([2, 5, 4])
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.W = nn.Linear(d_model, d_ff, bias=False)
        self.V = nn.Linear(d_model, d_ff, bias=False)
        self.W_2 = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape; no position depends on another."""
        gated = F.silu(self.W(x)) * self.V(x)
        return self.W_2(gated)  # type: ignore[no-any-return]  # (3)


GATES: dict[str, Callable[[Tensor], Tensor]] = {
    "bilinear": lambda a: a,
    "glu": torch.sigmoid,
    "reglu": torch.relu,
    "geglu": F.gelu,
    "swiglu": F.silu,
}
"""The function of the gate, by the name of the network."""


class GatedNetwork(SwiGLU):
    """(gate(x W) ⊙ x V) W_2, the gate being one of GATES.   Shazeer 2020"""

    def __init__(self, d_model: int, d_ff: int, gate: str = "swiglu") -> None:
        one_of(GATES, gate=gate)
        super().__init__(d_model, d_ff)
        self.gate = GATES[gate]

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape."""
        gated = self.gate(self.W(x)) * self.V(x)
        return self.W_2(gated)  # type: ignore[no-any-return]


@dataclass(frozen=True, kw_only=True)
class LlamaConfig:
    """The sizes of a Llama.

    N, d_model  layers, and features of a position
    h, g        heads of queries, and of keys and values
    d_ff        features between the matrices of SwiGLU
    eps         of RMSNorm
    tied        whether one table embeds the words and scores them
    init        σ of the normal distribution that matrices begin with; W_O and W_2 with
                σ / √(2N), as in `GPTConfig`
    """

    N: int
    d_model: int
    h: int
    g: int
    d_ff: int
    eps: float = 1e-6
    tied: bool = False
    init: float = 0.02


class RotaryGroupedAttention(GroupedQueryAttention):
    """Grouped-query attention whose queries and keys are rotated by their positions.

    Touvron et al. 2023. A cache keeps rotated keys.
    """

    def __init__(self, d_model: int, h: int, g: int) -> None:
        super().__init__(d_model, h, g)
        self.rotary = RotaryEmbedding(self.d_k)

    def forward(  # type: ignore[override]
        self, x: Tensor, cache: KVCache | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor, KVCache]:
        """As `GroupedQueryAttention.forward`."""
        T, P = x.size(1), cache.K.size(2) if cache else 0
        Q = self.rotary(split(self.W_Q(x), self.h), first=P)  # (B, h, T, d_k)
        K = self.rotary(split(self.W_K(x), self.g), first=P)  # (B, g, T, d_k)
        V = split(self.W_V(x), self.g)
        cache = cache.append(K, V) if cache else KVCache(K, V)
        may = causal_mask(T, P, device=x.device)
        if mask is not None:
            may = may & mask[:, None, None]  # (B, 1, T, P + T)
        heads, weights = grouped_attention(Q, *cache, may)
        return self.W_O(merge(heads)), weights, cache


class LlamaLayer(nn.Module):
    """x + attention(norm(x)), then x + network(norm(x)): pre-norm, without biases."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        d = config.d_model
        self.norm_attention = RMSNorm(d, config.eps)
        self.attention = RotaryGroupedAttention(d, config.h, config.g)
        self.norm_feed_forward = RMSNorm(d, config.eps)
        self.feed_forward = SwiGLU(d, config.d_ff)

    def forward(
        self, x: Tensor, cache: KVCache | None = None
    ) -> tuple[Tensor, Tensor, KVCache]:
        """x (B, T, d_model), new positions; cache: keys and values of P before them.

        →  (B, T, d_model); attention weights (B, h, T, P + T); P + T keys and values
        """
        y, weights, cache = self.attention(self.norm_attention(x), cache)
        x = x + y  # (4)
        return x + self.feed_forward(self.norm_feed_forward(x)), weights, cache


class Llama(nn.Module):
    """P(word | all words before it), at all positions at once.   Touvron et al. 2023

    >>> config = LlamaConfig(N=2, d_model=8, h=4, g=2, d_ff=6)
    >>> logits, weights, cache = Llama(config, vocab_size=5)(torch.tensor([[2, 4, 1]]))
    >>> logits.shape, weights[0].shape, cache[0].K.shape
    (torch.Size([1, 3, 5]), torch.Size([1, 4, 3, 3]), torch.Size([1, 2, 3, 2]))
    """

    def __init__(self, config: LlamaConfig, vocab_size: int) -> None:
        super().__init__()
        self.config = config
        self.e = nn.Embedding(vocab_size, config.d_model)
        self.layers = nn.ModuleList(LlamaLayer(config) for _ in range(config.N))
        self.norm = RMSNorm(config.d_model, config.eps)
        self.scores = nn.Linear(config.d_model, vocab_size, bias=False)
        init_weights(self, config.init, config.N)
        if config.tied:
            self.scores.weight = self.e.weight

    def forward(
        self, words: Tensor, cache: tuple[KVCache, ...] | None = None
    ) -> tuple[Tensor, tuple[Tensor, ...], tuple[KVCache, ...]]:
        """words (B, T), ids that follow those of the cache.

        cache  what the last call returned: a prefix of P words; without it none
        →  logits (B, T, V), those at t for the word at t + 1; the attention weights of
           each layer, (B, h, T, P + T); the cache of the next call
        Raises `ValueError` for ids outside the vocabulary and for no words.
        """
        shapes(words=(words, "B T"))
        ids(self.e.num_embeddings, words=words)
        x, before = self.e(words), cache or [None] * len(self.layers)
        weights, after = [], []
        for layer, kept in zip(self.layers, before, strict=True):
            x, w, kept = layer(x, kept)
            weights.append(w)
            after.append(kept)
        return self.scores(self.norm(x)), tuple(weights), tuple(after)
