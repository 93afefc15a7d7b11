"""How Luong's translator is trained: every score and scope of its chapter's study."""

from dataclasses import replace

import numpy as np

from lookback.recipes.luong import RECIPES
from lookback.studies.luong import VariantConfig, VariantLearner
from lookback.text.corpora import grammar
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget


def test_a_variant_learns_and_shows_where_it_attends() -> None:
    model = VariantConfig(m=4, n=6, score="concat", scope="local-p")
    few = Budget(steps=2, tokens=200, evaluate_every=2)
    recipe = replace(RECIPES["luong"], learner=VariantLearner, model=model, budget=few)
    text = grammar(200, seed=5)
    trained, pair = train_recipe(recipe, text), text.test[0]
    assert trained.network.config == model
    weights = trained.attention(pair.source, pair.target)
    assert weights.shape == (len(pair.target), len(pair.source))
    assert np.isfinite(weights).all()


def test_the_captions_are_learned_by_the_same_model() -> None:
    shipped, captions = RECIPES["luong"].model, RECIPES["luong-multi30k"].model
    assert replace(captions, m=shipped.m, n=shipped.n, dropout=0.0) == shipped
