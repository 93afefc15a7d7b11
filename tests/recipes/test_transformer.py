"""How Transformers are trained: the loss, the weights that are shown, the rate.

Mutants that these tests kill: smoothing in validation, or none in training; padding
among the losses; the first layer, or all, for the last; sums of heads for means; maps
of another sentence or with padding; another peak, warm-up or power of the paper's
schedule; Adam's usual betas.
"""

import pytest
import torch
from torch import nn

from lookback.recipes.transformer import (
    SmoothedConfig,
    TransformerLearner,
    adam,
    noam,
)
from lookback.text.batches import Batch, pair_batches
from lookback.text.corpora import Pair
from lookback.text.vocabulary import Vocabulary
from lookback.trainer.recipe import Budget, Data, Recipe
from lookback.training import noam_rate

PAIRS = [
    Pair(("a", "b", "c"), ("u", "v")),
    Pair(("b",), ("v", "w", "u", "u")),
]
WORDS = {
    "source": Vocabulary.build([pair.source for pair in PAIRS]),
    "target": Vocabulary.build([pair.target for pair in PAIRS]),
}
CONFIG = SmoothedConfig(N=2, d_model=12, h=3, d_ff=8, smoothing=0.2)
RECIPE = Recipe(TransformerLearner, Data("t"), 0, CONFIG, adam(3e-3), Budget(3, 50))


@pytest.fixture
def learner() -> TransformerLearner:
    learner = TransformerLearner(RECIPE)
    learner.restore(learner.untrained(WORDS).state_dict(), WORDS)
    return learner


def batch() -> Batch:
    (one,) = pair_batches(PAIRS, *WORDS.values(), tokens=50)
    return one


@pytest.mark.parametrize("training", [True, False])
def test_training_is_smoothed_and_validation_is_not(
    learner: TransformerLearner, training: bool
) -> None:
    read, network = batch(), learner.network.train(training)
    total, tokens = learner.loss(network, read)
    logits, _ = network(read.source, read.source_mask, read.target[:, :-1])
    right = read.target[:, 1:].masked_fill(~read.target_mask[:, 1:], -100)
    expected = nn.functional.cross_entropy(
        logits.flatten(0, 1),
        right.flatten(),
        reduction="sum",
        label_smoothing=0.2 if training else 0.0,
    )
    assert tokens == 3 + 5
    assert total.item() == pytest.approx(expected.item(), rel=1e-5)


def test_its_attention_is_the_mean_of_the_heads_of_the_last_layer(
    learner: TransformerLearner,
) -> None:
    read, network = batch(), learner.network
    with torch.no_grad():
        _, weights = network(read.source, read.source_mask, read.target[:, :-1])
        encoder, decoder, cross = learner.stacked(network, read)
        found = learner.batch_weights(network, read)
    assert encoder.shape == (2, 2, 3, 4, 4)  # B, N, h, S, S
    assert decoder.shape == (2, 2, 3, 5, 5)  # B, N, h, T, T
    assert cross.shape == (2, 2, 3, 5, 4)  # B, N, h, T, S
    for n in range(2):
        assert torch.equal(encoder[:, n], weights.encoder[n])
        assert torch.equal(decoder[:, n], weights.decoder[n].self_attention)
        assert torch.equal(cross[:, n], weights.decoder[n].cross_attention)
    expected = weights.decoder[1].cross_attention.mean(dim=1)
    assert torch.allclose(found, expected)


def test_maps_are_those_of_each_sentence_without_padding(
    learner: TransformerLearner,
) -> None:
    together = learner.maps(PAIRS)
    for pair, maps in zip(PAIRS, together, strict=True):
        S, T = len(pair.source) + 1, len(pair.target) + 1
        assert maps.encoder.shape == (2, 3, S, S)
        assert maps.decoder.shape == (2, 3, T, T)
        assert maps.cross.shape == (2, 3, T, S)
        (alone,) = learner.maps([pair])
        for kind, expected in zip(maps, alone, strict=True):
            assert kind == pytest.approx(expected, abs=1e-6)
            assert kind.sum(axis=-1) == pytest.approx(1, abs=1e-5)
        weights = learner.attention_weights([(pair.source, pair.target)])[0]
        assert weights == pytest.approx(maps.cross[-1].mean(axis=0), abs=1e-6)


def test_the_papers_schedule_step_for_step() -> None:
    optimiser = noam(96, 400)
    for step in (1, 7, 399, 400, 401, 1600, 9999):
        rate = optimiser.rate * optimiser.factor(step, 10_000)
        assert rate == pytest.approx(noam_rate(step, 96, 400))
