"""IBM Model 1 goes through tensors and back."""

from pathlib import Path

import numpy as np
import pytest
import torch
from lookback.workshop.aligning import Ibm1Maker
from lookback.workshop.makers import Bench
from lookback.workshop.ranks import Ranks
from lookback.workshop.recipes import Budget, Data, Ibm1Config, Recipe

from lookback.ibm1 import IBMModel1
from lookback.text.corpora import Corpus, Pair, PairCorpus
from lookback.workshop import aligning

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
RECIPE = Recipe(Data("t"), 0, Ibm1Config(), None, Budget(12))
BENCH = Bench(torch.device("cpu"), Path("none"), Ranks())


def test_the_table_comes_back_but_for_half_precision() -> None:
    maker = Ibm1Maker()
    made = maker.train(RECIPE, CORPUS, BENCH)
    direct = IBMModel1().fit(PAIRS, 12)
    assert made.model.log_likelihood == direct.log_likelihood
    again = maker.build(
        RECIPE, maker.tensors(made.model, made.vocabularies), made.vocabularies
    )
    french = {word for pair in PAIRS for word in pair.target}
    for e in (None, "the", "a", "house", "blue", "flower", "unseen"):
        for f in (*french, "inconnu"):
            wanted = direct.translation_prob(f, e)
            kept = wanted if wanted >= aligning.LEAST else 0
            found = again.translation_prob(f, e)
            assert found == pytest.approx(kept, rel=1e-3, abs=1e-12)
    for pair in PAIRS:
        found = again.align(pair.source, pair.target)
        assert found == direct.align(pair.source, pair.target)
    assert again.log_likelihood == direct.log_likelihood
    assert maker.parameters(again) == int((direct._t >= aligning.LEAST).sum())


def test_what_is_improbable_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aligning, "LEAST", 0.3)
    maker = Ibm1Maker()
    made = maker.train(RECIPE, CORPUS, BENCH)
    kept = maker.tensors(made.model, made.vocabularies)["t"]
    assert len(kept) == (made.model._t >= 0.3).sum() < len(made.model._t)
    assert kept.min() >= 0.299


def test_it_translates_word_by_word_and_says_where_it_looked() -> None:
    maker = Ibm1Maker()
    made = maker.train(RECIPE, CORPUS, BENCH)
    model, words = made.model, made.vocabularies
    source, target = ["a", "blue", "house"], ["une", "maison", "bleue", "la"]
    assert maker.translate(model, words, source) == ["une", "bleue", "maison"]
    weights = maker.weights(model, words, source, target)
    assert weights.shape == (4, 3)
    assert np.array_equal(weights, model.posterior(source, target)[:, 1:])
    assert maker.align(model, words, source, target) == model.align(source, target)
    assert {(0, 0), (2, 1), (1, 2)} <= maker.align(model, words, source, target)


def test_the_error_rate_is_that_of_pairs_with_gold() -> None:
    maker = Ibm1Maker()
    made = maker.train(RECIPE, CORPUS, BENCH)
    found = maker.measure(made.model, made.vocabularies, CORPUS)
    assert found == {"validation AER": 0.0, "test AER": 0.0}
    half = Pair(("a",), ("une",), frozenset({(0, 0)}), frozenset({(0, 0)}))
    wrong = Pair(("a",), ("maison",), frozenset({(0, 0)}), frozenset({(0, 0)}))
    corpus = PairCorpus("t", "1", PAIRS, (half, wrong), GOLD)
    links = [made.model.align(p.source, p.target) for p in (half, wrong)]
    hits = sum(map(len, links))  # each is in S and in P
    found = maker.measure(made.model, made.vocabularies, corpus)
    assert found["validation AER"] == pytest.approx(1 - 2 * hits / (hits + 2))


def test_tensors_that_do_not_fit_are_refused() -> None:
    maker = Ibm1Maker()
    made = maker.train(RECIPE, CORPUS, BENCH)
    whole = dict(maker.tensors(made.model, made.vocabularies))

    def refused(told: str, **changes: torch.Tensor) -> None:
        with pytest.raises(ValueError, match=told):
            maker.build(RECIPE, {**whole, **changes}, made.vocabularies)

    refused("expected words, t, log_likelihood", more=torch.zeros(1))
    refused("words do not fit t", t=whole["t"][1:])
    for column in (0, 1):
        for wrong in (-1, 99):
            rows = whole["words"].clone()
            rows[3, column] = wrong
            refused("words do not fit t or the vocabularies", words=rows)


def test_text_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="learns from pairs, t has none"):
        Ibm1Maker().train(RECIPE, Corpus("t", "1", 1, (), (), (), (), {}), BENCH)
