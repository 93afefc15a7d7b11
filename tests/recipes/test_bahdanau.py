"""How RNNsearch is trained: what is built, and that its own weights are shown."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lookback.bahdanau import RNNSearchConfig
from lookback.recipes.bahdanau import RECIPES, RNNSearchLearner
from lookback.text.corpora import grammar
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget

SMALL = replace(
    RECIPES["bahdanau"],
    model=RNNSearchConfig(m=4, n=5, k=6, l=3),
    budget=Budget(steps=3, tokens=200, evaluate_every=3),
)


@pytest.fixture(scope="module")
def learner() -> RNNSearchLearner:
    return train_recipe(SMALL, grammar(200, seed=5))


def test_its_attention_is_that_of_the_network(learner: RNNSearchLearner) -> None:
    pair = grammar(200, seed=5).test[0]
    source, target = learner.sides
    ids = torch.tensor([[*source.ids(pair.source), source.end]])
    read = torch.tensor([[target.start, *target.ids(pair.target)]])
    with torch.no_grad():
        _, weights = learner.network(ids, torch.ones_like(ids).bool(), read)
    (found,) = learner.attention_weights([(pair.source, pair.target)])
    assert found.shape == (len(pair.target) + 1, len(pair.source) + 1)
    np.testing.assert_allclose(found, weights[0].numpy(), atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-6)
    inside = learner.attention(pair.source, pair.target)
    assert np.array_equal(inside, found[:-1, :-1])
