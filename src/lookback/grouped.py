"""Keys and values for less: heads that share them, and a softmax that reads in blocks.

`GroupedQueryAttention` lets several heads share one set of keys and values: multi-query
attention (Shazeer 2019) with one set, grouped-query attention (Ainslie et al. 2023)
with some. `online_softmax_attention` gives the outputs of plain attention without ever
holding all scores (Milakov and Gimelshein 2018; FlashAttention, Dao et al. 2022).
Equations have the numbers of this chapter's page.

Sizes: T queries, the last T of S positions; h heads of queries, g of keys and values.
"""

import math

import torch
from torch import Tensor

from lookback.attention import (
    causal_mask,
    projection,
    scaled_dot_product_attention,
)
from lookback.checks import shapes, whole
from lookback.decoder import KVCache, SelfAttention
from lookback.multihead import MultiHeadAttention, merge, split

__all__ = [
    "GroupedQueryAttention",
    "cache_bytes",
    "grouped_attention",
    "online_softmax_attention",
    "pooled",
]


def grouped_attention(
    Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Attention of h heads to g sets of keys and values; g has to divide h.

    Q     (B, h, T, d_k)
    K, V  (B, g, S, d_k)
    mask  bool, the same for all heads: (T, S), or (B, 1, T, S)
    →  outputs (B, h, T, d_k); attention weights (B, h, T, S)

    All heads of a group have the same keys. Their queries are put one after the other,
    as h / g · T rows of one matrix, so that one product compares them with the keys and
    no key is copied.
    """
    T, r = Q.size(2), Q.size(1) // K.size(1)
    rows = torch.unflatten(Q, 1, (-1, r)).flatten(2, 3)  # (B, g, r T, d_k)
    if mask is not None:
        mask = torch.cat([mask.expand(*mask.shape[:-2], T, -1)] * r, dim=-2)
    both = scaled_dot_product_attention(rows, K, V, mask)  # (1)
    heads, weights = (torch.unflatten(x, 2, (r, T)).flatten(1, 2) for x in both)
    return heads, weights


class GroupedQueryAttention(SelfAttention):
    """Head i attends with its own queries to the keys and values of group ⌊i g / h⌋.

    g = h is multi-head attention, g = 1 multi-query attention; g has to divide h.
    Ainslie et al. 2023; Shazeer 2019 for g = 1

    W_Q  d_model → h d_k;  W_K, W_V  d_model → g d_k;  W_O  h d_k → d_model

    >>> attention, x = GroupedQueryAttention(d_model=8, h=4, g=2), torch.randn(3, 5, 8)
    >>> output, weights, cache = attention(x)
    >>> weights.shape, cache.K.shape
    (torch.Size([3, 4, 5, 5]), torch.Size([3, 2, 5, 2]))
    """

    def __init__(self, d_model: int, h: int, g: int, *, bias: bool = False) -> None:
        if h % g:
            raise ValueError(f"h is {h} and g {g}: expected g to divide h")
        super().__init__(d_model, h, bias=bias)
        self.g = g
        self.W_K = projection(d_model, g * self.d_k, bias)
        self.W_V = projection(d_model, g * self.d_k, bias)

    def forward(  # type: ignore[override]
        self, x: Tensor, cache: KVCache | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor, KVCache]:
        """As `SelfAttention.forward`; a cache has g sets: K and V (B, g, P, d_k)."""
        Q = split(self.W_Q(x), self.h)  # (B, h, T, d_k)
        K, V = split(self.W_K(x), self.g), split(self.W_V(x), self.g)  # (B, g, T, d_k)
        cache = KVCache(K, V) if cache is None else cache.append(K, V)
        T, S = x.size(1), cache.K.size(2)
        may = causal_mask(T, S - T, device=x.device)
        if mask is not None:
            may = may & mask[:, None, None]  # (B, 1, T, P + T)
        heads, weights = grouped_attention(Q, *cache, may)
        return self.W_O(merge(heads)), weights, cache


@torch.no_grad()
def pooled(attention: MultiHeadAttention, g: int) -> GroupedQueryAttention:
    """Grouped-query attention whose keys and values are the means of a group's heads.

    Ainslie et al. 2023 convert a trained model in this way, and then train it further
    with 5 % of the original steps.
    """
    new = GroupedQueryAttention(attention.d_model, attention.h, g)
    new.W_Q.weight.copy_(attention.W_Q.weight)
    new.W_O.weight.copy_(attention.W_O.weight)
    for mine, theirs in ((new.W_K, attention.W_K), (new.W_V, attention.W_V)):
        heads = theirs.weight.view(g, attention.h // g, new.d_k, new.d_model)
        mine.weight.copy_(heads.mean(dim=1).flatten(0, 1))
    return new


def cache_bytes(caches: tuple[KVCache, ...]) -> int:
    """Bytes of the keys and values of all layers.

    2 N B g S d_k numbers: layers, sentences, groups, positions, features of a head.
    """
    return sum(part.nbytes for cache in caches for part in cache)


def online_softmax_attention(
    Q: Tensor,
    K: Tensor,
    V: Tensor,
    *,
    block: int = 128,
    causal: bool = False,
    skip: bool = True,
) -> Tensor:
    """softmax(Q Kᵀ / √d_k) V, exactly, from blocks of queries and of keys.

    For each query three things are kept: the largest score so far m, the sum d of
    e^(score - m), and the sum of e^(score - m) v. A larger m rescales both sums:
    d ← d e^(m - m') + Σ e^(score - m').   Milakov and Gimelshein 2018

    Q (…, T, d_k), K (…, S, d_k), V (…, S, d_v) → (…, T, d_v)
    block   how many queries, and how many keys, are compared at once
    causal  queries are those of the last T of S positions and attend to none later
    skip    leave out blocks of keys that are later than all queries of a block
    """
    shapes(Q=(Q, "… T d_k"), K=(K, "… S d_k"), V=(V, "… S d_v"))
    whole(block=block)
    T, S = Q.size(-2), K.size(-2)
    if causal and T > S:
        raise ValueError(f"T is {T}: expected at most S, {S}, as the last T of S")
    output = Q.new_empty(*Q.shape[:-1], V.size(-1))
    wide = torch.promote_types(Q.dtype, torch.float32)  # half precision adds up badly
    for t in range(0, T, block):
        queries = Q[..., t : t + block, :].to(wide) / math.sqrt(Q.size(-1))
        first = S - T + t if causal else S  # the position of the first query
        output[..., t : t + block, :] = key_blocks(queries, K, V, block, first, skip)
    return output


def key_blocks(
    Q: Tensor, K: Tensor, V: Tensor, block: int, first: int, skip: bool
) -> Tensor:
    """The outputs of some queries, from one block of keys after the other.

    first  the position of the first query; those of the keys begin with 0
    """
    last = first + Q.size(-2) - 1
    m = Q.new_full((*Q.shape[:-1], 1), -math.inf)
    d, z = torch.zeros_like(m), Q.new_zeros(*Q.shape[:-1], V.size(-1))
    for s in range(0, min(K.size(-2), last + 1) if skip else K.size(-2), block):
        x = Q @ K[..., s : s + block, :].to(Q).transpose(-2, -1)
        if s + x.size(-1) > first + 1:  # some of these keys are later than some Q
            x = x.masked_fill(later_keys(x, first, s), -math.inf)
        larger = torch.maximum(m, x.amax(dim=-1, keepdim=True))
        p, rescale = (x - larger).exp_(), (m - larger).exp_()
        d = d * rescale + p.sum(dim=-1, keepdim=True)  # (3)
        z = z * rescale + p @ V[..., s : s + block, :].to(Q)
        m = larger
    return z / d  # (4)


def later_keys(scores: Tensor, first: int, s: int) -> Tensor:
    """(rows, keys) bool: is the key, from s on, later than the query, from first on?"""
    T, S = scores.shape[-2:]
    keys = torch.arange(s, s + S, device=scores.device)
    return keys > torch.arange(first, first + T, device=scores.device).unsqueeze(1)
