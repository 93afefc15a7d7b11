"""Attention in blocks beside the plain product and torch's own, and a cache.

One head over T words, forward only, and one new word after T others, with fewer and
fewer sets of keys.
"""

from functools import partial

import torch
from run import costs

from lookback.attention import causal_mask, scaled_dot_product_attention
from lookback.grouped import GroupedQueryAttention, online_softmax_attention

D, H, PAST = 64, 8, 2048


@torch.no_grad()
def main() -> None:
    theirs = torch.nn.functional.scaled_dot_product_attention
    rows = {}
    for T in (512, PAST):
        Q, K, V = torch.randn(3, 1, 1, T, D)
        rows[f"causal, T {T}"] = {
            "plain": partial(scaled_dot_product_attention, Q, K, V, causal_mask(T)),
            "blocks": partial(online_softmax_attention, Q, K, V, causal=True),
            "torch": partial(theirs, Q, K, V, is_causal=True),
        }
    costs("milliseconds", rows)
    x, past = torch.randn(4, 1, H * D), torch.randn(4, PAST, H * D)
    ways = {}
    for g in (H, 2, 1):
        attention = GroupedQueryAttention(H * D, H, g)
        ways[f"g {g}"] = partial(attention.attend, x, *attention.project(past, past))
    costs("milliseconds", {f"a word after {PAST}": ways})
