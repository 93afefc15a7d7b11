"""What attention keeps: bytes with blocks, seconds and bytes with shared heads.

Attention of T queries to T keys, plain, in blocks and torch's own. One new word that
attends to a cache of words, by heads that share keys and values. And the failure: a
small Llama that writes words one by one with such a cache. CPU seconds of one thread.
"""

import time
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from lookback.attention import scaled_dot_product_attention
from lookback.decoder import KVCache
from lookback.grouped import (
    cache_bytes,
    grouped_attention,
    online_softmax_attention,
)
from lookback.measure import timings
from lookback.modern import Llama, LlamaConfig
from lookback.trainer import seeds
from lookback.trainer.study import Experiment, Row, Study, grid

LENGTHS, D_K, BLOCK = (256, 512, 1024, 2048, 4096), 64, 256
CACHED, HEADS, SETS = (512, 2048, 8192, 32768, 131072), 8, (8, 4, 2, 1)
WRITTEN, GROUPS, V = 512, (4, 2, 1), 500
KINDS: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "plain": lambda Q, K, V: scaled_dot_product_attention(Q, K, V)[0],
    "blocks": partial(online_softmax_attention, block=BLOCK),
    "torch": F.scaled_dot_product_attention,
}


@torch.no_grad()
def attended(kind: str, T: int) -> Row:
    """Bytes of one of KINDS, and the largest difference from plain ones in float64."""

    def given(dtype: torch.dtype) -> list[Tensor]:
        generator, shape = seeds.generator(0), (1, 1, T, D_K)
        return [torch.randn(shape, generator=generator, dtype=dtype) for _ in range(3)]

    single, exact = given(torch.float32), given(torch.float64)
    difference = KINDS[kind](*exact) - KINDS["plain"](*exact)
    return {
        "bytes": peak(lambda: KINDS[kind](*single)),
        "difference": difference.abs().max().item(),
    }


def peak(work: Callable[[], object]) -> int:
    """The most bytes that torch held at once for `work`, besides what it was given."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        work()
    assert seen.profiler is not None and seen.profiler.kineto_results is not None
    every = seen.profiler.kineto_results.events()
    events = [event for event in every if event.name() == "[memory]"]
    now = most = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        now += event.nbytes()
        most = max(most, now)
    return most


@torch.no_grad()
def read(words: int, patience: float = 5.0) -> Row:
    """Seconds of one word in one layer, and bytes of its keys and values, by SETS.

    The numbers of sets take turns, so that each reads what the others have driven out
    of the fast memory, as the layers of a large model do.
    """
    works, sizes = list[Callable[[], object]](), list[int]()
    for g in SETS:
        generator = seeds.generator(0)
        shape = (1, g, words, D_K)
        K, V = (torch.randn(shape, generator=generator) for _ in range(2))
        Q = torch.randn(1, HEADS, 1, D_K, generator=seeds.generator(1))
        works.append(partial(grouped_attention, Q, K, V))
        sizes.append(cache_bytes((KVCache(K, V),)))
    turns = max(5, int(patience / sum(timings(*works, repeats=3))))
    seconds = timings(*works, repeats=turns, clock=time.process_time)
    return {"bytes": sizes, "seconds": list(seconds)}


@torch.no_grad()
def written(words: int, repeats: int = 12) -> Row:
    """Seconds and bytes of writing, each word the likeliest, by GROUPS.

    The models are untrained; what they write does not matter here.
    """
    models, sizes = list[Llama](), list[int]()
    for g in GROUPS:
        config = LlamaConfig(N=2, d_model=64, h=4, g=g, d_ff=172, init=0.1)
        with seeds.seeded(0):
            models.append(Llama(config, V).eval())
        sizes.append(write(models[-1], words))
    works = [partial(write, model, words) for model in models]
    seconds = timings(*works, repeats=repeats, clock=time.process_time)
    return {"bytes": sizes, "seconds": list(seconds)}


def write(model: Llama, n: int) -> int:
    """Write n words with a cache: its bytes in the end."""
    word, cache = torch.tensor([[1]]), None
    for _ in range(n):
        logits, _, cache = model(word, cache)
        word = logits[:, -1:].argmax(dim=-1)
    assert cache is not None
    return cache_bytes(cache)


STUDY = Study(
    "seconds and bytes of attention in blocks, of shared heads, of a KV cache",
    {
        "blocks": Experiment(attended, grid(kind=KINDS, T=LENGTHS)),
        "one word": Experiment(
            read, grid(words=CACHED), smoke={"words": 6, "patience": 0.0}
        ),
        "writing": Experiment(written, grid(words=[WRITTEN])),
    },
)
