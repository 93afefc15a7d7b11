"""The maker of Transformers: what it asks for, what it tells, how its rate goes.

Mutants that these tests kill: smoothing in validation, or none in training; padding
among the losses; the first layer, or all, for the last; sums of heads for means;
another peak, warm-up or power of the paper's schedule; Adam's usual betas.
"""

from dataclasses import replace

import pytest
import torch
from lookback.workshop.makers import MAKERS, maker_of
from lookback.workshop.recipes import RECIPES, Recipe
from lookback.workshop.transforming import (
    TrainedConfig,
    TransformerMaker,
    adam,
    noam,
)
from torch import nn

from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import Pair
from lookback.text.vocabulary import Vocabulary
from lookback.training import noam_rate

PAIRS = [
    Pair(("a", "b", "c"), ("u", "v")),
    Pair(("b",), ("v", "w", "u", "u")),
]
WORDS = {
    "source": Vocabulary.build([pair.source for pair in PAIRS]),
    "target": Vocabulary.build([pair.target for pair in PAIRS]),
}
CONFIG = TrainedConfig(N=2, d_model=12, h=3, d_ff=8, smoothing=0.2)


@pytest.fixture
def maker() -> TransformerMaker:
    found = MAKERS[TrainedConfig]
    assert isinstance(found, TransformerMaker)
    return found


@pytest.fixture
def module(maker: TransformerMaker) -> nn.Module:
    torch.manual_seed(0)
    return maker.module(CONFIG, WORDS)


def batch() -> Batch:
    (found,) = pair_batches(PAIRS, *WORDS.values(), tokens=50)
    return found


@pytest.mark.parametrize("training", [True, False])
def test_what_is_learnt_is_smoothed_and_what_is_asked_is_not(
    maker: TransformerMaker, module: nn.Module, training: bool
) -> None:
    read = batch()
    total, tokens = maker.loss(module.train(training), read)
    logits, _ = module(read.source, read.source_mask, read.target[:, :-1])
    right = read.target[:, 1:].masked_fill(~read.target_mask[:, 1:], -100)
    expected = nn.functional.cross_entropy(
        logits.flatten(0, 1),
        right.flatten(),
        reduction="sum",
        label_smoothing=0.2 if training else 0.0,
    )
    assert tokens == 3 + 5
    assert total.item() == pytest.approx(expected.item(), rel=1e-5)


def test_it_looks_with_the_mean_of_the_last_layer(
    maker: TransformerMaker, module: nn.Module
) -> None:
    read = batch()
    with torch.no_grad():
        _, weights = module.eval()(read.source, read.source_mask, read.target[:, :-1])
        heads, seen = maker.heads(module, read), maker.seen(module, read)
    assert heads.shape == (2, 2, 3, 5, 4)  # B, N, h, T, S
    for n in range(2):
        assert torch.equal(heads[:, n], weights.decoder[n].cross_attention)
    expected = weights.decoder[1].cross_attention.mean(dim=1)
    assert torch.allclose(seen, expected)


def test_the_papers_schedule_step_for_step() -> None:
    optimiser = noam(96, 400)
    for step in (1, 7, 399, 400, 401, 1600, 9999):
        rate = optimiser.rate * optimiser.factor(step, 10_000)
        assert rate == pytest.approx(noam_rate(step, 96, 400))


def test_the_papers_adam() -> None:
    parameter = nn.Parameter(torch.zeros(1))
    for asked in (adam(3e-3), noam(96)):
        (group,) = asked.over([parameter]).param_groups
        assert (group["betas"], group["eps"]) == ((0.9, 0.98), 1e-9)
    falls = adam(3e-3, 10)
    assert [falls.factor(s, 110) for s in (5, 10, 60, 110)] == [0.5, 1, 0.5, 0]


def test_recipes_are_followed_by_it(maker: TransformerMaker) -> None:
    for name in ("transformer", "transformer-multi30k"):
        asked: Recipe = RECIPES[name]
        assert maker_of(asked) is maker
        assert asked.model.smoothing == 0.1
    assert replace(CONFIG, smoothing=0.0) != CONFIG
