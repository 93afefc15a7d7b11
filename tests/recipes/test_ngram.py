"""Models of counts go through tensors and back, and are what they were."""

import math

import numpy as np
import pytest
import torch

from kit import text_corpus
from lookback.ngram import (
    AddK,
    JelinekMercer,
    KneserNey,
    MaximumLikelihood,
    NgramModel,
    Smoothing,
)
from lookback.recipes import ngram
from lookback.recipes.ngram import NgramConfig, NgramLearner, ngrams
from lookback.trainer.language import TEXTS
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget, Data, Recipe

CORPUS = text_corpus(
    ["a b a c b", "b a", "c c a b a", "d", "a b b a", "e a b"], ["a zz"], ["b a d"]
)
TEXT = CORPUS.train
SMOOTHINGS: dict[str, Smoothing] = {
    **ngram.SMOOTHINGS,
    "D = 0.3": KneserNey(0.3),
    "none": MaximumLikelihood(),
    "add 0.1": AddK(0.1),
    "mixed": JelinekMercer((0.2, 0.3, 0.5)),
}


@pytest.fixture(autouse=True)
def smoothings(monkeypatch: pytest.MonkeyPatch) -> None:
    """More smoothings than recipes name."""
    monkeypatch.setattr(ngram, "SMOOTHINGS", SMOOTHINGS)


def recipe(smoothing: str = "Kneser–Ney", min_count: int = 1) -> Recipe[NgramLearner]:
    data = Data("t", min_count=min_count)
    return Recipe(NgramLearner, data, 0, NgramConfig(3, smoothing), None, Budget(1))


def restored(learner: NgramLearner) -> NgramLearner:
    again = NgramLearner(learner.recipe)
    again.restore(learner.tensors(), learner.vocabularies)
    return again


@pytest.mark.parametrize("name", SMOOTHINGS)
def test_an_ngram_model_comes_back_to_the_bit(name: str) -> None:
    learner = train_recipe(recipe(name), CORPUS)
    direct = NgramModel(3, SMOOTHINGS[name]).fit(TEXT)
    again = restored(learner)
    for model in (learner.network, again.network):
        assert model.counts.vocab == direct.counts.vocab
        assert model.counts.count == direct.counts.count
        assert model.counts.total == direct.counts.total
        assert model.counts.freed == direct.counts.freed
        assert model.counts.discounts == direct.counts.discounts
        assert model.perplexity(TEXT[:3]) == direct.perplexity(TEXT[:3])
    assert again.parameters == len(direct.counts.count)


def test_rare_words_are_unknown_and_stay_so() -> None:
    again = restored(train_recipe(recipe(min_count=2), CORPUS))
    model = again.network
    assert model.counts.vocab == {"a", "b", "c", "<unk>", "</s>"}
    assert again.evaluate(CORPUS) == {
        "validation perplexity": model.perplexity([["a", "<unk>"]]),
        "test perplexity": model.perplexity([["b", "a", "<unk>"]]),
    }


def test_words_are_scored_as_the_model_scores_them() -> None:
    learner = train_recipe(recipe(), CORPUS)
    (row,) = learner.log_probabilities([["a", "b"]])
    grams = [("a", ["<s>", "<s>"]), ("b", ["<s>", "a"]), ("</s>", ["a", "b"])]
    score = learner.network.score
    expected = [math.log(score(word, context)) for word, context in grams]
    np.testing.assert_allclose(row, expected, rtol=1e-12)
    found = learner.perplexity(CORPUS.test)
    assert found == pytest.approx(learner.evaluate(CORPUS)["test perplexity"])
    none = train_recipe(recipe("none"), CORPUS)
    (row,) = none.log_probabilities([["b", "c"]])
    assert row[-1] == -math.inf  # a sentence never ended so


def test_generation_keeps_its_beginning_and_its_sentences_apart() -> None:
    learner = train_recipe(recipe(), CORPUS)

    def drawn(seed: int) -> list[list[str]]:
        generator = torch.Generator().manual_seed(seed)
        return learner.generate(40, start=["b", "a"], generator=generator)

    sentences = drawn(1)
    assert sentences[0][:2] == ["b", "a"]
    assert all(sentences)
    assert len(sentences) > 2
    assert all("</s>" not in sentence for sentence in sentences)
    assert 2 < sum(map(len, sentences)) <= 42
    assert drawn(1) == sentences != drawn(2)


def test_tensors_that_do_not_fit_are_refused() -> None:
    learner = train_recipe(recipe(), CORPUS)
    tensors = dict(learner.tensors())

    def refused(words: str, **changes: torch.Tensor | None) -> None:
        some = {k.replace(".", "_"): v for k, v in tensors.items()} | changes
        named = {k.replace("_", "."): v for k, v in some.items() if v is not None}
        with pytest.raises(ValueError, match=words):
            NgramLearner(learner.recipe).restore(named, learner.vocabularies)

    refused(r"expected \['counts.1'", grams_2=None)
    refused(r"expected \['counts.1'", other=torch.zeros(1))
    refused("grams.2 does not fit", grams_2=tensors["grams.2"][1:])
    refused("grams.2 does not fit", grams_2=tensors["grams.3"])
    refused("grams.1 does not fit", grams_1=tensors["grams.1"] + 90)
    refused("grams.1 does not fit", grams_1=tensors["grams.1"] - 9)


def test_a_smoothing_has_a_name() -> None:
    with pytest.raises(ValueError, match="no smoothing 'Kneser-Ney': did you mean 'Kn"):
        NgramConfig(3, "Kneser-Ney")


def test_a_text_has_n_grams_of_every_order() -> None:
    one = ngrams("multi30k", 5)
    assert (one.data, one.model.order) == (TEXTS["multi30k"], 5)
    assert one.optimiser is None
