"""n-grams in the browser: every word's probability is Python's."""

from __future__ import annotations

import numpy as np
import pytest

from lookback import pretrained
from lookback.text.corpora import grammar
from lookback.trainer.checkpoint import path_of

from .conftest import Node

CONTEXTS = [[], ["the"], ["zebra"], ["the", "zebra"], ["does", "not"], [".", "."]]


def test_the_probabilities_of_all_words(node: Node) -> None:
    model = pretrained("ngram").network
    words = pretrained("ngram").vocabularies["words"].entries
    test = [list(pair.source) for pair in grammar(pairs=2500).test[:6]]
    contexts = [*CONTEXTS, *(s[:n] for s in test for n in (1, 4, len(s)))]
    script = """
        const model = await build("ngram", bytes(given.path));
        return given.contexts.map((words) => [...model.next(words)].map(Math.exp));
    """
    given = {"path": str(path_of("ngram")), "contexts": contexts}
    found = node(script, {"models": "build"}, given)
    for context, row in zip(contexts, found, strict=True):
        padded = ["<s>"] * (model.order - 1) + context
        vocab = model.counts.vocab
        expected = [model.score(w, padded) if w in vocab else 0 for w in words]
        np.testing.assert_allclose(row, expected, atol=1e-12, rtol=0)
        assert sum(row) == pytest.approx(1)
