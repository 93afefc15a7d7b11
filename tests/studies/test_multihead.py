"""One head and many: the same layer cut differently, and every head measured.

Mutants that these tests kill: a model that grows with h; heads averaged before their
entropy; the weights of one head, or their mean, for those of all; a case that differs
in more than h.
"""

import math

import pytest
import torch
from torch import nn

from lookback.multihead import MultiHeadAttention
from lookback.studies import attention
from lookback.studies.attention import (
    M,
    OneLayer,
    OneLayerLearner,
    entropy,
    head_weights,
)
from lookback.studies.multihead import HEADS, SEEDS, STUDY
from lookback.text.vocabulary import Vocabulary

WORDS = {"words": Vocabulary.build([["a", "b", "c", "d"]])}
SENTENCE = ["c", "a", "d"]


def network(h):
    learner = OneLayerLearner(STUDY.cases[f"h {h}, seed 1"])
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


def test_the_row_of_a_case(monkeypatch):
    """Of the first seed also the weights on a sentence; of others the scores alone."""
    text, rows = object(), {}
    sentences = [["a"], ["a", "b", "that", "c", "d", "b", "a"], SENTENCE]

    def follow(recipe):
        learner = OneLayerLearner(recipe)
        learner.vocabularies = WORDS
        learner.network = nn.Module()  # another one than at first
        return learner

    monkeypatch.setattr(attention, "follow", follow)
    monkeypatch.setattr(attention, "corpus", lambda data: text)
    monkeypatch.setattr(attention, "english", lambda corpus, split: sentences)
    monkeypatch.setattr(attention, "outline", lambda learner, corpus: {"outline": 1})
    monkeypatch.setattr(
        attention, "entropy",
        lambda model, words, read: 0.9 if isinstance(model, OneLayer) else 0.2,
    )  # fmt: skip
    monkeypatch.setattr(attention, "head_weights", lambda model, words, sentence: [[3]])
    for seed in SEEDS[:2]:
        rows[seed] = STUDY.measure(STUDY.cases[f"h 4, seed {seed}"])
    scores = {"outline": 1, "entropy at first": 0.9, "entropy at last": 0.2}
    assert rows[1] == scores
    assert rows[0] == {**scores, "words": sentences[1], "weights": [[3]]}


def test_cases_differ_in_what_is_compared_alone():
    cases = [c for label, c in STUDY.cases.items() if "seed 1" in label]
    assert len({(c.data, c.seed, c.optimiser, c.budget) for c in cases}) == 1
    assert [(c.model.m, c.model.h) for c in cases] == [(M, h) for h in HEADS]
    assert {c.learner for c in cases} == {OneLayerLearner}
    seeds = [c.seed for label, c in STUDY.cases.items() if label.startswith("h 16")]
    assert seeds == [*SEEDS]
