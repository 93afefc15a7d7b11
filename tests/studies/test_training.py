"""How a Transformer is trained: batches by pairs, and its confidence, by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from lookback.studies.training import (
    BASE,
    QUICK,
    SENTENCES,
    VARIANTS,
    answers,
    bins,
    scores,
)
from lookback.text.batches import Batch, batches
from lookback.text.corpora import Pair, PairCorpus
from lookback.training import noam_rate
from lookback.workshop import PAIRS, corpus, seeds

WORDS = ["a", "b", "c", "d", "e"]


def text(*lengths):
    """Pairs of these lengths, source and target; validation has the first three."""
    pairs = tuple(
        Pair(tuple(WORDS[(k + i) % 5] for i in range(s)), tuple(WORDS[:t]))
        for k, (s, t) in enumerate(lengths)
    )
    return PairCorpus("toy", "1", pairs, pairs[:3], pairs[1:3])


def learner_of(recipe, text):
    learner = recipe.learner(recipe)
    learner.vocabularies = learner.words_of(text)
    learner.network = learner.untrained(learner.vocabularies)
    return learner


# --- confidence ----------------------------------------------------------------------


class Fixed(torch.nn.Module):
    """Gives the words these probabilities, whatever it reads."""

    def __init__(self, p):
        super().__init__()
        self.p = torch.tensor(p)

    def forward(self, source, mask, target):
        assert not self.training
        assert target[:, 0].eq(1).all()  # from <s> on
        return self.p[:, : target.size(1)].log(), None


def test_answers_by_hand():
    p = [
        [[0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [0.2, 0.6, 0.2]],
        [[0.4, 0.35, 0.25], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
    ]
    target = torch.tensor([[1, 2, 1, 1], [1, 2, 0, 0]])
    mask = torch.tensor([[True] * 4, [True, True, False, False]])
    source = torch.zeros(2, 2, dtype=torch.long)
    batch = Batch(torch.arange(2), target, mask, source, torch.ones(2, 2).bool())
    right, confidence, true = answers(Fixed(p).train(), [batch, batch])
    np.testing.assert_allclose(right, [1, 0, 1, 0] * 2)
    np.testing.assert_allclose(confidence, [0.7, 0.5, 0.6, 0.4] * 2, rtol=1e-6)
    np.testing.assert_allclose(true, [0.7, 0.3, 0.6, 0.25] * 2, rtol=1e-6)


def test_bins_by_hand():
    confidence = np.array([0.05, 0.31, 0.39, 0.35, 0.4, 1.0, 0.92])
    right = np.array([0.0, 1, 0, 0, 1, 1, 0])
    assert bins(right, confidence) == [
        [1, 0.05, 0.0],
        [3, pytest.approx(0.35), pytest.approx(1 / 3)],
        [1, 0.4, 1.0],
        [2, 0.96, 0.5],
    ]
    assert all(isinstance(row[0], int) for row in bins(right, confidence))


def test_scores_agree_with_each_other_and_with_the_loss():
    toy = text((3, 4), (2, 2), (4, 3), (5, 5))
    learner = learner_of(replace(QUICK, model=replace(QUICK.model, smoothing=0.3)), toy)
    for read in (toy.train[:2], toy.test):
        found = scores(learner, read)
        some = replace(toy, validation=read)
        validation = learner.batches(some, "validation", torch.Generator())
        loss = learner.mean_loss(learner.network, validation)  # not smoothed: a mean
        assert found["perplexity"] == pytest.approx(math.exp(loss), rel=1e-4)
        count = sum(len(p.target) + 1 for p in read)
        rows = np.array(found["bins"])
        assert rows[:, 0].sum() == count
        means = rows[:, 0] @ rows[:, 1:] / count
        assert means[0] == pytest.approx(found["confidence"], abs=1e-3)
        assert means[1] == pytest.approx(found["accuracy"], abs=1e-3)
        assert 0 <= found["BLEU"] <= 100


# --- batches by pairs ----------------------------------------------------------------


def test_batches_are_counted_in_pairs_in_training_alone():
    recipe = VARIANTS["by sentences"]
    toy = text(*((n % 5 + 1, n % 7 + 1) for n in range(19)))

    def drawn(sentences, split):
        model = replace(recipe.model, sentences=sentences)
        learner = learner_of(replace(recipe, model=model), toy)
        return learner.batches(toy, split, seeds.generator(0))

    epoch = drawn(4, "train")
    first, second = list(epoch()), list(epoch())  # anew with each epoch
    assert sorted(map(len, first)) == [3, 4, 4, 4, 4]
    rows = [row for batch in first for row in batch.rows.tolist()]
    assert sorted(rows) == list(range(19))
    assert rows != [row for batch in second for row in batch.rows.tolist()]
    for batch in first:  # of similar length: only neighbours in length share a batch
        assert batch.source_mask.sum(dim=1).float().std() < 1.1
    (validation,) = drawn(1, "validation")
    assert len(validation) == 3


def test_there_are_as_many_pairs_in_a_batch_as_by_tokens():
    train = corpus(PAIRS).train
    sizes = [(len(p.source) + 1, len(p.target) + 2) for p in train]
    cut = batches(sizes, tokens=BASE.budget.tokens)
    assert round(len(train) / len(cut)) == SENTENCES


# --- the cases -----------------------------------------------------------------------


def test_everything_is_what_the_paper_says():
    optimiser, steps = BASE.optimiser, BASE.budget.steps
    assert dict(optimiser.options) == {"betas": (0.9, 0.98), "eps": 1e-9}
    for step in (1, 2, 399, 400, 401, steps):
        rate = optimiser.rate * optimiser.factor(step, steps)
        assert rate == pytest.approx(noam_rate(step, BASE.model.d_model, 400))
    assert BASE.model.smoothing == 0.1
    assert not BASE.model.norm_first
    assert optimiser.clip is None
