"""Recurrent language models: whole sentences in, no padding in what comes out."""

import numpy as np
import pytest
import torch

from lookback.recipes.recurrent import RECIPES, SIZES, RecurrentLearner, on_text
from lookback.recurrent import RecurrentConfig
from lookback.text.corpora import Corpus
from lookback.workshop import TEXTS, Budget, Data, Optimiser, Recipe, follow

TRAIN = tuple(tuple(s.split()) for s in ("a b a", "b", "a b", "c a b", "b a b a b"))
CORPUS = Corpus("t", "1", 1, TRAIN, (("a", "b"), ("c",)), (("zz", "a"),), (), {})


def recipe(cell: str) -> Recipe[RecurrentLearner]:
    return Recipe(
        RecurrentLearner,
        Data("t"),
        0,
        RecurrentConfig(cell, m=3, n=4),
        Optimiser("adam", 0.05, clip=1.0),
        Budget(40, 12, evaluate_every=20),
    )


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru"])
def test_it_learns_and_comes_back_from_its_tensors(cell: str) -> None:
    learner = follow(recipe(cell), CORPUS)
    assert learner.log
    losses = [entry.loss for entry in learner.log.entries]
    assert np.mean(losses[-5:]) < 0.8 * np.mean(losses[:5])
    tensors = learner.tensors()
    again = RecurrentLearner(learner.recipe)
    again.restore(tensors, learner.vocabularies)
    assert again.evaluate(CORPUS) == learner.evaluate(CORPUS)
    assert again.parameters == sum(t.numel() for t in tensors.values())


def test_logits_are_those_of_the_network_and_padding_reaches_no_word() -> None:
    learner = RecurrentLearner(recipe("lstm"))
    learner.vocabularies = learner.words_of(CORPUS)
    network = learner.network = learner.untrained(learner.vocabularies).eval()
    words = learner.vocabularies["words"]
    sentences = [("a", "b", "a", "c"), ("b",), ("c", "a")]
    together = learner.log_probabilities(sentences)
    for sentence, found in zip(sentences, together, strict=True):
        ids = torch.tensor([[words.start, *words.ids(sentence)]])
        p = torch.log_softmax(learner.logits(network, ids), dim=-1)[0]
        after = [*words.ids(sentence), words.end]
        expected = p[range(len(after)), after].detach().numpy()
        assert found == pytest.approx(expected, abs=1e-6)
        assert torch.equal(learner.logits(network, ids), network(ids)[0])


def test_the_three_systems_have_about_as_many_parameters() -> None:
    types = {"grammar": 460, "python_reference": 1617, "multi30k": 5971}
    for text, V in types.items():
        sizes = []
        for cell, gates in (("rnn", 1), ("lstm", 4), ("gru", 3)):
            m, n = SIZES[text][0], SIZES[text][1][cell]
            sizes.append(V * m + gates * n * (m + n + 1) + V * (n + 1))
        assert max(sizes) < 1.25 * min(sizes)


def test_the_three_cells_are_trained_alike() -> None:
    assert sorted(RECIPES) == ["recurrent-gru", "recurrent-lstm", "recurrent-rnn"]
    for name, one in RECIPES.items():
        assert one == on_text(name.partition("-")[2], "grammar")
        assert one.data == TEXTS["grammar"]
        assert on_text(one.model.cell, "grammar", seed=2).seed == 2
    assert len({one.budget for one in RECIPES.values()}) == 1
