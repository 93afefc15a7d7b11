"""The study of neural models beside n-grams: what it compares, and on what."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from lookback.workshop.growing import (
    Part,
    compared,
    counted,
    learnt,
    partners,
    scaled,
)
from lookback.workshop.language_models import TEXTS, mixture_weights
from lookback.workshop.recipes import Budget, Data, Optimiser, Recipe
from lookback.workshop.windows import NPLMMaker

from lookback.ngram import KneserNey, NgramModel
from lookback.nplm import NPLMConfig
from lookback.text.corpora import Corpus
from lookback.workshop import growing, language_models
from lookback.workshop.data import corpus

TRAIN = tuple(
    tuple(s.split())
    for s in ("a b a c", "b c", "a b", "c a b", "b a b a b", "d a", "a b c a b", "c d")
)
CORPUS = Corpus(
    "t", "1", 1, TRAIN, (("a", "b", "c"), ("c", "a")), (("d", "a", "b"),) * 2, (), {}
)
ASKED = Recipe(
    Data("t"),
    0,
    NPLMConfig(n=3, m=2, h=4, direct=True),
    Optimiser("adamw", 0.05, (("weight_decay", 0.01),), decay="linear"),
    Budget(30, 12, evaluate_every=10),
)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every corpus is the toy."""
    monkeypatch.setattr(language_models, "corpus", lambda data: CORPUS)
    monkeypatch.setattr(growing, "corpus", lambda data: CORPUS)


def test_n_grams_of_a_part_know_the_words_of_the_whole(toy: None) -> None:
    words = NPLMMaker().vocabularies(ASKED, CORPUS)
    made = counted(3, KneserNey(), Part(ASKED, 3), CORPUS, words)
    direct = NgramModel(3, KneserNey()).fit(TRAIN[:3])
    assert "d" not in direct.counts.vocab
    assert made.model.counts.count == direct.counts.count
    for context in (["a", "b"], ["d", "d"], []):
        vocab = made.model.counts.vocab
        assert vocab == {"a", "b", "c", "d", "</s>"}
        assert sum(made.model.score(w, context) for w in vocab) == pytest.approx(1)
    whole = counted(3, KneserNey(), Part(ASKED), CORPUS, words)
    assert whole.model.perplexity(CORPUS.test) == pytest.approx(
        NgramModel(3, KneserNey()).fit(TRAIN).perplexity(CORPUS.test)
    )


def test_a_part_is_learnt_with_the_words_of_the_whole(toy: None) -> None:
    part, _ = learnt(Part(ASKED, 3), CORPUS)
    whole, _ = learnt(Part(ASKED), CORPUS)
    known = ["<pad>", "<unk>", "<s>", "</s>", *"abcd"]
    for made in (part, whole):
        assert list(made.vocabularies["words"].entries) == known
    assert part.log is not None
    assert whole.log is not None
    # One epoch of three sentences is 12 tokens, one batch; the whole has more.
    assert part.log.entries[-1].epoch > whole.log.entries[-1].epoch
    assert not torch.equal(part.model.C, whole.model.C)


def test_all_are_compared_on_the_same_words(toy: None) -> None:
    found = compared(Part(ASKED))
    assert found["tokens"] == sum(len(s) + 1 for s in TRAIN)
    made, _ = learnt(Part(ASKED), CORPUS)
    maker, words = NPLMMaker(), made.vocabularies
    measured = maker.measure(made.model, words, CORPUS)
    assert found["NPLM"] == pytest.approx(measured["test perplexity"])
    assert found["NPLM, validation"] == pytest.approx(measured["validation perplexity"])
    ours = {
        split: np.concatenate(maker.log_probabilities(made.model, words, sentences))
        for split, sentences in (("held", CORPUS.validation), ("test", CORPUS.test))
    }
    for name, order, smoothing in partners(Part(ASKED), CORPUS, words):
        model = NgramModel(order, smoothing).fit(TRAIN)
        assert found[name] == pytest.approx(model.perplexity(CORPUS.test))
        both = {
            split: np.stack([ours[split], price(model, sentences)])
            for split, sentences in (("held", CORPUS.validation), ("test", CORPUS.test))
        }
        half = np.log(np.exp(both["test"]).mean(axis=0))
        assert found[f"{name}, half"] == pytest.approx(np.exp(-half.mean()))
        weights = mixture_weights(both["held"])
        assert found[f"{name}, weight"] == pytest.approx(weights[1], abs=1e-4)
        best = np.log(weights @ np.exp(both["test"]))
        assert found[f"{name}, mixed"] == pytest.approx(np.exp(-best.mean()))


def price(model: NgramModel, sentences) -> np.ndarray:
    words = [(w, s[:i]) for s in sentences for i, w in enumerate([*s, "</s>"])]
    return np.array([np.log(model.score(w, [*["<s>"] * 4, *h])) for w, h in words])


def test_interpolated_trigrams_take_their_weights_from_validation() -> None:
    words = NPLMMaker().vocabularies(ASKED, CORPUS)
    found = list(partners(Part(ASKED), CORPUS, words))
    assert [(name, order) for name, order, _ in found] == [
        ("trigrams", 3),
        ("5-grams", 5),
        ("interpolated trigrams", 3),
    ]
    mix = found[2][2]
    assert mix == type(mix).estimate(3, CORPUS.train, CORPUS.validation)
    assert len(list(partners(Part(ASKED, 3), CORPUS, words))) == 2


def test_less_text_has_fewer_steps_and_more_decay() -> None:
    quarter = scaled(ASKED, 0.25)
    assert (quarter.budget.steps, quarter.budget.evaluate_every) == (15, 3)
    assert quarter.optimiser == replace(
        ASKED.optimiser, options=(("weight_decay", 0.02),)
    )
    assert quarter.model == ASKED.model
    assert scaled(ASKED, 0.001).budget.evaluate_every == 1


def test_cases_of_the_study_differ_in_what_they_say() -> None:
    cases = growing.parts()
    assert len(set(cases.values())) == len(cases)
    for label, case in cases.items():
        text, told, seed = label.rsplit(", ", 2)
        assert text.startswith(case.recipe.data.corpus)
        assert seed == f"seed {case.recipe.seed}"
        if case.sentences is not None:
            assert told == f"{case.sentences} sentences"
    plain = growing.RECIPES["nplm"].model
    for name, change in growing.VARIANTS.items():
        other = cases[f"python_reference, {name}, seed 0"].recipe.model
        assert other == replace(plain, **change) != plain


def test_the_sentences_of_the_texts_are_as_many_as_is_said() -> None:
    """The Python reference is another with each Python: there it is only near."""
    found = len(corpus(TEXTS["grammar"]).train)
    assert growing.SENTENCES["grammar"] == found
