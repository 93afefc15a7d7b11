"""How RNNsearch is trained: what is built, and that its own weights are shown."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lookback.bahdanau import RNNSearch, RNNSearchConfig
from lookback.recipes.bahdanau import RECIPES, RNNSearchLearner
from lookback.text.corpora import grammar
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget
from lookback.trainer.translation import CAPTIONS, PAIRS

SMALL = replace(
    RECIPES["bahdanau"],
    model=RNNSearchConfig(m=4, n=5, k=6, l=3),
    budget=Budget(steps=3, tokens=200, evaluate_every=3),
)


@pytest.fixture(scope="module")
def learner() -> RNNSearchLearner:
    return train_recipe(SMALL, grammar(200, seed=5))


def test_it_is_built_for_its_vocabularies(learner: RNNSearchLearner) -> None:
    source, target = learner.sides
    assert len(source) != len(target)
    network = learner.network
    assert isinstance(network, RNNSearch)
    assert network.config == SMALL.model
    assert network.encoder.e.weight.shape == (len(source), 4)
    assert network.decoder.e.weight.shape == (len(target), 4)
    assert network.decoder.W_o.weight.shape == (len(target), 3)
    assert learner.log is not None
    assert len(learner.log.entries) == 3


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


def test_nothing_but_sentences_is_learned_from() -> None:
    """The gold links of the grammar change no weight."""
    text = grammar(200, seed=5)
    unlinked = replace(
        text,
        train=tuple(
            replace(p, sure=frozenset(), possible=frozenset()) for p in text.train
        ),
    )
    one, other = train_recipe(SMALL, text), train_recipe(SMALL, unlinked)
    for mine, theirs in zip(
        one.network.parameters(), other.network.parameters(), strict=True
    ):
        assert torch.equal(mine, theirs)


def test_each_recipe_has_its_text() -> None:
    assert RECIPES["bahdanau"].data == PAIRS
    assert RECIPES["bahdanau-tatoeba"].data.corpus == "tatoeba"
    assert RECIPES["bahdanau-multi30k"].data == CAPTIONS
