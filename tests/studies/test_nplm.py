"""The study of neural models beside n-grams: what it compares, and on what."""

from dataclasses import replace

import numpy as np
import pytest

from lookback.ngram import JelinekMercer, KneserNey, NgramModel
from lookback.nplm import NPLMConfig
from lookback.recipes.nplm import NPLMLearner
from lookback.studies import nplm
from lookback.studies.language_models import mixture_weights
from lookback.studies.nplm import compared, counted, learned, partners, scaled
from lookback.text.corpora import Corpus
from lookback.workshop import TEXTS, Budget, Data, Optimiser, Recipe, corpus, learner

TRAIN = tuple(
    tuple(s.split())
    for s in ("a b a c", "b c", "a b", "c a b", "b a b a b", "d a", "a b c a b", "c d")
)
CORPUS = Corpus(
    "t", "1", 1, TRAIN, (("a", "b", "c"), ("c", "a")), (("d", "a", "b"),) * 2, (), {}
)
SMALL = Recipe(
    NPLMLearner,
    Data("t"),
    0,
    NPLMConfig(n=3, m=2, h=4, direct=True),
    Optimiser("adamw", 0.05, (("weight_decay", 0.01),), decay="linear"),
    Budget(30, 12, evaluate_every=10),
)
WORDS = NPLMLearner(SMALL).words_of(CORPUS)


def test_n_grams_of_a_part_know_the_words_of_the_whole() -> None:
    part = counted(3, KneserNey(), CORPUS, WORDS, 3).network
    direct = NgramModel(3, KneserNey()).fit(TRAIN[:3])
    assert "d" not in direct.counts.vocab
    assert part.counts.count == direct.counts.count
    assert part.counts.vocab == {"a", "b", "c", "d", "</s>"}
    for context in (["a", "b"], ["d", "d"], []):
        total = sum(part.score(w, context) for w in part.counts.vocab)
        assert total == pytest.approx(1)


def test_a_part_is_learned_with_the_words_of_the_whole() -> None:
    part = learned(SMALL, CORPUS, 3)
    assert part.vocabularies["words"].entries == WORDS["words"].entries
    assert part.log is not None
    assert part.log.entries[-1].epoch == 30 / 2  # three sentences are two batches


def test_all_are_compared_on_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (learner, nplm):
        monkeypatch.setattr(module, "corpus", lambda data: CORPUS)
    found = compared(SMALL)
    assert found["tokens"] == sum(len(s) + 1 for s in TRAIN)
    model = learned(SMALL, CORPUS, None)
    measured, splits = model.evaluate(CORPUS), (CORPUS.validation, CORPUS.test)
    assert found["NPLM"] == pytest.approx(measured["test perplexity"])
    assert found["NPLM, validation"] == pytest.approx(measured["validation perplexity"])
    ours = [np.concatenate(model.log_probabilities(split)) for split in splits]
    for name, order, smoothing in partners(CORPUS, WORDS, None):
        counts = NgramModel(order, smoothing).fit(TRAIN)
        assert found[name] == pytest.approx(counts.perplexity(CORPUS.test))
        theirs = [log_p(counts, split) for split in splits]
        held, test = (np.stack(both) for both in zip(ours, theirs, strict=True))
        half = np.log(np.exp(test).mean(axis=0))
        assert found[f"{name}, half"] == pytest.approx(np.exp(-half.mean()))
        weights = mixture_weights(held)
        assert found[f"{name}, weight"] == pytest.approx(weights[1])
        best = np.log(weights @ np.exp(test))
        assert found[f"{name}, mixed"] == pytest.approx(np.exp(-best.mean()))


def log_p(model: NgramModel, sentences) -> np.ndarray:
    words = [(w, s[:i]) for s in sentences for i, w in enumerate([*s, "</s>"])]
    return np.array([np.log(model.score(w, [*["<s>"] * 4, *h])) for w, h in words])


def test_interpolated_trigrams_take_their_weights_from_validation() -> None:
    *_, (name, order, mix) = partners(CORPUS, WORDS, None)
    assert (name, order) == ("interpolated trigrams", 3)
    assert mix == JelinekMercer.estimate(3, CORPUS.train, CORPUS.validation)
    assert len(list(partners(CORPUS, WORDS, 3))) == 2


def test_less_text_has_fewer_steps_and_more_decay() -> None:
    quarter = scaled(SMALL, 0.25)
    assert (quarter.budget.steps, quarter.budget.evaluate_every) == (15, 3)
    assert quarter.optimiser == replace(
        SMALL.optimiser, options=(("weight_decay", 0.02),)
    )
    assert quarter.model == SMALL.model
    assert scaled(SMALL, 0.001).budget.evaluate_every == 1


def test_the_sentences_of_the_grammar_are_as_many_as_is_said() -> None:
    assert len(corpus(TEXTS["grammar"]).train) == nplm.SENTENCES
