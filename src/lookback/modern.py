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

from lookback.checks import above, ids, one_of, shapes, whole
from lookback.encoder import through
from lookback.gpt import Past, begin
from lookback.grouped import RotaryGroupedAttention
from lookback.multihead import KVCache

__all__ = [
    "GATES",
    "GatedNetwork",
    "Llama",
    "LlamaConfig",
    "LlamaLayer",
    "RMSNorm",
    "SwiGLU",
]


class RMSNorm(nn.Module):
    """g ⊙ x / √(mean of x² + ε), over the features of one token.

    Zhang and Sennrich 2019: `LayerNorm` without its mean and its bias.

    >>> RMSNorm(2)(torch.tensor([1.0, 7]))  # the root of (1 + 49) / 2 is 5
    tensor([0.2000, 1.4000], grad_fn=<MulBackward0>)
    """

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        whole(d_model=d_model)
        above(0, eps=eps)
        super().__init__()
        self.d_model, self.eps = d_model, eps
        self.g = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape."""
        shapes(x=(x, f"… {self.d_model}"))
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
        whole(d_model=d_model, d_ff=d_ff)
        super().__init__()
        self.W = nn.Linear(d_model, d_ff, bias=False)
        self.V = nn.Linear(d_model, d_ff, bias=False)
        self.W_2 = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """x (…, d_model) → the same shape; no position depends on another."""
        gated = self.gate(self.W(x)) * self.V(x)
        return self.W_2(gated)  # type: ignore[no-any-return]  # (3)

    def gate(self, a: Tensor) -> Tensor:
        return F.silu(a)


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
        self.kind = gate

    def gate(self, a: Tensor) -> Tensor:
        return GATES[self.kind](a)


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

    def __post_init__(self) -> None:
        whole(N=self.N)
        above(0, init=self.init)


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
        self, x: Tensor, past: KVCache | None = None
    ) -> tuple[Tensor, Tensor, KVCache]:
        """x (B, T, d_model), new positions; past: keys and values of P before them.

        →  (B, T, d_model); attention weights (B, h, T, P + T); P + T keys and values
        """
        y, weights, past = self.attention.causal(self.norm_attention(x), past)
        x = x + y  # (4)
        return x + self.feed_forward(self.norm_feed_forward(x)), weights, past


class Llama(nn.Module):
    """P(word | all words before it), at all positions at once.   Touvron et al. 2023

    >>> config = LlamaConfig(N=2, d_model=8, h=4, g=2, d_ff=6)
    >>> logits, weights, past = Llama(config, vocab_size=5)(torch.tensor([[2, 4, 1]]))
    >>> logits.shape, weights[0].shape, past[0].K.shape
    (torch.Size([1, 3, 5]), torch.Size([1, 4, 3, 3]), torch.Size([1, 2, 3, 2]))
    """

    def __init__(self, config: LlamaConfig, vocab_size: int) -> None:
        whole(vocab_size=vocab_size)
        super().__init__()
        self.config = config
        self.e = nn.Embedding(vocab_size, config.d_model)
        self.layers = nn.ModuleList(LlamaLayer(config) for _ in range(config.N))
        self.norm = RMSNorm(config.d_model, config.eps)
        self.scores = nn.Linear(config.d_model, vocab_size, bias=False)
        begin(self, config.init, config.N)
        if config.tied:
            self.scores.weight = self.e.weight

    def forward(
        self, words: Tensor, past: Past | None = None
    ) -> tuple[Tensor, tuple[Tensor, ...], Past]:
        """words (B, T), ids that follow those of the past.

        past  what the last call returned: a prefix of P words; without it none
        →  logits (B, T, V), those at t for the word at t + 1; the attention weights of
           each layer, (B, h, T, P + T); the past of the next call
        Raises `ValueError` for ids outside the vocabulary, for no words, and for a
        past of other sentences.
        """
        shapes(words=(words, "B T"))
        ids(self.e.num_embeddings, words=words)
        before = [None] * len(self.layers) if past is None else past
        x, *rest = through(self.layers, self.e(words), before)
        return self.scores(self.norm(x)), *rest
