"""How the encoder–decoder is trained: what is built, and what its loss is."""

from dataclasses import replace

import pytest

from lookback.encdec import EncoderDecoderConfig, RNNEncoderDecoder
from lookback.recipes.encdec import RECIPES, EncoderDecoderLearner
from lookback.text.batches import pair_batches
from lookback.text.corpora import grammar
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget
from lookback.trainer.translation import CAPTIONS, PAIRS

SMALL = replace(
    RECIPES["encdec"],
    model=EncoderDecoderConfig(m=4, n=5, l=3),
    budget=Budget(steps=3, tokens=200, evaluate_every=3),
)


def test_it_is_built_for_its_vocabularies() -> None:
    text = grammar(200, seed=5)
    learner = train_recipe(SMALL, text)
    source, target = learner.sides
    assert source.ids(text.train[0].source)[0] > 3  # known
    assert len(source) != len(target)
    network = learner.network
    assert isinstance(network, RNNEncoderDecoder)
    assert network.encoder.e.weight.shape == (len(source), 4)
    assert network.decoder.G.weight.shape == (len(target), 3)
    assert learner.log is not None
    assert len(learner.log.entries) == 3


def test_its_loss_is_minus_the_score_of_the_pairs() -> None:
    text, learner = grammar(200, seed=5), EncoderDecoderLearner(SMALL)
    learner.vocabularies = learner.words_of(text)
    network = learner.untrained(learner.vocabularies)
    batch = next(iter(pair_batches(text.test, *learner.sides, sentences=7)))
    total, tokens = learner.loss(network, batch)
    scores = network.score(
        batch.source, batch.source_mask, batch.target, batch.target_mask
    )
    assert total.item() == pytest.approx(-scores.sum().item(), rel=1e-5)
    assert tokens == int(batch.target_mask.sum()) - 7


def test_the_recipes_read_what_every_translator_reads() -> None:
    assert RECIPES["encdec"].data == PAIRS
    assert RECIPES["encdec-multi30k"].data == CAPTIONS
