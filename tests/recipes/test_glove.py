"""How GloVe is trained: what it counts, draws, loses, and measures."""

import math

import numpy as np
import pytest
import torch

from kit import text_corpus
from lookback.glove import GloVeConfig, cooccurrence
from lookback.recipes.glove import GloVeLearner, cells_of
from lookback.trainer.fit import once
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe

TRAIN = ["a b c d", "b a d", "c b a", "a b c d", "d rare b", "c d a b c"]
HELD_OUT = ["a b d", "b c"]
CORPUS = text_corpus(TRAIN, HELD_OUT)
RECIPE = Recipe(
    GloVeLearner, Data("t", min_count=2), 3,
    GloVeConfig(m=3, x_max=2, alpha=0.75, window=2),
    Optimiser("adagrad", 0.1), Budget(steps=60, tokens=5, evaluate_every=20),
)  # fmt: skip
WORDS = ("b", "a", "c", "d")  # the most frequent first; "rare" occurs once


@pytest.fixture
def untrained() -> GloVeLearner:
    learner = GloVeLearner(RECIPE)
    learner.vocabularies = learner.words_of(CORPUS)
    learner.network = learner.untrained(learner.vocabularies)
    return learner


def test_its_counts_are_those_of_each_sentence_once(untrained: GloVeLearner) -> None:
    assert untrained.words == WORDS
    number = {word: n for n, word in enumerate(WORDS)}
    once = [s.split() for s in dict.fromkeys(TRAIN)]  # a b c d is there twice
    text = [[number[w] for w in s if w in number] for s in once]  # d b, next to it
    X = untrained.counts(CORPUS, "train")
    assert np.array_equal(X.dense(), cooccurrence(text, 4, 2).dense())
    held_out = untrained.counts(CORPUS, "validation")
    assert held_out.X.sum() == 2 * (2 + 1 / 2 + 1)


def test_an_epoch_holds_each_cell_once_in_another_order(
    untrained: GloVeLearner,
) -> None:
    X = untrained.counts(CORPUS, "train")
    generator = torch.Generator().manual_seed(0)
    batches = untrained.batches(CORPUS, "train", generator)
    wanted = sorted(zip(X.i.tolist(), X.j.tolist(), X.X.tolist(), strict=True))
    orders = []
    for _ in range(2):
        epoch = list(once(batches))
        assert {len(i) for i, _, _ in epoch[:-1]} == {5}
        i, j, x = (torch.cat(parts).tolist() for parts in zip(*epoch, strict=True))
        cells = list(zip(i, j, x, strict=True))
        assert [c[:2] for c in sorted(cells)] == [c[:2] for c in wanted]
        assert sorted(x) == pytest.approx(sorted(X.X))
        orders.append(cells)
    assert orders[0] != orders[1]
    ((i, j, x),) = untrained.batches(CORPUS, "validation", generator)
    assert (len(i), len(j), x.dtype) == (len(x), len(x), torch.float32)


def test_the_loss_is_the_papers(untrained: GloVeLearner) -> None:
    network, X = untrained.network, untrained.counts(CORPUS, "train")
    loss, cells = untrained.loss(network, cells_of(X))
    expected = 0.0
    for i, j, x in zip(X.i, X.j, X.X, strict=True):
        score = network.w[i] @ network.w_tilde[j] + network.b[i] + network.b_tilde[j]
        expected += min(1, x / 2) ** 0.75 * (score.item() - math.log(x)) ** 2
    assert loss.item() == pytest.approx(expected, rel=1e-5)
    assert cells == len(X.X)


def test_validation_measures_how_likely_the_neighbours_are(
    untrained: GloVeLearner,
) -> None:
    network, generator = untrained.network, torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.normal_(generator=generator)
    batches = untrained.batches(CORPUS, "validation", generator)
    total = near = 0.0
    for i, j, X in batches:
        for one, other, x in zip(i, j, X, strict=True):
            scores = [
                math.exp(
                    (network.w[one] @ network.w_tilde[k] + network.b_tilde[k]).item()
                )
                for k in range(4)
            ]
            total -= x.item() * math.log(scores[other] / sum(scores))
            near += x.item()
    found = untrained.mean_loss(network, batches)
    assert found == pytest.approx(total / near, rel=1e-5)
    with pytest.raises(ValueError, match="there is nothing to measure the loss on"):
        untrained.mean_loss(network, [])


def test_training_brings_the_model_nearer() -> None:
    learner = train_recipe(RECIPE, CORPUS)
    X = cells_of(learner.counts(CORPUS, "train"))
    untrained = learner.untrained(learner.vocabularies)
    after, before = (learner.loss(n, X)[0] for n in (learner.network, untrained))
    assert after < 0.3 * before


def test_a_model_goes_through_tensors_and_back() -> None:
    learner, again = train_recipe(RECIPE, CORPUS), GloVeLearner(RECIPE)
    again.restore(learner.tensors(), learner.vocabularies)
    both = torch.cat([learner.network.w, learner.network.w_tilde], dim=1)
    assert torch.equal(again.vectors()[1], both)
    assert again.vectors()[0] == WORDS
