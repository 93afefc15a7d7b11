"""Attention in blocks beside the plain product and torch's own, and a cache.

Run it with `python bench/grouped.py`. Milliseconds of one head over T words, forward
only, and of one new word after T others, with fewer and fewer sets of keys; each figure
is the best of three.
"""

from functools import partial

import torch

from lookback.attention import causal_mask, scaled_dot_product_attention
from lookback.grouped import GroupedQueryAttention, online_softmax_attention
from lookback.measure import timings

D, H, TURNS = 64, 8, 3


@torch.no_grad()
def main() -> None:
    torch.manual_seed(0)
    theirs = torch.nn.functional.scaled_dot_product_attention
    print(f"{'causal attention, ms':24}{'plain':>10}{'blocks':>10}{'torch':>10}")
    for T in (512, 2048):
        Q, K, V = torch.randn(3, 1, 1, T, D)
        runs = timings(
            partial(scaled_dot_product_attention, Q, K, V, causal_mask(T)),
            partial(online_softmax_attention, Q, K, V, causal=True),
            partial(theirs, Q, K, V, is_causal=True),
            repeats=TURNS,
            warmup=1,
        )
        print(f"T {T:<22}" + "".join(f"{1e3 * run.best:10.2f}" for run in runs))
    x, past = torch.randn(4, 1, H * D), torch.randn(4, 2048, H * D)
    for g in (H, 2, 1):
        attention = GroupedQueryAttention(H * D, H, g)
        K, V = attention.project(past, past)
        (run,) = timings(partial(attention.attend, x, K, V), repeats=TURNS, warmup=1)
        kept = (K.numel() + V.numel()) * K.element_size() / 2**20
        print(
            f"a word after 2048, {g} sets {1e3 * run.best:9.2f} ms, {kept:.0f} MB kept"
        )


if __name__ == "__main__":
    main()
