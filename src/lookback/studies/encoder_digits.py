"""What attention, the feed-forward network and depth each buy: two tasks of digits.

Ten positions in a circle hold a digit each; all answer at once, and each answer needs
what other positions hold: the two neighbours, or those to which the digits point.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from lookback.encoder import LayerConfig
from lookback.workshop import Row, Study, case, practise, seeds

from .encoder import LAYERS

S = 10  # positions, and digits
SEEDS = (0, 1, 2, 3, 4)
BATCH, TESTS = 64, 1000


def answers(x: Tensor, task: str) -> list[Tensor]:
    """x (B, S) → what each position has to find on the way to its answer, the last.

    "product"  the last digit of the product of the two neighbours
    "hops"     the digit that is reached in two hops, as a digit is also the number of
               a position
    (B, S) each: its own digit, the left neighbour's or the one that its own points to,
    and the answer.
    """
    if task == "product":
        left, right = x.roll(1, dims=1), x.roll(-1, dims=1)
        return [x, left, left * right % 10]
    there = x.gather(1, x)
    return [x, there, x.gather(1, there)]


class Answerer(nn.Module):
    """Digits and their positions, N layers, and scores of ten digits."""

    def __init__(self, parts: str, N: int, config: LayerConfig) -> None:
        super().__init__()
        self.digit = nn.Embedding(S, config.d_model)
        self.position = nn.Embedding(S, config.d_model)
        self.layers = nn.ModuleList(LAYERS[parts](config) for _ in range(N))
        self.out = nn.Linear(config.d_model, S)

    def forward(self, x: Tensor) -> tuple[Tensor, list[Tensor]]:
        """x (B, S) → logits (B, S, 10); what each layer was given, and the last gave"""
        y = self.digit(x) + self.position.weight
        levels = [y]
        for layer in self.layers:
            y, _ = layer(y, None)
            levels.append(y)
        return self.out(y), levels


def readable(level: Tensor, wanted: Tensor) -> float:
    """How well a linear probe reads digits `wanted` (B, S) off vectors (B, S, d).

    It is fitted to the first half by least squares; → its share right on the second.
    What a LayerNorm gives has features that sum to the same number, but for rounding:
    a direction as small as the rounding of its dtype is not fitted.
    """
    ones = torch.ones(*level.shape[:2], 1)
    x = torch.cat([level, ones], dim=2).double()
    half = len(x) // 2
    given = x[:half].flatten(0, 1)
    digits = one_hot(wanted[:half].flatten(), S).double()
    least = torch.finfo(level.dtype).eps * len(given)  # as numpy cuts
    probe = torch.linalg.lstsq(given, digits, rcond=least, driver="gelsd").solution
    right = (x[half:] @ probe).argmax(dim=2) == wanted[half:]
    return float(right.float().mean())


def measured(
    task: str,
    parts: str,
    N: int,
    seed: int,
    rate: float,
    steps: int,
    d_model: int = 16,
    d_ff: int = 64,
    h: int = 2,
    d_k: int | None = None,
) -> Row:
    """Shares of new digits: what is answered rightly, and what a probe can read.

    task    "product" or "hops"
    parts   one of LAYERS: what a layer is made of;  N  how many layers
    d_k     features of a head's queries, keys and values; without it d_model / h
    probes  for the input of each layer and the output of the last: each of `answers`
    """

    def loss(model: Answerer, generator: torch.Generator) -> Tensor:
        x = torch.randint(S, (BATCH, S), generator=generator)
        logits, _ = model(x)
        return cross_entropy(logits.flatten(0, 1), answers(x, task)[-1].flatten())

    config = LayerConfig(d_model=d_model, h=h, d_ff=d_ff, d_k=d_k, d_v=d_k)
    model, _ = practise(
        lambda: Answerer(parts, N, config),
        loss,
        seed=seed,
        steps=steps,
        rate=rate,
        falls=True,
    )
    x = torch.randint(S, (TESTS, S), generator=seeds.generator(2017))
    found = answers(x, task)
    with torch.no_grad():
        logits, levels = model(x)
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "right": (logits.argmax(dim=2) == found[-1]).float().mean().item(),
        "probes": [[readable(y, digits) for digits in found] for y in levels],
    }


RATES = (0.01, 0.03)
STEPS, LONGER = 600, 1200  # does attention alone catch up?
PRODUCT: dict[str, dict[str, Any]] = {
    "both": {"parts": "both", "N": 1},
    "attention alone, two heads": {"parts": "attention", "N": 1, "d_k": 25},
    "attention alone, six heads": {"parts": "attention", "N": 1, "h": 6, "d_k": 8},
    "attention alone, three layers": {"parts": "attention", "N": 3},
    "feed-forward alone": {"parts": "feed-forward", "N": 1, "d_ff": 97},
}
"""All have as many parameters, within four in a hundred."""

HOPS: dict[str, dict[str, Any]] = {
    "one layer": {"parts": "both", "N": 1, "d_ff": 64},
    "one layer, wider": {"parts": "both", "N": 1, "d_ff": 195},
    "two layers": {"parts": "both", "N": 2, "d_ff": 64},
    "two layers, attention alone": {"parts": "attention", "N": 2},
}
"""The second has as many parameters as the third, within one in a hundred."""


def product(name: str, rate: float, longer: bool = False) -> str:
    """The label of a product's system, without its seed."""
    return f"product, {name}, rate {rate:g}" + ", longer" * longer


STUDY = Study(
    about="products and hops of digits, by what a layer is made of and how many",
    cases={
        **{
            f"{product(name, rate)}, seed {seed}": case(
                measured, task="product", seed=seed, rate=rate, steps=STEPS, **sizes
            )
            for name, sizes in PRODUCT.items()
            for rate in RATES
            for seed in SEEDS
        },
        **{
            f"{product(name, rate, True)}, seed {seed}": case(
                measured, task="product", seed=seed, rate=rate, steps=LONGER, **sizes
            )
            for name, sizes in PRODUCT.items()
            if name.startswith("attention")
            for rate in RATES
            for seed in SEEDS[:3]
        },
        **{
            f"hops, {name}, seed {seed}": case(
                measured,
                task="hops",
                seed=seed,
                rate=0.003,
                steps=400,
                d_model=32,
                **sizes,
            )
            for name, sizes in HOPS.items()
            for seed in SEEDS[:3]
        },
    },
    check=case(measured, task="hops", parts="both", N=1, seed=0, rate=1e-2, steps=5),
)
