"""Mixture of experts: many feed-forward networks, of which each token uses a few.

A `Router` chooses k of N experts for each token. `MixtureOfExperts` adds up what these
k compute; the others do no work. `balance_loss` keeps the router from sending all
tokens to the same experts. `Mixtral` is a `Llama` with a mixture in each layer. Jacobs
et al. 1991 (mixtures), Shazeer et al. 2017 (k of N), Fedus et al. 2022 (Switch, k = 1,
and the loss), Jiang et al. 2024 (Mixtral). Equations have the numbers of this chapter's
page.

Sizes: B sequences of T tokens; d_model features; N experts, of which k are chosen.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from lookback.checks import between, ids, shapes
from lookback.decoder import KVCache
from lookback.gpt import init_weights
from lookback.modern import Llama, LlamaConfig, LlamaLayer, SwiGLU

__all__ = [
    "Mixtral",
    "MixtralConfig",
    "MixtralLayer",
    "MixtureOfExperts",
    "Router",
    "Routing",
    "balance_loss",
]


class Routing(NamedTuple):
    """Where the tokens go.

    p        (…, N)  the router's probability of each expert
    chosen   (…, k)  the experts with the largest p, the largest first
    weights  (…, k)  by which the outputs of these are multiplied
    """

    p: Tensor
    chosen: Tensor
    weights: Tensor


class Router(nn.Module):
    """p = softmax(x W_r), and the k experts whose p are largest.

    W_r  d_model → N

    Of several experts the weights sum to 1 (Jiang et al. 2024). The weight of a single
    one is its p (Fedus et al. 2022): divided by itself it would always be 1, and no
    gradient would reach W_r.
    """

    def __init__(self, d_model: int, experts: int, k: int) -> None:
        between(1, experts, k=k)
        super().__init__()
        self.k = k
        self.W_r = nn.Linear(d_model, experts, bias=False)

    def forward(self, x: Tensor) -> Routing:
        """x (…, d_model) → p (…, N); chosen (…, k), ids of experts; weights (…, k)"""
        p = self.W_r(x).softmax(dim=-1)  # (1)
        weights, chosen = p.topk(self.k, dim=-1)
        if self.k > 1:
            weights = weights / weights.sum(dim=-1, keepdim=True)  # (2)
        return Routing(p, chosen, weights)


class MixtureOfExperts(nn.Module):
    """Σ g_i E_i(x) over the k experts that the router chooses for x.

    Each expert E_i is a `SwiGLU` of d_ff features. Only the k chosen ones compute.

    >>> mixture = MixtureOfExperts(d_model=4, d_ff=6, experts=8, k=2)
    >>> y, routing = mixture(torch.zeros(2, 5, 4))
    >>> y.shape, routing.p.shape, routing.chosen.shape
    (torch.Size([2, 5, 4]), torch.Size([2, 5, 8]), torch.Size([2, 5, 2]))
    """

    def __init__(self, d_model: int, d_ff: int, experts: int, k: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.router = Router(d_model, experts, k)
        self.experts = nn.ModuleList(SwiGLU(d_model, d_ff) for _ in range(experts))

    def forward(self, x: Tensor) -> tuple[Tensor, Routing]:
        """x (…, d_model) → the same shape; how each token was routed"""
        routing = self.router(x)
        tokens = x.reshape(-1, self.d_model)
        chosen, weights = (r.reshape(len(tokens), -1) for r in routing[1:])  # (…, k)
        y = torch.zeros_like(tokens)
        for i, expert in enumerate(self.experts):
            row, place = (chosen == i).nonzero(as_tuple=True)  # who chose expert i
            g = weights[row, place].unsqueeze(-1)
            y = y.index_add(0, row, (g * expert(tokens[row])).to(y))  # (3)
        return y.view_as(x), routing


def balance_loss(p: Tensor, chosen: Tensor) -> Tensor:
    """N Σ_i f_i P_i: 1 where all are used alike.   Fedus et al. 2022, (4)–(6)

    p       (…, N)  probabilities of the experts, of the tokens that count
    chosen  (…, k)  the experts that were chosen
    →  a number, to be multiplied by α. Its gradient goes through P, the means of p; f,
       the shares of all choices, are counts and have none

    >>> p = torch.tensor([[0.5, 0.5], [0.5, 0.5]])
    >>> balance_loss(p, torch.tensor([[0], [1]]))
    tensor(1.)
    """
    shapes(p=(p, "… N"), chosen=(chosen, "… k"))
    N = p.size(-1)
    ids(N, chosen=chosen)
    f = one_hot(chosen, N).flatten(0, -2).to(p).mean(dim=0)  # (N,)
    P = p.flatten(0, -2).mean(dim=0)
    return N * (f @ P)  # (4)


@dataclass(frozen=True, kw_only=True)
class MixtralConfig(LlamaConfig):
    """The sizes of a Llama, d_ff being that of one expert, and of its mixtures.

    experts  N, in each layer
    k        how many of them each token uses
    """

    experts: int
    k: int


class MixtralLayer(LlamaLayer):
    """x + attention(norm(x)), then x + mixture(norm(x))."""

    def __init__(self, config: MixtralConfig) -> None:
        super().__init__(config)
        sizes = config.d_model, config.d_ff, config.experts, config.k
        self.feed_forward = MixtureOfExperts(*sizes)  # type: ignore[assignment]

    def forward(  # type: ignore[override]
        self, x: Tensor, cache: KVCache | None = None
    ) -> tuple[Tensor, Tensor, KVCache, Routing]:
        """As `LlamaLayer.forward`, and how each position was routed."""
        y, weights, cache = self.attention(self.norm_attention(x), cache)
        x = x + y
        y, routing = self.feed_forward(self.norm_feed_forward(x))
        return x + y, weights, cache, routing


class Mixtral(Llama):
    """A `Llama` that also returns the routing of each layer.   Jiang et al. 2024

    >>> sizes = {"N": 2, "d_model": 8, "h": 4, "g": 2, "d_ff": 6}
    >>> model = Mixtral(MixtralConfig(**sizes, experts=3, k=2), vocab_size=5)
    >>> logits, _, _, routing = model(torch.tensor([[2, 4, 1]]))
    >>> logits.shape, routing[0].p.shape
    (torch.Size([1, 3, 5]), torch.Size([1, 3, 3]))
    """

    def __init__(self, config: MixtralConfig, vocab_size: int) -> None:
        super().__init__(config, vocab_size)
        self.layers = nn.ModuleList(MixtralLayer(config) for _ in range(config.N))
        init_weights(self, config.init, config.N)

    def forward(  # type: ignore[override]
        self, words: Tensor, cache: tuple[KVCache, ...] | None = None
    ) -> tuple[Tensor, tuple[Tensor, ...], tuple[KVCache, ...], tuple[Routing, ...]]:
        """As `Llama.forward`, and the routing of each layer."""
        shapes(words=(words, "B T"))
        ids(self.e.num_embeddings, words=words)
        x, before = self.e(words), cache or [None] * len(self.layers)
        weights, after, routings = [], [], []
        for layer, kept in zip(self.layers, before, strict=True):
            x, w, kept, routing = layer(x, kept)
            weights.append(w)
            after.append(kept)
            routings.append(routing)
        logits = self.scores(self.norm(x))
        return logits, tuple(weights), tuple(after), tuple(routings)
