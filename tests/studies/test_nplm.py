"""The study of neural models beside n-grams: what it compares, and on what."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lookback.ngram import KneserNey, NgramModel
from lookback.nplm import NPLMConfig
from lookback.recipes.nplm import NPLMLearner
from lookback.studies import nplm
from lookback.studies.language_models import mixture_weights
from lookback.studies.nplm import (
    Part,
    compared,
    counted,
    learned,
    partners,
    scaled,
)
from lookback.text.corpora import Corpus
from lookback.workshop import (
    TEXTS,
    Budget,
    Data,
    Optimiser,
    Recipe,
    corpus,
    learner,
)

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


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every corpus is the toy."""
    monkeypatch.setattr(learner, "corpus", lambda data: CORPUS)
    monkeypatch.setattr(nplm, "corpus", lambda data: CORPUS)


def test_n_grams_of_a_part_know_the_words_of_the_whole(toy: None) -> None:
    words = NPLMLearner(SMALL).words_of(CORPUS)
    part = counted(3, KneserNey(), Part(SMALL, 3), CORPUS, words)
    direct = NgramModel(3, KneserNey()).fit(TRAIN[:3])
    assert "d" not in direct.counts.vocab
    assert part.network.counts.count == direct.counts.count
    for context in (["a", "b"], ["d", "d"], []):
        vocab = part.network.counts.vocab
        assert vocab == {"a", "b", "c", "d", "</s>"}
        assert sum(part.network.score(w, context) for w in vocab) == pytest.approx(1)
    whole = counted(3, KneserNey(), Part(SMALL), CORPUS, words)
    assert whole.network.perplexity(CORPUS.test) == pytest.approx(
        NgramModel(3, KneserNey()).fit(TRAIN).perplexity(CORPUS.test)
    )


def test_a_part_is_learned_with_the_words_of_the_whole(toy: None) -> None:
    part = learned(Part(SMALL, 3), CORPUS)
    whole = learned(Part(SMALL), CORPUS)
    known = ["<pad>", "<unk>", "<s>", "</s>", *"abcd"]
    for one in (part, whole):
        assert list(one.vocabularies["words"].entries) == known
    assert part.log is not None
    assert whole.log is not None
    # One epoch of three sentences is 12 tokens, one batch; the whole has more.
    assert part.log.entries[-1].epoch > whole.log.entries[-1].epoch
    assert not torch.equal(part.network.C, whole.network.C)


def test_all_are_compared_on_the_same_words(toy: None) -> None:
    found = compared(Part(SMALL))
    assert found["tokens"] == sum(len(s) + 1 for s in TRAIN)
    model = learned(Part(SMALL), CORPUS)
    words, measured = model.vocabularies, model.evaluate(CORPUS)
    assert found["NPLM"] == pytest.approx(measured["test perplexity"])
    assert found["NPLM, validation"] == pytest.approx(measured["validation perplexity"])
    ours = {
        split: np.concatenate(model.log_probabilities(sentences))
        for split, sentences in (("held", CORPUS.validation), ("test", CORPUS.test))
    }
    for name, order, smoothing in partners(Part(SMALL), CORPUS, words):
        counts = NgramModel(order, smoothing).fit(TRAIN)
        assert found[name] == pytest.approx(counts.perplexity(CORPUS.test))
        both = {
            split: np.stack([ours[split], log_p(counts, sentences)])
            for split, sentences in (("held", CORPUS.validation), ("test", CORPUS.test))
        }
        half = np.log(np.exp(both["test"]).mean(axis=0))
        assert found[f"{name}, half"] == pytest.approx(np.exp(-half.mean()))
        weights = mixture_weights(both["held"])
        assert found[f"{name}, weight"] == pytest.approx(weights[1], abs=1e-4)
        best = np.log(weights @ np.exp(both["test"]))
        assert found[f"{name}, mixed"] == pytest.approx(np.exp(-best.mean()))


def log_p(model: NgramModel, sentences) -> np.ndarray:
    words = [(w, s[:i]) for s in sentences for i, w in enumerate([*s, "</s>"])]
    return np.array([np.log(model.score(w, [*["<s>"] * 4, *h])) for w, h in words])


def test_interpolated_trigrams_take_their_weights_from_validation() -> None:
    words = NPLMLearner(SMALL).words_of(CORPUS)
    found = list(partners(Part(SMALL), CORPUS, words))
    assert [(name, order) for name, order, _ in found] == [
        ("trigrams", 3),
        ("5-grams", 5),
        ("interpolated trigrams", 3),
    ]
    mix = found[2][2]
    assert mix == type(mix).estimate(3, CORPUS.train, CORPUS.validation)
    assert len(list(partners(Part(SMALL, 3), CORPUS, words))) == 2


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
