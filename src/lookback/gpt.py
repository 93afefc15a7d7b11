"""GPT: the decoder alone, trained to predict each word from the words before it.

A `Block` is a layer of the Transformer's decoder without cross-attention: masked
self-attention and a feed-forward network. `GPT` is a stack of N blocks, whose table of
embeddings also scores the next word. `sample` draws words, one after the other. A
`Classifier` is a pre-trained GPT with one more matrix. Radford et al. 2018 (GPT) and
2019 (GPT-2). Equations have the numbers of this chapter's page.

Sizes: B sequences of T words after a prefix of P; d_model features of a position; h
heads; V words.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from lookback.checks import above, ids, shapes
from lookback.decoder import KVCache, SelfAttention
from lookback.decoding import truncated
from lookback.encoder import FeedForward, LayerConfig
from lookback.layernorm import LayerNorm
from lookback.positions import LearnedPositions

__all__ = [
    "GPT",
    "GPT2",
    "GPT_2018",
    "Block",
    "Classifier",
    "GELUNetwork",
    "GPTConfig",
    "LanguageModel",
    "gelu",
    "init_weights",
    "sample",
]


def gelu(x: Tensor) -> Tensor:
    """½ x (1 + tanh(√(2/π) (x + 0.044715 x³))).   Hendrycks and Gimpel 2016

    About x Φ(x): each number times the share of the standard normal distribution that
    is below it. ReLU multiplies with 0 or 1 instead.

    >>> [round(y, 3) for y in gelu(torch.tensor([-2.0, -1, 0, 1, 2])).tolist()]
    [-0.045, -0.159, 0.0, 0.841, 1.955]
    """
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return x * (1 + torch.tanh(inner)) / 2


class GELUNetwork(FeedForward):
    """gelu(x W_1 + b_1) W_2 + b_2 at each position alone: `FeedForward`, with GELU."""

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape."""
        x = nn.functional.gelu(self.W_1(x), approximate="tanh")  # `gelu`, faster
        return self.W_2(x)  # type: ignore[no-any-return]  # (2)


@dataclass(frozen=True, kw_only=True)
class GPTConfig(LayerConfig):
    """The sizes of a GPT: those of a layer, and these.

    N              blocks
    max_positions  learned positional embeddings: how long a sequence may be
    init           σ of the normal distribution that matrices begin with. The outputs
                   of W_O and W_2 are added to the state, 2N times in all: these
                   matrices begin with σ / √(2N)
    norm_first     True: pre-norm, as GPT-2; False: post-norm, as the GPT of 2018
    """

    N: int
    max_positions: int
    init: float = 0.02
    norm_first: bool = True
    bias: bool = True


GPT_2018 = GPTConfig(
    N=12, d_model=768, h=12, d_ff=3072, max_positions=512, dropout=0.1, norm_first=False
)
"""The GPT of 2018, whose W_O and W_2 began with σ .02, too. V: 40 478."""

GPT2 = {
    name: GPTConfig(
        N=N, d_model=d, h=d // 64, d_ff=4 * d, max_positions=1024, dropout=0.1
    )
    for name, N, d in (
        ("small", 12, 768), ("medium", 24, 1024), ("large", 36, 1280), ("xl", 48, 1600)
    )
}  # fmt: skip
"""The four sizes of GPT-2. V: 50 257."""


