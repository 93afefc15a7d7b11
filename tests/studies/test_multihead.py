"""One head and many: the same layer cut differently, and every head measured."""

import math

import pytest
import torch

from lookback.multihead import MultiHeadAttention
from lookback.studies.attention import (
    OneLayer,
    OneLayerLearner,
    entropy,
    head_weights,
)
from lookback.studies.multihead import HEADS, STUDY
from lookback.text.vocabulary import Vocabulary

WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}
SENTENCE = ["c", "a", "d"]


def network(h):
    learner = OneLayerLearner(STUDY.cases[f"h {h}, seed 1"].arguments["recipe"])
    return learner.untrained(WORDS).eval()


@pytest.mark.parametrize("h", HEADS)
def test_the_layer_has_as_many_heads_as_its_label_says_and_as_many_weights(h):
    one, model = network(1), network(h)
    assert isinstance(model, OneLayer)
    assert isinstance(model.attention, MultiHeadAttention)
    words, ids = WORDS["words"], torch.tensor([[4, 5, 6, 7, 4]])
    assert model(ids)[0].shape == (1, 5, len(words))
    assert model(ids)[1].shape == (1, h, 5, 5)
    sizes = [[p.shape for p in net.parameters()] for net in (one, model)]
    assert sizes[0] == sizes[1]
    for ours, theirs in zip(one.parameters(), model.parameters(), strict=True):
        assert torch.equal(ours, theirs)  # from one seed they begin alike


@pytest.mark.parametrize("h", HEADS)
def test_every_head_is_shown_and_counted(h):
    model, words = network(h), WORDS["words"]
    shown = head_weights(model, WORDS, SENTENCE)
    ids = torch.tensor([[words.start, *words.ids(SENTENCE)]])
    weights = model(ids)[1][0].detach()
    torch.testing.assert_close(torch.tensor(shown), weights, rtol=0, atol=6e-4)
    shares = [
        -(row[: t + 1] * row[: t + 1].log()).sum() / math.log(t + 1)
        for head in weights
        for t, row in enumerate(head)
        if t
    ]
    expected = float(sum(shares) / len(shares))
    assert entropy(model, WORDS, [SENTENCE]) == pytest.approx(expected, abs=1e-4)
