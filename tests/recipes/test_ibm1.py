"""IBM Model 1 goes through tensors and back."""

import numpy as np
import pytest
import torch

from lookback.ibm1 import IBMModel1
from lookback.recipes import ibm1
from lookback.recipes.ibm1 import Ibm1Learner
from lookback.text.corpora import Pair, PairCorpus
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget, Data, Recipe

TEXT = [
    ("the house", "la maison"),
    ("the blue house", "la maison bleue"),
    ("the flower", "la fleur"),
    ("a blue flower", "une fleur bleue"),
    ("a house", "une maison"),
]
LINKS = frozenset({(0, 0), (1, 1)})
PAIRS = tuple(Pair(tuple(s.split()), tuple(t.split())) for s, t in TEXT)
GOLD = (Pair(*map(tuple, (["a", "house"], ["une", "maison"])), LINKS, LINKS),)
CORPUS = PairCorpus("t", "1", PAIRS, GOLD, (*GOLD, PAIRS[0]))
RECIPE = Recipe(Ibm1Learner, Data("t"), 0, None, None, Budget(12))


@pytest.fixture
def learner() -> Ibm1Learner:
    return train_recipe(RECIPE, CORPUS)


def restored(learner: Ibm1Learner) -> Ibm1Learner:
    again = Ibm1Learner(RECIPE)
    again.restore(learner.tensors(), learner.vocabularies)
    return again


def test_the_table_comes_back_but_for_half_precision(learner: Ibm1Learner) -> None:
    direct = IBMModel1().fit(PAIRS, 12)
    assert learner.network.log_likelihood == direct.log_likelihood
    again = restored(learner)
    french = {word for pair in PAIRS for word in pair.target}
    for e in (None, "the", "a", "house", "blue", "flower", "unseen"):
        for f in (*french, "inconnu"):
            wanted = direct.translation_prob(f, e)
            stored = wanted if wanted >= ibm1.LEAST else 0
            found = again.network.translation_prob(f, e)
            assert found == pytest.approx(stored, rel=1e-3, abs=1e-12)
    for pair in PAIRS:
        links = again.link(pair.source, pair.target)
        assert links == direct.align(pair.source, pair.target)
    assert again.network.log_likelihood == direct.log_likelihood
    assert again.parameters == int((direct.t >= ibm1.LEAST).sum())


def test_what_is_improbable_is_not_stored(
    learner: Ibm1Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ibm1, "LEAST", 0.3)
    stored, t = learner.tensors()["t"], learner.network.t
    assert len(stored) == (t >= 0.3).sum() < len(t)
    assert stored.min() >= 0.299


def test_it_translates_word_by_word_and_says_what_it_aligned(
    learner: Ibm1Learner,
) -> None:
    model = learner.network
    source, target = ["a", "blue", "house"], ["une", "maison", "bleue", "la"]
    assert learner.translate(source) == ["une", "bleue", "maison"]
    weights = learner.attention(source, target)
    assert weights.shape == (4, 3)
    assert np.array_equal(weights, model.posterior(source, target)[:, 1:])
    assert learner.link(source, target) == model.align(source, target)
    assert {(0, 0), (2, 1), (1, 2)} <= learner.link(source, target)


def test_the_error_rate_is_that_of_pairs_with_gold(learner: Ibm1Learner) -> None:
    metrics = learner.evaluate(CORPUS)
    assert metrics == {"validation AER": 0.0, "test AER": 0.0}
    half = Pair(("a",), ("une",), frozenset({(0, 0)}), frozenset({(0, 0)}))
    wrong = Pair(("a",), ("maison",), frozenset({(0, 0)}), frozenset({(0, 0)}))
    corpus = PairCorpus("t", "1", PAIRS, (half, wrong), GOLD)
    links = [learner.network.align(p.source, p.target) for p in (half, wrong)]
    hits = sum(map(len, links))  # each is in S and in P
    metrics = learner.evaluate(corpus)
    assert metrics["validation AER"] == pytest.approx(1 - 2 * hits / (hits + 2))


def test_tensors_that_do_not_fit_are_refused(learner: Ibm1Learner) -> None:
    whole = dict(learner.tensors())

    def refused(message: str, **changes: torch.Tensor) -> None:
        with pytest.raises(ValueError, match=message):
            Ibm1Learner(RECIPE).restore({**whole, **changes}, learner.vocabularies)

    refused("expected words, t, log_likelihood", more=torch.zeros(1))
    refused("words do not fit t", t=whole["t"][1:])
    for column in (0, 1):
        for wrong in (-1, 99):
            rows = whole["words"].clone()
            rows[3, column] = wrong
            refused("words do not fit t or the vocabularies", words=rows)
