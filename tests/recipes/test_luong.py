"""How Luong's translator is trained: what is built for every score and scope."""

from dataclasses import replace

import numpy as np
import pytest

from lookback.luong import LuongConfig, LuongTranslator
from lookback.recipes.luong import RECIPES, LuongLearner
from lookback.studies.luong import VariantLearner
from lookback.text.corpora import grammar
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget
from lookback.trainer.translation import CAPTIONS, PAIRS


@pytest.mark.parametrize(
    ("learner", "model"),
    [
        (LuongLearner, LuongConfig(m=4, n=6)),
        (LuongLearner, replace(RECIPES["luong"].model, m=4, n=6)),
        (VariantLearner, LuongConfig(m=4, n=6, score="concat", scope="local-p")),
    ],
    ids=["paper", "shipped", "local"],
)
def test_it_is_built_for_its_vocabularies(
    learner: type[LuongLearner], model: LuongConfig
) -> None:
    recipe = replace(
        RECIPES["luong"],
        learner=learner,
        model=model,
        budget=Budget(steps=2, tokens=200, evaluate_every=2),
    )
    text = grammar(200, seed=5)
    trained = train_recipe(recipe, text)
    source, target = trained.sides
    assert len(source) != len(target)
    network = trained.network
    assert isinstance(network, LuongTranslator)
    assert network.config == model
    assert network.e_source.weight.shape == (len(source), 4)
    assert network.e_target.weight.shape == (len(target), 4)
    assert network.W_s.weight.shape == (len(target), 6)
    pair = text.test[0]
    weights = trained.attention(pair.source, pair.target)
    assert weights.shape == (len(pair.target), len(pair.source))
    assert np.isfinite(weights).all()
    assert trained.translate(pair.source) is not None


def test_the_recipes_read_what_every_translator_reads() -> None:
    assert RECIPES["luong"].data == PAIRS
    assert RECIPES["luong-multi30k"].data == CAPTIONS
    shipped, captions = RECIPES["luong"].model, RECIPES["luong-multi30k"].model
    assert replace(captions, m=shipped.m, n=shipped.n, dropout=0.0) == shipped
