"""Attention in blocks beside the plain product and torch's own: one head, forward."""

from functools import partial

import torch
from run import costs

from lookback.attention import causal_mask, scaled_dot_product_attention
from lookback.grouped import online_softmax_attention

D = 64


@torch.no_grad()
def main() -> None:
    theirs = torch.nn.functional.scaled_dot_product_attention
    rows = {}
    for T in (512, 2048):
        Q, K, V = torch.randn(3, 1, 1, T, D)
        rows[f"causal, T {T}"] = {
            "plain": partial(scaled_dot_product_attention, Q, K, V, causal_mask(T)),
            "blocks": partial(online_softmax_attention, Q, K, V, causal=True),
            "torch": partial(theirs, Q, K, V, is_causal=True),
        }
    costs("milliseconds", rows)
