"""Every score of Luong's in every scope, on one budget."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lookback.luong import SCOPES, SCORES, VariantTranslator
from lookback.recipes.luong import RECIPES, LuongLearner
from lookback.text.corpora import Pair
from lookback.workshop import (
    EVALUATED,
    Recipe,
    Row,
    Study,
    alignment_error,
    case,
    corpus,
    each,
    follow,
    on_few,
    outline,
    pairs,
)

from .translators import by_length

STEPS = 1200  # of each variant: a fifth of what the shipped model is given
D = 5  # the sentences are half as long as the paper's, and so is the window


class VariantLearner(LuongLearner):
    """The same for the paper's other attentions."""

    architecture = VariantTranslator


def variant(**options: Any) -> Recipe[LuongLearner]:
    """The recipe of a variant; all have the same budget."""
    shipped = replace(RECIPES["luong"], learner=VariantLearner)
    model = replace(shipped.model, **{"D": D, "input_feeding": False, **options})
    return replace(shipped, model=model, budget=replace(shipped.budget, steps=STEPS))


VARIANTS = {
    f"{score}, {scope}": variant(score=score, scope=scope)
    for scope, score in itertools.product(SCOPES, SCORES)
    if score != "location" or scope == "global"
}
SCORED = tuple(VARIANTS)  # a score and a scope
TWICE = tuple(label for label in SCORED if "local-p" not in label)  # from two seeds
VARIANTS.update({f"{x}, seed 1": replace(VARIANTS[x], seed=1) for x in TWICE})
VARIANTS["dot, global, fed"] = variant(input_feeding=True)
VARIANTS["dot, global, from one side"] = variant(directions="right-to-left")
VARIANTS["dot, global, LSTM"] = variant(cell="lstm")


def measured(recipe: Recipe[LuongLearner]) -> Row:
    """Train a variant; how it translates and aligns, and its weights on a sentence."""
    learner, text = follow(recipe), corpus(recipe.data)
    assert learner.log is not None
    test = pairs(text, "test")
    pair = shown(test)
    return {
        "target tokens": learner.log.tokens,
        **outline(learner, text),
        "test AER of the word read": shifted_error(learner, test),
        "lengths": by_length(learner),
        "source": [*pair.source],
        "target": [*pair.target],
        "weights": learner.attention(pair.source, pair.target).tolist(),
    }


def shifted_error(learner: LuongLearner, test: Sequence[Pair]) -> float:
    """The error when weights are put down to the word that was read last.

    The step that reads target word t predicts word t + 1; the paper's footnote 14.
    """
    gold = [pair for pair in test[:EVALUATED] if pair.possible]
    weights = learner.attention_weights([(pair.source, pair.target) for pair in gold])
    shifted = [np.vstack([rows[1:], rows[-1:]]) for rows in weights]
    return alignment_error(shifted, gold)


def shown(test: Sequence[Pair]) -> Pair:
    """The first pair of 9 to 12 words in which three words come out in reverse."""

    def turns(pair: Pair) -> bool:
        goes = dict(pair.sure)
        runs = ([goes.get(i + k, -9 * k) + k for k in range(3)] for i in goes)
        return any(len({*run}) == 1 for run in runs)

    return next(pair for pair in test if 9 <= len(pair.source) <= 12 and turns(pair))


FEW = on_few(variant(score="general", scope="local-p"), 500, 3)
STUDY = Study(
    about="every score of Luong's in every scope, on one budget",
    cases=each(measured, recipe=VARIANTS),
    check=case(measured, recipe=FEW),
)
