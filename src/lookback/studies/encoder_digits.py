"""What attention, the feed-forward network and depth each buy: two tasks of digits.

Ten positions in a circle hold a digit each; all answer at once, and each answer needs
what other positions hold: the two neighbours, or those to which the digits point.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from lookback.encoder import LayerConfig
from lookback.workshop import Row, Study, case, each, known, seeds

from .encoder import LAYERS, PARTS

S = 10  # positions, and digits
SEEDS = (0, 1, 2, 3, 4)
TESTS = 1000
TASKS = ("product", "hops")


@dataclass(frozen=True, kw_only=True)
class Digits:
    """A task and an encoder that learns it.

    task   "product": the last digit of the product of the two neighbours
           "hops": the digit that is reached in two hops, as a digit is also the number
           of a position
    parts  one of PARTS: what a layer is made of;  N  how many layers
    d_k    features of a head's queries, keys and values; without it d_model / h
    """

    task: str
    parts: str
    N: int
    seed: int
    rate: float
    d_model: int = 16
    d_ff: int = 64
    h: int = 2
    d_k: int | None = None
    steps: int = 300
    batch: int = 64

    def __post_init__(self) -> None:
        known("task", self.task, TASKS)
        known("parts", self.parts, PARTS)

    def layer(self) -> nn.Module:
        config = LayerConfig(
            d_model=self.d_model, h=self.h, d_ff=self.d_ff, d_k=self.d_k, d_v=self.d_k
        )
        return LAYERS[self.parts](config)


def answers(x: Tensor, task: str) -> list[Tensor]:
    """x (B, S) → what each position has to find on the way to its answer, the last.

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

    def __init__(self, config: Digits) -> None:
        super().__init__()
        self.digit = nn.Embedding(S, config.d_model)
        self.position = nn.Embedding(S, config.d_model)
        self.layers = nn.ModuleList(config.layer() for _ in range(config.N))
        self.out = nn.Linear(config.d_model, S)

    def forward(self, x: Tensor) -> tuple[Tensor, list[Tensor]]:
        """x (B, S) → logits (B, S, 10); what each layer was given, and the last gave"""
        y = self.digit(x) + self.position.weight
        levels = [y]
        for layer in self.layers:
            y, _ = layer(y, None)
            levels.append(y)
        return self.out(y), levels


def learned(config: Digits) -> Answerer:
    """The network after its training; the rate falls to 0 in a straight line."""
    generator = seeds.generator(config.seed)
    with seeds.seeded(config.seed):
        model = Answerer(config)
    optimiser = torch.optim.Adam(model.parameters())
    for step in range(config.steps):
        optimiser.param_groups[0]["lr"] = config.rate * (1 - step / config.steps)
        x = torch.randint(S, (config.batch, S), generator=generator)
        logits, _ = model(x)
        wanted = answers(x, config.task)[-1]
        loss = cross_entropy(logits.flatten(0, 1), wanted.flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return model.eval()


def readable(level: Tensor, wanted: Tensor) -> float:
    """How well a linear probe reads digits `wanted` (B, S) off vectors (B, S, d).

    It is fitted to the first half by least squares; → its share right on the second.
    """
    ones = torch.ones(*level.shape[:2], 1)
    x = torch.cat([level, ones], dim=2).double()
    half = len(x) // 2
    given, told = x[:half].flatten(0, 1), one_hot(wanted[:half].flatten(), S).double()
    probe = torch.linalg.lstsq(given, told).solution
    right = (x[half:] @ probe).argmax(dim=2) == wanted[half:]
    return float(right.float().mean())


def measured(config: Digits) -> Row:
    """Shares of new digits: what is answered rightly, and what a probe can read.

    probes  for the input of each layer and the output of the last: each of `answers`
    """
    model = learned(config)
    x = torch.randint(S, (TESTS, S), generator=seeds.generator(2017))
    found = answers(x, config.task)
    with torch.no_grad():
        logits, levels = model(x)
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "right": (logits.argmax(dim=2) == found[-1]).float().mean().item(),
        "probes": [[round(readable(y, d), 3) for d in found] for y in levels],
    }


RATES = (0.01, 0.03)
STEPS, LONGER = 600, 1200  # does attention alone catch up?
PRODUCT: dict[str, dict[str, int | str]] = {
    "both": {"parts": "both", "N": 1},
    "attention alone, two heads": {"parts": "attention", "N": 1, "d_k": 25},
    "attention alone, six heads": {"parts": "attention", "N": 1, "h": 6, "d_k": 8},
    "attention alone, three layers": {"parts": "attention", "N": 3},
    "feed-forward alone": {"parts": "feed-forward", "N": 1, "d_ff": 97},
}
"""All have as many parameters, within four in a hundred."""

HOPS: dict[str, dict[str, int | str]] = {
    "one layer": {"parts": "both", "N": 1, "d_ff": 64},
    "one layer, wider": {"parts": "both", "N": 1, "d_ff": 195},
    "two layers": {"parts": "both", "N": 2, "d_ff": 64},
    "two layers, attention alone": {"parts": "attention", "N": 2},
}
"""The second has as many parameters as the third, within one in a hundred."""


def product(name: str, rate: float, longer: bool = False) -> str:
    """The label of a product's system, without its seed."""
    return f"product, {name}, rate {rate:g}" + ", longer" * longer


FEW = Digits(task="hops", parts=next(iter(PARTS)), N=1, seed=0, rate=1e-2, steps=5)
STUDY = Study(
    about="products and hops of digits, by what a layer is made of and how many",
    cases=each(
        measured,
        config={
            **{
                f"{product(name, rate)}, seed {seed}": Digits(
                    task="product",
                    seed=seed,
                    rate=rate,
                    steps=STEPS,
                    **sizes,  # type: ignore[arg-type]
                )
                for name, sizes in PRODUCT.items()
                for rate in RATES
                for seed in SEEDS
            },
            **{
                f"{product(name, rate, True)}, seed {seed}": Digits(
                    task="product",
                    seed=seed,
                    rate=rate,
                    steps=LONGER,
                    **PRODUCT[name],  # type: ignore[arg-type]
                )
                for name in PRODUCT
                if name.startswith("attention")
                for rate in RATES
                for seed in SEEDS[:3]
            },
            **{
                f"hops, {name}, seed {seed}": Digits(
                    task="hops",
                    seed=seed,
                    rate=0.003,
                    d_model=32,
                    steps=400,
                    **sizes,  # type: ignore[arg-type]
                )
                for name, sizes in HOPS.items()
                for seed in SEEDS[:3]
            },
        },
    ),
    check=case(measured, config=FEW),
)
