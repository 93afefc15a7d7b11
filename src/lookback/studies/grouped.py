"""What attention keeps: seconds and bytes with blocks, and with shared heads.

Attention of T queries to T keys, plain, in blocks and torch's own. One new word that
attends to a cache of words, by heads that share keys and values. A small Llama that
writes words one by one with such a cache. CPU seconds of one thread.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from lookback.attention import causal_mask, scaled_dot_product_attention
from lookback.grouped import (
    GroupedQueryAttention,
    cache_bytes,
    online_softmax_attention,
)
from lookback.measure import timings
from lookback.modern import Llama, LlamaConfig
from lookback.multihead import KVCache
from lookback.studies.cost import fastest
from lookback.workshop import Row, Study, case, grid, known, seeds

LENGTHS = (256, 512, 1024, 2048, 4096)
CACHED, HEADS, SETS = (512, 2048, 8192, 32768, 131072), 8, (8, 4, 2, 1)
WRITTEN = 512
D_K, BLOCK = 64, 256
N, D_MODEL, H, V = 2, 64, 4, 500
GROUPS = (4, 2, 1)

KINDS = (
    "plain",
    "plain, causal",
    "blocks",
    "blocks, causal, none skipped",
    "blocks, causal",
    "torch",
    "torch, causal",
)


@dataclass(frozen=True)
class Attention:
    """One of KINDS, T queries and as many keys of D_K features, one head."""

    kind: str
    T: int
    block: int = BLOCK

    def work(self, dtype: torch.dtype = torch.float32) -> Callable[[], Tensor]:
        """The call, on the same numbers for all kinds of one length."""
        chance = seeds.generator(0)
        shape = (1, 1, self.T, D_K)
        Q, K, V = (torch.randn(shape, generator=chance, dtype=dtype) for _ in range(3))
        causal = "causal" in self.kind
        mask = causal_mask(self.T) if causal else None
        match known("kind", self.kind, KINDS).split(",")[0]:
            case "plain":
                return lambda: scaled_dot_product_attention(Q, K, V, mask)[0]
            case "torch":
                return lambda: F.scaled_dot_product_attention(Q, K, V, is_causal=causal)
            case _:
                skip = "none skipped" not in self.kind
                return lambda: online_softmax_attention(
                    Q, K, V, block=self.block, causal=causal, skip=skip
                )


@dataclass(frozen=True)
class Reading:
    """One new word: HEADS queries of D_K features, a cache of `words`, g sets."""

    words: int
    g: int

    def kept(self) -> KVCache:
        chance = seeds.generator(0)
        shape = (1, self.g, self.words, D_K)
        return KVCache(*(torch.randn(shape, generator=chance) for _ in range(2)))

    def work(self) -> Callable[[], tuple[Tensor, Tensor]]:
        """The attention of one layer, between its matrices."""
        layer = GroupedQueryAttention(HEADS * D_K, HEADS, self.g)
        Q = torch.randn(1, HEADS, 1, D_K, generator=seeds.generator(1))
        K, V = self.kept()
        return lambda: layer.compare(Q, K, V)


@dataclass(frozen=True)
class Writing:
    """A Llama with g groups writes n words, each the likeliest; with a cache or not."""

    words: int
    g: int
    cache: bool

    def model(self) -> Llama:
        """Untrained; what it writes does not matter here."""
        sizes = LlamaConfig(N=N, d_model=D_MODEL, h=H, g=self.g, d_ff=172, init=0.1)
        with seeds.seeded(0):
            return Llama(sizes, V).eval()

    def write(self, model: Llama) -> tuple[Tensor, Tensor, int]:
        """The words (1, n + 1), the logits of the last, the bytes of the cache."""
        words, past, kept = torch.tensor([[1]]), None, 0
        for _ in range(self.words):
            if self.cache:
                logits, _, past = model(words[:, -1:], past)
                kept = cache_bytes(past)
            else:
                logits, _, _ = model(words)
            words = torch.cat([words, logits[:, -1:].argmax(dim=-1)], dim=1)
        return words, logits[0, -1], kept


def peak(work: Callable[[], object]) -> int:
    """The most bytes that torch held at once for `work`, besides what it was given."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        work()
    assert seen.profiler is not None and seen.profiler.kineto_results is not None
    events = [
        e for e in seen.profiler.kineto_results.events() if e.name() == "[memory]"
    ]
    now = most = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        now += event.nbytes()
        most = max(most, now)
    return most


@torch.no_grad()
def attended(kind: str, T: int, block: int = BLOCK, patience: float = 0.5) -> Row:
    """Seconds, bytes, and the largest difference from plain attention in float64."""
    asked = Attention(kind, T, block)
    work = asked.work()
    plain = "plain, causal" if "causal" in kind else "plain"
    exact = Attention(plain, T).work(torch.float64)()
    difference = (asked.work(torch.float64)() - exact).abs().max().item()
    return {
        "seconds": fastest(work, patience),
        "bytes": peak(work),
        "difference": difference,
    }


@torch.no_grad()
def read(words: int, patience: float = 5.0) -> Row:
    """Seconds of one word in one layer, and the bytes of its keys and values.

    The numbers of sets take turns, so that each reads what the others have driven out
    of the fast memory, as the layers of a large model do.
    """
    ways = {g: Reading(words, g) for g in SETS}
    works = [way.work() for way in ways.values()]
    once = sum(timings(*works, repeats=3))
    turns = max(5, int(patience / once))
    found = timings(*works, repeats=turns, clock=time.process_time)
    row: Row = {}
    for (g, way), seconds in zip(ways.items(), found, strict=True):
        row[f"bytes, g {g}"] = cache_bytes((way.kept(),))
        row[f"seconds, g {g}"] = seconds
    return row


@torch.no_grad()
def written(words: int, repeats: int = 12) -> Row:
    """Seconds and bytes of writing with each g, and without a cache; the largest
    difference of the last logits from those of the whole text at once."""
    ways = {f"g {g}": Writing(words, g, True) for g in GROUPS}
    ways["no cache"] = Writing(words, H, False)
    models = [way.model() for way in ways.values()]
    row: Row = {}
    differences = []
    for (label, way), model in zip(ways.items(), models, strict=True):
        text, last, row[f"bytes, {label}"] = way.write(model)
        whole = model(text[:, :-1])[0][0, -1]
        differences.append((last - whole).abs().max().item())
    works = [partial(w.write, m) for w, m in zip(ways.values(), models, strict=True)]
    found = timings(*works, repeats=repeats, clock=time.process_time)
    for label, seconds in zip(ways, found, strict=True):
        row[f"seconds, {label}"] = seconds
    return row | {"difference": max(differences)}


TIMES = (*(f"seconds, g {g}" for g in SETS), "seconds, no cache")
STUDY = Study(
    about="seconds and bytes of attention in blocks, of shared heads, of a KV cache",
    cases={
        **grid("{kind}, T {T}", attended, T=LENGTHS, kind=KINDS),
        **grid("one word after {words}", read, words=CACHED),
        **grid("{words} words", written, words=[WRITTEN]),
    },
    check=case(read, words=6, patience=0.0),
    times=("seconds", *TIMES),
)
