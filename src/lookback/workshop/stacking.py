"""A study of depth: the norm behind each part, as in the paper, or before it.

Six and twelve layers of the language model of `norms`, with and without a warm-up.
"""

from dataclasses import replace

from torch import Tensor, nn

from lookback.encoder import FeedForward

from . import seeds
from .data import corpus, english
from .makers import maker_of
from .norms import SMALL, STEPS, WARMUP, NormedMaker, label, ragged, recipe, trained
from .recipes import Optimiser, Recipe
from .studies import STUDIES, Row, Study

DEPTHS = (6, 12)  # layers
PLACES = {"post": False, "pre": True}
RATES = (1e-3, 3e-3)
SEEDS = (0, 1)
READ = 50  # sentences on which the first gradient is measured


def measured(asked: Recipe) -> Row:
    """Train; also the gradient of each layer before the first step."""
    row, _, words = trained(asked)
    maker, text = maker_of(asked), english(corpus(asked.data), "validation")[:READ]
    assert isinstance(maker, NormedMaker)
    with seeds.seeded(asked.seed):
        model = maker.module(asked.model, words)
    (batch,) = ragged(text, words["words"], len(text), None)
    return {**row, "gradients": gradients(model, *maker.loss(model, batch))}


def gradients(model: nn.Module, loss: Tensor, tokens: int) -> list[float]:
    """‖∂ loss / ∂ W_2‖ of each layer's feed-forward part, the lowest first."""
    (loss / tokens).backward()  # type: ignore[no-untyped-call]
    found = []
    for module in model.modules():
        if isinstance(module, FeedForward) and module.W_2.weight.grad is not None:
            found.append(round(module.W_2.weight.grad.norm().item(), 5))
    return found


STUDIES["depth"] = Study(
    about="six and twelve layers, norms behind or before each part, warmed up or not",
    cases={
        **{
            label(
                f"{N} layers", place, f"rate {rate:g}", f"warm-up {warmup}", seed=seed
            ): recipe(
                replace(SMALL, N=N, norm_first=first),
                seed,
                Optimiser("adam", rate, warmup=warmup, decay="linear"),
                STEPS,
            )
            for N in DEPTHS
            for place, first in PLACES.items()
            for rate in RATES
            for warmup in (0, WARMUP)
            for seed in SEEDS
        },
        "quick": recipe(
            replace(SMALL, N=3, norm_first=True), 0, Optimiser("adam", 1e-3), 5
        ),
    },
    measure=measured,
    check="quick",
)  # fmt: skip
