"""One head and many: every head is shown and measured."""

import math

import pytest
import torch

from lookback.studies.attention import OneLayerLearner, entropy, head_weights
from lookback.studies.multihead import HEADS, STUDY
from lookback.text.vocabulary import Vocabulary

WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}
SENTENCE = ["c", "a", "d"]


def network(h):
    learner = OneLayerLearner(STUDY.cases[f"h {h}, seed 1"].arguments["recipe"])
    return learner.untrained(WORDS).eval()


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
