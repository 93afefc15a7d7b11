"""What a layer costs: table 1 of Vaswani et al. 2017, counted and measured.

Recurrent, convolutional and attention layers turn n vectors of d numbers into n vectors
of d numbers. Multiplications are counted, seconds of one thread and bytes measured.
"""

import time
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from lookback.attention import scaled_dot_product_attention
from lookback.lstm import CELLS
from lookback.measure import timing
from lookback.multihead import MultiHeadAttention
from lookback.recurrent import hidden, unroll
from lookback.trainer import seeds
from lookback.trainer.study import Experiment, Row, Setting, Study


class Recurrent(nn.Module):
    """A state for each position, of which each needs the one before."""

    def __init__(self, cell: str, d: int) -> None:
        super().__init__()
        self.cell = CELLS[cell](d, d)

    def forward(self, x: Tensor) -> Tensor:
        return hidden(unroll(self.cell, x))


class Step(Recurrent):
    """One step of a recurrent layer at all positions: from the one before, and here."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.cell(x[:, 1:].flatten(0, 1), x[:, :-1].flatten(0, 1))
        first = self.cell(x[:, 0])
        return torch.cat([first.unsqueeze(1), y.view_as(x[:, 1:])], dim=1)


class Convolution(nn.Module):
    """At each position the same map of k positions around it, beyond the ends of zeros.

    k is odd; dilation: how far apart the k positions are
    """

    def __init__(self, d: int, k: int, dilation: int = 1) -> None:
        super().__init__()
        around = dilation * (k // 2)
        self.conv = nn.Conv1d(d, d, k, padding=around, dilation=dilation, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.conv(x.transpose(1, 2)).transpose(1, 2)
        return y


class Attention(nn.Module):
    """Self-attention by one head, with its four maps."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.head = MultiHeadAttention(d, 1)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.head(x, x, x)[0]
        return y


class Products(nn.Module):
    """softmax(x xᵀ / √d) x, self-attention without a map: all that table 1 counts.

    r  how many positions each one attends to besides itself, r // 2 to either side, r
       being even and n a multiple of it; None: all

    A block of r positions attends to the 2 r around it, with a mask: twice the products
    that are needed, but large ones.
    """

    def __init__(self, r: int | None = None) -> None:
        super().__init__()
        self.r = r

    def forward(self, x: Tensor) -> Tensor:
        if self.r is None:
            return scaled_dot_product_attention(x, x, x)[0]
        n, r, far = x.size(1), self.r, self.r // 2
        longer = nn.functional.pad(x, (0, 0, far, far))
        around = longer.unfold(1, 2 * r, r).transpose(2, 3)  # (B, n / r, 2 r, d)
        t = torch.arange(n).reshape(n // r, r, 1)
        s = torch.arange(-far, n + far).unfold(0, 2 * r, r).unsqueeze(1)
        mask = ((s - t).abs() <= far) & (s >= 0) & (s < n)  # (n / r, r, 2 r)
        blocks = x.reshape(x.size(0), n // r, r, x.size(2))
        y, _ = scaled_dot_product_attention(blocks, around, around, mask)
        return y.flatten(1, 2)


B, K, R = 4, 3, 32  # sequences; width of a convolution; of a restricted attention
LAYERS: dict[str, Callable[[int], nn.Module]] = {
    "rnn": lambda d: Recurrent("rnn", d),
    "gru": lambda d: Recurrent("gru", d),
    "lstm": lambda d: Recurrent("lstm", d),
    "convolution": lambda d: Convolution(d, K),
    "attention": Attention,
    "products": lambda d: Products(),
    "restricted": lambda d: Products(R),
}


def given(n: int, d: int) -> Tensor:
    """x (B, n, d), the same every time."""
    return torch.randn(B, n, d, generator=seeds.generator(0)).requires_grad_()


def cost(kind: str, n: int, d: int, patience: float = 0.25) -> Row:
    """What one of LAYERS multiplies, how long it takes, what it keeps for its gradient.

    All for B sequences; the bytes without the weights. Of several turns the fastest
    counts, of which each kind is given `patience` seconds.
    """
    with seeds.seeded(0):
        module, x = LAYERS[kind](d), given(n, d)

    def forward() -> None:
        with torch.no_grad():
            module(x.detach())

    return {
        "products": counted(forward),
        "bytes": saved_bytes(module, x),
        "forward": fastest(forward, patience),
        "both": fastest(lambda: module(x).sum().backward(), patience),
    }


def counted(work: Callable[[], object]) -> int:
    """How many pairs of numbers are multiplied in matrix products and convolutions."""
    with FlopCounterMode(display=False) as counter:
        work()
    return int(counter.get_total_flops()) // 2  # it counts the additions too


def saved_bytes(module: nn.Module, x: Tensor) -> int:
    """Bytes that wait for the way back, those of x too, but not the weights."""
    weights = {p.untyped_storage().data_ptr() for p in module.parameters()}
    sizes = dict[int, int]()

    def keep(saved: Tensor) -> Tensor:
        storage = saved.untyped_storage()
        if storage.data_ptr() not in weights:
            sizes[storage.data_ptr()] = storage.nbytes()
        return saved

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda saved: saved):
        y = module(x)
    assert y.requires_grad  # so that what was saved is still there
    return sum(sizes.values())


def fastest(work: Callable[[], object], patience: float) -> float:
    """The least CPU seconds that `work` took, in as many turns as patience allows.

    In three at the least, after two that do not count.
    """
    clock = time.process_time
    once = timing(work, repeats=1, clock=clock)
    turns = max(3, int(patience / max(once, 1e-6)))
    return timing(work, repeats=turns, warmup=0, clock=clock)


POSITIONS = (16, 32, 64, 128, 256, 512, 1024, 2048)  # n
NUMBERS = (16, 32, 64, 128, 256, 512, 1024)  # d
FIXED = 128  # d while n grows, n while d grows
OTHERS, CROSSED = (32, 64, 256), (128, 256, 512, 1024, 2048)  # d, n


def settings() -> list[Setting]:
    """All layers that are measured: n or d grows; for the crossings both."""
    kinds = [kind for kind in LAYERS if kind != "gru"]
    sizes = [
        *((kind, n, FIXED) for kind in kinds for n in POSITIONS),
        *((kind, FIXED, d) for kind in kinds for d in NUMBERS),
        *(
            (kind, n, d)
            for kind in ("rnn", "lstm", "attention", "products")
            for d in OTHERS
            for n in CROSSED
        ),
    ]
    fits = dict.fromkeys(a for a in sizes if a[0] != "restricted" or not a[1] % R)
    return [dict(zip(("kind", "n", "d"), one, strict=True)) for one in fits]


STUDY = Study(
    "what recurrent, convolutional and attention layers cost, over n and d",
    {
        "layers": Experiment(
            cost, settings(), smoke={"kind": "attention", "n": 16, "d": 8}
        )
    },
    times=("forward", "both"),
)


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The e of values ∝ sizes^e, by least squares on the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def crossing(
    sizes: Sequence[float], one: Sequence[float], two: Sequence[float]
) -> float | None:
    """Where `one` first exceeds `two`, by straight lines between the logarithms.

    None where it never does, or does from the beginning.
    """
    gaps = np.log(one) - np.log(two)
    above = np.flatnonzero(gaps > 0)
    if not above.size or not above[0]:
        return None
    i = int(above[0])
    share = gaps[i - 1] / (gaps[i - 1] - gaps[i])
    return float(sizes[i - 1] * (sizes[i] / sizes[i - 1]) ** share)
