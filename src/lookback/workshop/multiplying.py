"""The maker of Luong's translators, their recipes, and what they are compared by."""

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lookback.luong import SCOPES, SCORES, LuongAttention, LuongConfig, LuongTranslator
from lookback.measure import alignment_error_rate, timing
from lookback.text.corpora.pair import Pair

from . import seeds
from .data import corpus
from .language_models import follow
from .makers import MAKERS, Trained, Vocabularies, maker_of
from .recipes import RECIPES, Budget, Optimiser, Recipe
from .studies import STUDIES, Row, Study
from .translating import MEASURED, AttentionMaker, most, pairs
from .translators import PAIRS, by_length, curve, enter


class LuongMaker(AttentionMaker):
    """Whatever the score and the window, they learn with teacher forcing."""

    def module(self, config: LuongConfig, vocabularies: Vocabularies) -> nn.Module:
        source, target = vocabularies["source"], vocabularies["target"]
        return LuongTranslator(config, len(source), len(target))


MAKERS[LuongConfig] = LuongMaker()
RECIPES["luong"] = Recipe(
    data=PAIRS,
    seed=0,
    model=LuongConfig(m=48, n=160, input_feeding=False, directions="both", cell="gru"),
    optimiser=Optimiser("adam", 4e-3, warmup=100, decay="linear", clip=1.0),
    budget=Budget(steps=6000, tokens=450, evaluate_every=500),
)
enter("luong", "Luong, dot", RECIPES["luong"], seeds=(0, 1, 2))

# --- every score in every window -----------------------------------------------------

STEPS = 1200  # of each variant: a fifth of what the shipped model is given
D = 5  # the sentences are half as long as the paper's, and so is the window


def variant(**options: Any) -> Recipe:
    """The recipe of a variant; all have the same budget."""
    shipped = RECIPES["luong"]
    model = replace(shipped.model, **{"D": D, "input_feeding": False, **options})
    return replace(shipped, model=model, budget=replace(shipped.budget, steps=STEPS))


VARIANTS = {
    f"{score}, {scope}": variant(score=score, scope=scope)
    for scope, score in itertools.product(SCOPES, SCORES)
    if score != "location" or scope == "global"
}
VARIANTS["dot, global, fed"] = variant(input_feeding=True)
VARIANTS["dot, global, from one side"] = variant(directions="right-to-left")
VARIANTS["dot, global, LSTM"] = variant(cell="lstm")


def measured(recipe: Recipe) -> Row:
    """Train a variant; how it translates, aligns, and looks at one sentence."""
    made, seconds = follow(recipe)
    maker = maker_of(recipe)
    assert isinstance(maker, LuongMaker)
    assert made.log is not None
    text = corpus(recipe.data)
    test = pairs(text, "test")
    scores, pair = maker.measure(made.model, made.vocabularies, text), shown(test)
    looked = maker.weights(made.model, made.vocabularies, pair.source, pair.target)
    return {
        "parameters": maker.parameters(made.model),
        "seconds": round(seconds, 2),
        "target tokens": made.log.tokens,
        **{name: round(value, 4) for name, value in scores.items()},
        "test AER of the word read": round(behind(maker, made, test), 4),
        "lengths": by_length(maker, made),
        "curve": curve(made.log),
        "source": [*pair.source],
        "target": [*pair.target],
        "weights": looked.round(3).tolist(),
    }


def behind(maker: LuongMaker, made: Trained, test: Sequence[Pair]) -> float:
    """The error when weights are put down to the word that was read last.

    The step that reads target word t predicts word t + 1; the paper's footnote 14.
    """
    read = [pair for pair in test[:MEASURED] if pair.possible]
    both = [(pair.source, pair.target) for pair in read]
    looked = maker.looks(made.model, made.vocabularies, both)
    links = [most(np.vstack([weights[1:], weights[-1:]])) for weights in looked]
    return alignment_error_rate(
        links, [pair.sure for pair in read], [pair.possible for pair in read]
    )


def shown(test: Sequence[Pair]) -> Pair:
    """The first pair of 9 to 12 words in which three words come out in reverse."""

    def turns(pair: Pair) -> bool:
        goes = dict(pair.sure)
        runs = ([goes.get(i + k, -9 * k) + k for k in range(3)] for i in goes)
        return any(len({*run}) == 1 for run in runs)

    return next(pair for pair in test if 9 <= len(pair.source) <= 12 and turns(pair))


STUDIES["luong"] = Study(
    about="every score of Luong's in every window, on one budget",
    cases=VARIANTS,
    measure=measured,
    check=None,
)

# --- what a score costs --------------------------------------------------------------


@dataclass(frozen=True)
class Look:
    """B sentences in which T states look at S, all of size n."""

    score: str
    n: int
    S: int
    T: int = 32
    B: int = 4


SIZES, PLACES = (64, 128, 256, 512, 1024), (10, 20, 40, 80, 160, 320)
LOOKS = {
    f"{score}, n {n}, S {S}": Look(score, n, S)
    for score in ("dot", "general", "concat")
    for n, S in dict.fromkeys([*((n, 40) for n in SIZES), *((256, S) for S in PLACES)])
}


def cost(look: Look, repeats: int = 40) -> Row:
    """CPU seconds of a look, and with its gradients, for which bytes have to be kept.

    Of several looks the fastest counts.
    """
    chance = seeds.generator(0)
    with seeds.seeded(0):
        attention = LuongAttention(look.n, look.score)
    h, states = (
        torch.randn(look.B, size, look.n, generator=chance, requires_grad=True)
        for size in (look.T, look.S)
    )
    mask = torch.ones(look.B, look.S, dtype=torch.bool)
    t = torch.ones(look.B, look.T, dtype=torch.long)

    def forward() -> Tensor:
        c, _ = attention(h, attention.project(states, mask), t)
        total: Tensor = c.sum()
        return total

    def both() -> None:
        forward().backward()  # type: ignore[no-untyped-call]

    kept = dict[int, int]()

    def keep(x: Tensor) -> Tensor:
        kept[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
        return x

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
        total = forward()
    seconds = {
        name: round(timing(work, repeats=repeats, clock=time.process_time).best, 7)
        for name, work in (("forward", forward), ("both", both))
    }
    return {**seconds, "bytes": sum(kept.values()), "value": round(total.item(), 3)}


STUDIES["score_costs"] = Study(
    about="CPU seconds of a look, over the size of the states and the source",
    cases=LOOKS,
    measure=cost,
    check=None,
)
