"""What attention keeps: seconds and bytes with blocks, with a cache, with shared heads.

Attention of T queries to T keys, plain, in blocks and torch's own. A small Llama that
writes words one by one, with a KV cache and without. CPU seconds of one thread.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from lookback.attention import causal_mask, scaled_dot_product_attention
from lookback.grouped import cache_bytes, online_softmax_attention
from lookback.measure import timing
from lookback.modern import Llama, LlamaConfig
from lookback.studies.cost import fastest
from lookback.workshop import Row, Study, case, each, known, seeds

LENGTHS = (256, 512, 1024, 2048, 4096)
WRITTEN = (128, 256, 512)
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
def attended(case: Attention, patience: float = 0.5) -> Row:
    """Seconds, bytes, and the largest difference from plain attention in float64."""
    work = case.work()
    plain = "plain, causal" if "causal" in case.kind else "plain"
    exact = Attention(plain, case.T).work(torch.float64)()
    difference = (case.work(torch.float64)() - exact).abs().max().item()
    return {
        "seconds": fastest(work, patience),
        "bytes": peak(work),
        "difference": difference,
    }


@torch.no_grad()
def written(case: Writing) -> Row:
    """Seconds, bytes of the cache, and the difference of the last logits from whole."""
    model = case.model()
    words, last, kept = case.write(model)

    def work() -> None:
        case.write(model)

    whole = model(words[:, :-1])[0][0, -1]
    return {
        "seconds": round(timing(work, repeats=3, clock=time.process_time).best, 7),
        "bytes": kept,
        "difference": (last - whole).abs().max().item(),
    }


def measured(case: Attention | Writing) -> Row:
    return attended(case) if isinstance(case, Attention) else written(case)


def writing(n: int, g: int, cache: bool) -> str:
    """The label of a case."""
    return f"{n} words, " + (f"cache, g {g}" if cache else "no cache")


WAYS = ((H, False), *((g, True) for g in GROUPS))
STUDY = Study(
    about="seconds and bytes of attention in blocks, of a KV cache, of shared heads",
    cases=each(
        measured,
        case={
            **{f"{kind}, T {T}": Attention(kind, T) for T in LENGTHS for kind in KINDS},
            **{writing(n, g, c): Writing(n, g, c) for n in WRITTEN for g, c in WAYS},
        },
    ),
    check=case(measured, case=Writing(4, 2, cache=True)),
)
