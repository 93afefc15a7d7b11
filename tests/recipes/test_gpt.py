"""A GPT is trained as the recurrent networks are, and stays within its positions."""

from dataclasses import replace

import pytest
import torch

from lookback.gpt import GPT, GPTConfig
from lookback.recipes.gpt import (
    BUDGETS,
    CONFIGS,
    RECIPES,
    GPTLearner,
    on_text,
)
from lookback.recipes.recurrent import BUDGETS as RECURRENT
from lookback.text.corpora import DataError
from lookback.trainer.data import corpus, english
from lookback.trainer.language import TEXTS
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe

from .conftest import CORPUS, learns


def recipe() -> Recipe[GPTLearner]:
    return Recipe(
        GPTLearner,
        Data("t"),
        0,
        GPTConfig(N=1, d_model=4, h=2, d_ff=6, max_positions=6),
        Optimiser("adamw", 0.05, clip=1.0),
        Budget(40, 12, evaluate_every=20),
    )


def test_it_learns_and_comes_back_from_its_tensors() -> None:
    again = learns(recipe())
    assert type(again.network) is GPT


def test_logits_are_those_of_the_network_and_padding_reaches_no_word() -> None:
    learner = GPTLearner(recipe())
    learner.vocabularies = learner.words_of(CORPUS)
    network = learner.network = learner.untrained(learner.vocabularies).eval()
    words = learner.vocabularies["words"]
    sentences = [("a", "b", "a", "c"), ("b",), ("c", "a")]
    together = learner.log_probabilities(sentences)
    for sentence, found in zip(sentences, together, strict=True):
        ids = torch.tensor([[words.start, *words.ids(sentence)]])
        p = torch.log_softmax(network(ids)[0], dim=-1)[0]
        after = [*words.ids(sentence), words.end]
        expected = p[range(len(after)), after].detach().numpy()
        assert found == pytest.approx(expected, abs=1e-6)
        assert torch.equal(learner.logits(network, ids), network(ids)[0])


def test_another_module_is_trained_in_the_same_way() -> None:
    """A later chapter changes one part of the network, and nothing of the recipe."""

    class Other(GPTLearner):
        def build(self, vocabularies):  # type: ignore[no-untyped-def]
            return GPT(replace(self.recipe.model, N=2), len(vocabularies["words"]))

    plain, other = on_text("grammar", 1), on_text("grammar", 1, Other)
    assert replace(other, learner=GPTLearner) == plain
    assert (
        len(train_recipe(replace(recipe(), learner=Other), CORPUS).network.blocks) == 2
    )


@pytest.mark.parametrize("text", TEXTS)
def test_there_is_a_position_for_every_word_of_its_text(text: str) -> None:
    assert {*CONFIGS} == {*BUDGETS} == {*TEXTS}
    try:
        read = corpus(TEXTS[text])
    except DataError as error:
        pytest.skip(f"LOOKBACK_DATA has no copy: {error}")
    longest = max(
        len(sentence)
        for split in ("train", "validation", "test")
        for sentence in english(read, split)
    )
    assert longest + 1 <= CONFIGS[text].max_positions < 1.5 * longest


def test_it_reads_as_many_words_as_the_recurrent_networks() -> None:
    for text in ("grammar", "python_reference", "multi30k"):
        assert BUDGETS[text] == RECURRENT[text]
    assert {"gpt": on_text("grammar")} == RECIPES
    assert on_text("grammar", seed=2).seed == 2
