"""How deep LSTMs are trained, and that the order of reading alone is compared."""

from dataclasses import replace

import pytest

from lookback.recipes.seq2seq import IN_ORDER, RECIPES, REVERSED
from lookback.seq2seq import Seq2Seq, Seq2SeqConfig
from lookback.text.corpora import grammar
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget
from lookback.trainer.translation import PAIRS


def test_it_is_built_for_its_vocabularies() -> None:
    recipe = replace(
        REVERSED,
        model=Seq2SeqConfig(m=4, n=5, layers=3, reversed=False),
        budget=Budget(steps=3, tokens=200, evaluate_every=3),
    )
    learner = train_recipe(recipe, grammar(200, seed=5))
    source, target = learner.sides
    assert len(source) != len(target)
    network = learner.network
    assert isinstance(network, Seq2Seq)
    assert network.config == recipe.model
    assert network.source.weight.shape == (len(source), 4)
    assert network.target.weight.shape == (len(target), 4)
    assert network.out.weight.shape == (len(target), 5)


def test_the_two_orders_of_reading_differ_in_nothing_else() -> None:
    assert RECIPES == {"seq2seq": REVERSED}
    assert REVERSED.data == PAIRS
    assert REVERSED.model.reversed is True
    assert IN_ORDER.model.reversed is False
    assert replace(IN_ORDER, model=REVERSED.model) == REVERSED


def test_both_orders_begin_alike_and_read_the_same_batches() -> None:
    """So the first loss of the two differs by the order of reading alone."""
    text, logs = grammar(200, seed=5), []
    for reversed_ in (True, False):
        recipe = replace(
            REVERSED,
            model=Seq2SeqConfig(m=4, n=5, layers=2, reversed=reversed_),
            budget=Budget(steps=4, tokens=200, evaluate_every=4),
        )
        learner = train_recipe(recipe, text)
        assert learner.log is not None
        logs.append(learner.log.entries)
    one, other = logs
    assert [e.tokens for e in one] == [e.tokens for e in other]
    assert one[0].loss == pytest.approx(other[0].loss, abs=0.02)
    assert one[0].loss != other[0].loss
