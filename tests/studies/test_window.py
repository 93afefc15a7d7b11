"""The study of the window tagger, on sentences of the grammar."""

from dataclasses import replace

import pytest
import torch

from lookback.studies.features import grammar_text
from lookback.studies.window import (
    MORE,
    SIGMA,
    VECTORS,
    Window,
    by_length,
    coverage,
)
from lookback.text.corpora import Tagged
from lookback.window import COLUMNS
from lookback.workshop import pretrained

TEXT = grammar_text(150)
FEW = Window(epochs=1)


def test_batches_hold_every_sentence_once() -> None:
    sentences = [Tagged(("a",) * n, ("X",) * n) for n in (5, 900, 3, 70, 40, 60)]
    found = by_length(sentences, 100)
    assert sorted(id(s) for some in found for s in some) == sorted(map(id, sentences))
    assert [sum(len(s.words) for s in some) for some in found] == [108, 970]


def test_word_level_leaves_the_transitions_alone() -> None:
    tagger = replace(FEW, level="word").learn(TEXT)
    assert not tagger.likelihood.A.any()
    C = len(TEXT.tags)
    assert FEW.made(TEXT).parameters - tagger.parameters == C * C + C
    assert FEW.learn(TEXT).likelihood.A.any()
    words = [TEXT.test[0].words]
    f = tagger.network(tagger.lookup(words))
    assert tagger.tag(words)[0] == tuple(TEXT.tags[c] for c in f[0].argmax(dim=1))


def test_vectors_are_scaled_and_go_to_their_words() -> None:
    words, table = pretrained(VECTORS).vectors()
    tagger = replace(FEW, vectors=True).made(TEXT)
    rows = [tagger.lookup.tables[0][word] for word in words]
    found = tagger.network.get_parameter("tables.0.weight")[rows]
    assert found.std().item() == pytest.approx(SIGMA, rel=1e-3)
    assert torch.allclose(found, table * (SIGMA / table.std()), atol=1e-6)
    assert MORE.keys() == COLUMNS.keys() - {"word"}


def test_words_with_a_vector_are_counted() -> None:
    row = coverage({"the", "zebra"}, TEXT)
    test = [word for sentence in TEXT.test for word in sentence.words]
    assert row["words"] == 2
    assert row["in train"] == 1
    assert row["test"] == pytest.approx(100 * test.count("the") / len(test))
    assert row["unknown"] == 0
