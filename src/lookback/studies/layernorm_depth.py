"""Post-norm, as in the paper, and pre-norm: six and twelve layers, warmed up or not."""

from dataclasses import replace

from torch import Tensor, nn

from lookback.encoder import FeedForward
from lookback.workshop import (
    Optimiser,
    Recipe,
    Row,
    Study,
    case,
    corpus,
    english,
    follow,
    on_few,
    outline,
)

from .layernorm import SMALL, STEPS, WARMUP, NormedLearner, label, ragged, recipe

DEPTHS = (6, 12)  # layers
NORMS = {"post": False, "pre": True}
RATES = (1e-3, 3e-3)
SEEDS = (0, 1)
READ = 50  # sentences on which the first gradient is measured


def measured(recipe: Recipe[NormedLearner]) -> Row:
    """Train; also the gradient of each layer before the first step."""
    learner, text = follow(recipe), corpus(recipe.data)
    network, read = learner.untrained(learner.vocabularies), english(text, "validation")
    (batch,) = ragged(read[:READ], learner.vocabularies["words"], READ, None)
    first = gradients(network, *learner.loss(network, batch))
    return {**outline(learner, text), "gradients": first}


def gradients(network: nn.Module, loss: Tensor, tokens: int) -> list[float]:
    """‖∂ loss / ∂ W_2‖ of each layer's feed-forward network, the lowest first."""
    (loss / tokens).backward()  # type: ignore[no-untyped-call]
    norms = []
    for module in network.modules():
        if isinstance(module, FeedForward) and module.W_2.weight.grad is not None:
            norms.append(module.W_2.weight.grad.norm().item())
    return norms


STUDY = Study(
    about="six and twelve layers, post-norm and pre-norm, warmed up or not",
    cases={
        label(
            f"{N} layers", norm, f"rate {rate:g}", f"warm-up {warmup}", seed=seed
        ): case(
            measured,
            recipe=recipe(
                replace(SMALL, N=N, norm_first=first),
                seed,
                Optimiser("adam", rate, warmup=warmup, decay="linear"),
                STEPS,
            ),
        )
        for N in DEPTHS
        for norm, first in NORMS.items()
        for rate in RATES
        for warmup in (0, WARMUP)
        for seed in SEEDS
    },
    check=case(
        measured,
        recipe=on_few(
            recipe(replace(SMALL, N=3, norm_first=True), 0, Optimiser("adam", 1e-3), 5)
        ),
    ),
)