class Block(nn.Module):
    """Masked self-attention and a feed-forward network, with residual connections.

    A `DecoderLayer` without cross-attention: there is no source to attend to.

    >>> block = Block(GPTConfig(N=1, d_model=6, h=3, d_ff=8, max_positions=9))
    >>> y, weights, cache = block(torch.zeros(2, 4, 6))
    >>> y.shape, weights.shape, cache.K.shape
    (torch.Size([2, 4, 6]), torch.Size([2, 3, 4, 4]), torch.Size([2, 3, 4, 2]))
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        c = config
        self.norm_attention: nn.Module = LayerNorm(c.d_model)
        self.attention = SelfAttention(c.d_model, c.h, c.d_k, c.d_v, bias=c.bias)
        self.norm_feed_forward: nn.Module = LayerNorm(c.d_model)
        self.feed_forward: nn.Module = GELUNetwork(c.d_model, c.d_ff)
        self.dropout = nn.Dropout(c.dropout)
        self.norm_first = c.norm_first

    def forward(
        self, x: Tensor, cache: KVCache | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor, KVCache]:
        """x (B, T, d_model), new positions; cache: keys and values of P before them.

        mask  (B, P + T), False on hidden positions; without it none is hidden
        →  (B, T, d_model); attention weights (B, h, T, P + T); P + T keys and values
        """
        if self.norm_first:
            y, weights, cache = self.attention(self.norm_attention(x), cache, mask)
            x = x + self.dropout(y)
            x = x + self.dropout(self.feed_forward(self.norm_feed_forward(x)))
        else:
            y, weights, cache = self.attention(x, cache, mask)
            x = self.norm_attention(x + self.dropout(y))
            x = self.norm_feed_forward(x + self.dropout(self.feed_forward(x)))
        return x, weights, cache


class GPT(nn.Module):
    """P(word | all words before it), at all positions at once.   Radford et al. 2018

    e (V, d_model)              the embedding of each word. Its product with a state is
                                also the score of this word as the next (tied weights)
    p (max_positions, d_model)  the embedding of each position

    >>> config = GPTConfig(N=2, d_model=6, h=3, d_ff=8, max_positions=9)
    >>> logits, weights, cache = GPT(config, vocab_size=5)(torch.tensor([[2, 4, 1]]))
    >>> logits.shape, len(weights), len(cache)
    (torch.Size([1, 3, 5]), 2, 2)
    """

    def __init__(self, config: GPTConfig, vocab_size: int) -> None:
        super().__init__()
        self.config = config
        self.e = nn.Embedding(vocab_size, config.d_model)
        self.p = LearnedPositions(config.max_positions, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.N))
        self.norm: nn.Module = (
            LayerNorm(config.d_model) if config.norm_first else nn.Identity()
        )
        init_weights(self, config.init, config.N)

    def forward(
        self,
        words: Tensor,
        cache: tuple[KVCache, ...] | None = None,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, tuple[Tensor, ...], tuple[KVCache, ...]]:
        """words (B, T), ids that follow those of the cache.

        cache  what the last call returned: a prefix of P words; without it none
        mask   (B, P + T), False on words that are hidden: none attends to them, not
               even they themselves; without it none is hidden
        →  logits (B, T, V), those at t for the word at t + 1; the attention weights of
           each block, (B, h, T, P + T); the cache of the next call
        Raises `ValueError` for ids outside the vocabulary, for no words, and for more
        positions than were learned.
        """
        x, weights, cache = self.states(words, cache, mask)
        return linear(x, self.e.weight), weights, cache

    def states(
        self,
        words: Tensor,
        cache: tuple[KVCache, ...] | None = None,
        mask: Tensor | None = None,
    ) -> tuple[Tensor, tuple[Tensor, ...], tuple[KVCache, ...]]:
        """`forward` without the last product: x (B, T, d_model), weights, cache."""
        ids(self.e.num_embeddings, words=words)
        T, P = words.size(-1), cache[0].K.size(2) if cache else 0
        shapes(words=(words, "B T"), mask=(mask, f"B {P + T}"))
        x = self.dropout(self.e(words) + self.p(T, P))  # (1)
        before = cache or [None] * len(self.blocks)
        weights, after = [], []
        for block, kept in zip(self.blocks, before, strict=True):
            x, w, kept = block(x, kept, mask)
            weights.append(w)
            after.append(kept)
        return self.norm(x), tuple(weights), tuple(after)


@torch.no_grad()
def init_weights(network: nn.Module, σ: float, N: int | None = None) -> None:
    """Matrices ~ N(0, σ²), W_O and W_2 ~ N(0, σ² / 2N); biases 0, gains 1.

    Without N, as in BERT, W_O and W_2 are like the others.
    """
    for name, parameter in network.named_parameters():
        added = name.endswith(("W_O.weight", "W_2.weight"))
        if parameter.dim() == 2:
            parameter.normal_(std=σ / math.sqrt(2 * N) if N and added else σ)
        elif not name.endswith(".g"):
            parameter.zero_()


class Classifier(nn.Module):
    """softmax(h W_y), h a pre-trained GPT's state of a sequence's last word.

    Fine-tuning, Radford et al. 2018, section 3.2: W_y is the only new parameter.

    W_y (d_model, classes)  without a bias, as there

    >>> config = GPTConfig(N=2, d_model=6, h=3, d_ff=8, max_positions=9)
    >>> classifier = Classifier(GPT(config, vocab_size=5), classes=2)
    >>> scores, logits = classifier(torch.tensor([[2, 4, 1]]), torch.tensor([2]))
    >>> scores.shape, logits.shape
    (torch.Size([1, 2]), torch.Size([1, 3, 5]))
    """

    def __init__(self, gpt: GPT, classes: int) -> None:
        super().__init__()
        self.gpt = gpt
        self.W_y = nn.Linear(gpt.config.d_model, classes, bias=False)
        nn.init.normal_(self.W_y.weight, std=gpt.config.init)

    def forward(self, words: Tensor, last: Tensor) -> tuple[Tensor, Tensor]:
        """words (B, T), padded at the end; last (B,), the index of each one's last.

        →  scores (B, classes), whose softmax is P(class | words); logits (B, T, V) of
           the next words, for the auxiliary loss
        """
        shapes(words=(words, "B T"), last=(last, "B"))
        ids(words.size(1), last=last)
        x, _, _ = self.gpt.states(words)
        return self.W_y(x[torch.arange(len(x)), last]), linear(x, self.gpt.e.weight)


class LanguageModel(Protocol):
    """What `sample` needs: ids (B, T) and a cache in; logits, weights, a cache out."""

    def __call__(
        self, words: Tensor, cache: tuple[KVCache, ...] | None = None, /
    ) -> tuple[Tensor, tuple[Tensor, ...], tuple[KVCache, ...]]: ...


@torch.no_grad()
def sample(
    model: LanguageModel,
    prefix: Tensor,
    n: int,
    *,
    generator: torch.Generator,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
) -> Tensor:
    """n words after a prefix, each drawn from softmax(logits / τ): (B, n) ids.

    prefix        (B, P) ids, P ≥ 1
    temperature   τ: 1 draws as the model says; towards 0 the likeliest word takes all
    top_k, top_p  as of `decoding.truncated`: draw from the likeliest words alone; a
                  top_k of 1 is greedy decoding
    Raises `ValueError` for an empty prefix, a temperature that is not above 0, a top_k
    below 1, a top_p outside (0, 1], and more positions than the model has.
    """
    above(0, temperature=temperature)
    words, cache = [], None
    for _ in range(n):
        logits, _, cache = model(prefix, cache)
        logits = logits[:, -1].float() / temperature  # half precision has no 1e5
        p = truncated(logits, top_k, top_p).softmax(dim=-1)
        prefix = p.multinomial(1, generator=generator)  # (B, 1)
        words.append(prefix)
    return torch.cat(words, dim=1)
