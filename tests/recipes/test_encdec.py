"""How the encoder–decoder is trained: what is built, and what its loss is."""

from dataclasses import replace

import pytest

from lookback.encdec import EncoderDecoderConfig
from lookback.recipes.encdec import RECIPES, EncoderDecoderLearner
from lookback.text.batches import pair_batches
from lookback.text.corpora import grammar
from lookback.trainer.recipe import Budget

SMALL = replace(
    RECIPES["encdec"],
    model=EncoderDecoderConfig(m=4, n=5, l=3),
    budget=Budget(steps=3, tokens=200, evaluate_every=3),
)


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
