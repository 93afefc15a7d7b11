"""Every recipe trains and comes back; what ships measures as it is recorded.

`make train` renews what fails here because a recipe or a corpus changed.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lookback.recipes.bert import BERTLearner
from lookback.recipes.bpe import JointData
from lookback.recipes.glove import GloVeLearner
from lookback.text.corpora import DataError, grammar
from lookback.trainer import checkpoint
from lookback.trainer.checkpoint import evaluate, is_bundled, outdated, pretrained
from lookback.trainer.data import CHANGING, LICENCES, NOT_SHIPPED, corpus
from lookback.trainer.language import LanguageLearner
from lookback.trainer.learner import Learner, train_recipe
from lookback.trainer.recipe import Recipe, recipe, recipes
from lookback.trainer.translation import CAPTIONS, PAIRS, TranslationLearner
from lookback.trainer.vectors import VectorLearner

RECIPES = recipes()
SHIPPED = sorted(path.stem for path in checkpoint.SHIPPED.glob("*.safetensors"))
LARGEST = {
    "bahdanau-tatoeba": 8_000_000,
    "bpe-transformer": 3_000_000,
    "bpe-bahdanau": 3_000_000,
    "stack_decoder": 2_000_000,
}
"""Tables, and translators of what people write, are larger than other networks."""


def few_steps(one: Recipe) -> Recipe:
    """The recipe at its full rate, for a few steps and all words of a small text."""
    one = replace(one, data=replace(one.data, min_count=1))
    if isinstance(one.data, JointData):
        one = replace(one, data=replace(one.data, symbols=200))
    if one.optimiser is None:
        return one
    n = 40 if issubclass(one.learner, BERTLearner) else 6  # few words are masked
    steps = replace(one.budget, steps=n, evaluate_every=n, tokens=300)
    rate = replace(one.optimiser, warmup=0, decay="constant")
    return replace(one, budget=steps, optimiser=rate)


def stored(learner: Learner) -> Learner:
    again = type(learner)(learner.recipe)
    again.restore(learner.tensors(), learner.vocabularies)
    return again


@pytest.mark.parametrize("name", RECIPES)
def test_it_trains_and_comes_back_from_its_tensors(name: str) -> None:
    text = grammar(80, seed=5)
    learner = train_recipe(few_steps(RECIPES[name]), text)
    if learner.log is None:  # counts are rounded where they are stored
        learner = stored(learner)
    elif not isinstance(learner, GloVeLearner):  # its first steps are wide
        losses = [entry.loss for entry in learner.log.entries]
        assert losses[-1] < 0.99 * losses[0]
    again = stored(learner)
    assert again.parameters == learner.parameters
    if isinstance(learner, VectorLearner):  # so small a text has no analogies
        (words, found), (same, expected) = again.vectors(), learner.vectors()
        assert [*words] == [*same]
        torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-5)
        return
    assert again.evaluate(text) == pytest.approx(learner.evaluate(text), rel=1e-3)


LANGUAGE = {n: r for n, r in RECIPES.items() if issubclass(r.learner, LanguageLearner)}


@pytest.mark.parametrize("name", LANGUAGE)
def test_words_are_scored_after_those_before_them_and_padding_reaches_none(
    name: str,
) -> None:
    learner = pretrained(name, kind=LanguageLearner)
    words, network = learner.vocabularies["words"], learner.network
    sentences = [("the", "old", "king", "zz"), ("a",), ("the", "law")]
    for sentence, found in zip(
        sentences, learner.log_probabilities(sentences), strict=True
    ):
        read = [words.start, *words.ids(sentence), words.end]
        expected = []
        for end in range(1, len(read)):  # each word, with nothing after it in sight
            with torch.no_grad():
                scores = learner.logits(network, torch.tensor([read[:end]]))[0, -1]
            expected.append(scores.log_softmax(dim=0)[read[end]].item())
        np.testing.assert_allclose(found, expected, atol=1e-4)


def test_what_is_compared_reads_the_same_text() -> None:
    for name, one in RECIPES.items():
        if issubclass(one.learner, TranslationLearner) and "bpe" not in name:
            _, _, text = name.partition("-")
            expected = {"": PAIRS, "multi30k": CAPTIONS}.get(text, one.data)
            assert one.data == expected
    for text in ("", "-tatoeba"):
        assert recipe("glove" + text).data == recipe("word2vec" + text).data


# --- what ships


@pytest.fixture(autouse=True)
def nothing_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(checkpoint.VARIABLE, raising=False)


def test_every_recipe_ships_that_may_with_the_authors_of_its_text() -> None:
    assert sorted(filter(is_bundled, RECIPES)) == SHIPPED
    named = (checkpoint.SHIPPED / "ATTRIBUTION.md").read_text(encoding="utf-8")
    for name in SHIPPED:
        read = pretrained(name).metadata["data"]["name"]
        assert read not in NOT_SHIPPED
        assert (f"`{name}.safetensors`" in named) == (read in LICENCES)


@pytest.mark.parametrize("name", SHIPPED)
def test_it_is_up_to_date_and_measures_as_recorded(name: str) -> None:
    assert outdated(name) is None
    learner = pretrained(name)
    assert learner.metrics
    try:
        text = corpus(learner.recipe.data)
    except DataError as error:
        pytest.skip(f"LOOKBACK_DATA has no copy: {error}")
    version = learner.metadata["data"]["version"]
    other = text.name in CHANGING and text.version != version
    # Another text of the same manual; or the same, summed by another processor.
    expected = pytest.approx(learner.metrics, rel=0.2 if other else 1e-4)
    assert evaluate(name) == expected


def test_they_are_small() -> None:
    sizes = {n: checkpoint.path_of(n).stat().st_size for n in SHIPPED}
    assert sum(sizes.values()) < 30_000_000
    assert all(size < LARGEST.get(n, 1_500_000) for n, size in sizes.items())
