"""The running table of language models: what is measured, mixed and shown."""

import numpy as np
import pytest

from lookback.ngram import KneserNey, NgramModel
from lookback.recipes.ngram import NgramConfig, NgramLearner
from lookback.studies import language_models
from lookback.studies.language_models import (
    TABLE,
    lines,
    measured,
    mixed,
    mixture_weights,
)
from lookback.text.corpora import Corpus
from lookback.workshop import TEXTS, Budget, Recipe, learner

SENTENCES = tuple(tuple(s.split()) for s in ("a b a", "b", "a b", "c a b", "b a b c"))
CORPUS = Corpus("t", "1", 1, SENTENCES, SENTENCES[:3], SENTENCES[2:], (), {})


def counting(order: int) -> Recipe[NgramLearner]:
    config, budget = NgramConfig(order, "Kneser–Ney"), Budget(1)
    return Recipe(NgramLearner, TEXTS["grammar"], 0, config, None, budget)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """All texts are the toy."""
    monkeypatch.setattr(language_models, "corpus", lambda data: CORPUS)
    monkeypatch.setattr(learner, "corpus", lambda data: CORPUS)


def test_one_model_scores_as_it_does_alone(toy: None) -> None:
    found = measured("grammar", (counting(2),))
    model = NgramModel(2, KneserNey()).fit(SENTENCES)
    assert found["test perplexity"] == pytest.approx(model.perplexity(CORPUS.test))
    assert found["validation perplexity"] == pytest.approx(
        model.perplexity(CORPUS.validation)
    )
    assert found["parameters"] == len(model.counts.count)
    assert found["weights"] == [1.0]


def test_a_mixture_is_no_worse_on_validation_than_its_best_part(toy: None) -> None:
    parts = [measured("grammar", (counting(n),)) for n in (1, 3)]
    both = measured("grammar", (counting(1), counting(3)))
    best = min(part["validation perplexity"] for part in parts)
    assert both["validation perplexity"] <= best * (1 + 1e-6)
    assert both["parameters"] == sum(part["parameters"] for part in parts)
    assert sum(both["weights"]) == pytest.approx(1, abs=1e-3)


def test_mixture_weights_by_hand() -> None:
    # Two tokens that one model gives 1 and the other 0, and one the other way round.
    with np.errstate(divide="ignore"):
        log_p = np.log([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    weights = mixture_weights(log_p)
    np.testing.assert_allclose(weights, [2 / 3, 1 / 3])
    np.testing.assert_allclose(np.exp(mixed(log_p, weights)), [2 / 3, 2 / 3, 1 / 3])
    # One step from a half each: credit .8 and .2, then .2 and .8, then .5 and .5.
    log_p = np.log([[0.4, 0.1, 0.3, 0.4], [0.1, 0.4, 0.3, 0.1]])
    np.testing.assert_allclose(mixture_weights(log_p, 1), [0.575, 0.425])
    assert mixture_weights(np.log([[0.2, 0.3]])).tolist() == [1.0]


def test_it_is_shown_by_text_and_by_chapter() -> None:
    bigrams, *_ = lines(until="nplm", text="grammar")
    assert (bigrams.system, bigrams.text) == ("bigrams, Kneser–Ney", "grammar")
    rows = TABLE.rows("NPLM on grammar")
    nplm = next(n for n in lines(text="grammar") if n.system == "NPLM")
    assert nplm.parameters == rows[0]["parameters"]
    assert nplm.test == pytest.approx(np.mean([r["test perplexity"] for r in rows]))
