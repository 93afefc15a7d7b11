"""A translator by phrases goes through tensors and back."""

from typing import Any

import numpy as np
import pytest
import torch

from kit import pair_corpus
from lookback.ngram import KneserNey, NgramModel
from lookback.recipes.ngram import restored, stored
from lookback.recipes.stack_decoder import PhraseLearner, PhrasesConfig
from lookback.text.vocabulary import Vocabulary
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget, Data, Recipe

TEXT = [
    ("the red cat sleeps", "le chat rouge dort"),
    ("the dog sees the red cat", "le chien voit le chat rouge"),
    ("a red dog sleeps", "un chien rouge dort"),
    ("a cat sees a dog", "un chat voit un chien"),
    ("the dog sleeps", "le chien dort"),
    ("a dog sees the cat", "un chien voit le chat"),
]
CORPUS = pair_corpus(TEXT, TEXT[:2], TEXT[2:4])
PAIRS = CORPUS.train
CONFIG = PhrasesConfig(max_length=2, at_most=3, order=2)
RECIPE = Recipe(PhraseLearner, Data("t"), 0, CONFIG, None, Budget(1))


@pytest.fixture(scope="module")
def learner() -> PhraseLearner:
    return train_recipe(RECIPE, CORPUS)


def again(learner: PhraseLearner, **other: Any) -> PhraseLearner:
    found = PhraseLearner(RECIPE)
    found.restore({**learner.tensors(), **other}, learner.vocabularies)
    return found


def test_what_is_stored_translates_alike(learner: PhraseLearner) -> None:
    back = again(learner)
    assert len(back.table) == len(learner.table) >= 20
    assert back.parameters == learner.parameters
    for f in learner.table:
        ours, theirs = learner.table.options(f), back.table.options(f)
        assert [o.target for o in ours] == [o.target for o in theirs]
        np.testing.assert_allclose(
            [o.scores for o in ours], [o.scores for o in theirs], rtol=1e-3
        )
    for pair in PAIRS:
        one, other = (m.network.n_best(pair.source, 1)[0] for m in (learner, back))
        assert one.words == other.words
        assert one.score == pytest.approx(other.score, rel=1e-2)
    assert back.evaluate(CORPUS) == learner.evaluate(CORPUS)


def test_a_word_attends_to_its_phrase(learner: PhraseLearner) -> None:
    source = ["the", "red", "cat", "zebra", "sleeps"]
    (best,) = learner.network.n_best(source, 1)
    assert {end - begin for begin, end, _ in best.phrases} == {1, 2}
    target = [*best.words]
    weights = learner.attention(source, target)
    assert weights.shape == (len(target), 5)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert target[int(weights[:, 3].argmax())] == "zebra"  # copied, being unknown
    with pytest.raises(ValueError, match="the translation by phrases is"):
        learner.attention(source, ["un", *target])


def test_n_grams_that_are_left_out_leave_probabilities() -> None:
    text = [pair.target for pair in PAIRS]
    words = Vocabulary.build(text)
    model = NgramModel(2, KneserNey()).fit(text)
    small = restored(stored(model, words, least=2), words, 2, KneserNey())
    rare, often = ("chat", "dort"), ("chien", "voit")
    assert model.counts.count[often] == 2 and often in small.counts.count
    assert rare not in small.counts.count
    for context in ("chat", "le", "un"):
        p = [
            small.smoothing.probability((context, word), small.counts)
            for word in small.counts.vocab
        ]
        assert sum(p) == pytest.approx(1)


def test_another_file_is_refused(learner: PhraseLearner) -> None:
    scores, source = learner.tensors()["scores"], learner.tensors()["source"]
    for other, said in (
        ({"more": scores}, "expected source, target, scores, weights"),
        ({"scores": scores[1:]}, "phrases do not fit their scores"),
        ({"source": torch.full_like(source, 99)}, "does not fit the vocabulary"),
    ):
        with pytest.raises(ValueError, match=said):
            again(learner, **other)
