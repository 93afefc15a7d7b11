"""How neural language models are trained: their windows, and their decay."""

import math
from dataclasses import replace

import pytest
import torch

from lookback.nplm import NPLM, NPLMConfig, contexts
from lookback.recipes.nplm import BY_TEXT, RECIPES, SEEDS, NPLMLearner
from lookback.text.corpora import Corpus
from lookback.trainer.language import TEXTS
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Budget, Data, Optimiser, Recipe

TRAIN = tuple(
    tuple(s.split())
    for s in ("a b a c", "b c", "a b", "c a b", "b a b a b", "d a", "a b c a b", "c d")
)
CORPUS = Corpus(
    "t", "1", 1, TRAIN, (("a", "b", "c"), ("c", "a")), (("d", "a", "b"),) * 2, (), {}
)
RECIPE = Recipe(
    NPLMLearner,
    Data("t"),
    0,
    NPLMConfig(n=3, m=2, h=4, direct=True),
    Optimiser("adamw", 0.05, (("weight_decay", 0.01),), decay="linear"),
    Budget(30, 12, evaluate_every=10),
)


@pytest.fixture
def untrained() -> NPLMLearner:
    learner = NPLMLearner(RECIPE)
    learner.vocabularies = learner.words_of(CORPUS)
    learner.network = learner.untrained(learner.vocabularies)
    return learner


def test_each_word_is_scored_after_its_window(untrained: NPLMLearner) -> None:
    words = untrained.vocabularies["words"]
    (found,) = untrained.log_probabilities([["b", "zz"]])
    s, b, unk, end = words.start, *words.ids(["b", "zz"]), words.end
    after = {(s, s): b, (b, s): unk, (unk, b): end}  # the nearest word first
    for log_p, (context, word) in zip(found, after.items(), strict=True):
        scores = untrained.network(torch.tensor(context))
        p = torch.softmax(scores, dim=0)[word].item()
        assert log_p == pytest.approx(math.log(p), abs=1e-6)


def test_scores_are_the_networks_at_every_position(untrained: NPLMLearner) -> None:
    ids = torch.tensor([[2, 4, 5, 6], [2, 7, 7, 3]])
    scores = untrained.logits(untrained.network, ids)
    assert scores.shape == (2, 4, len(untrained.vocabularies["words"]))
    torch.testing.assert_close(scores, untrained.network(contexts(ids, 3)))


@pytest.mark.parametrize("direct", [True, False])
def test_weights_decay_and_biases_do_not(direct: bool) -> None:
    network = NPLM(NPLMConfig(n=3, m=2, h=4, direct=direct), 5)
    assert RECIPE.optimiser
    optimiser = RECIPE.optimiser.over(NPLMLearner(RECIPE).groups(network))
    decay = {
        id(tensor): group["weight_decay"]
        for group in optimiser.param_groups
        for tensor in group["params"]
    }
    named = {name: decay[id(tensor)] for name, tensor in network.named_parameters()}
    weights = dict.fromkeys("CHUW" if direct else "CHU", 0.01)
    assert named == {**weights, "b": 0.0, "d": 0.0}


def test_its_groups_are_those_that_are_trained() -> None:
    """A decay of all that is learned pulls the weights to 0, and no bias."""
    assert RECIPE.optimiser
    pulled = replace(
        RECIPE,
        optimiser=replace(RECIPE.optimiser, options=(("weight_decay", 20.0),)),
    )
    network = train_recipe(pulled, CORPUS).network
    lengths = {name: p.norm().item() for name, p in network.named_parameters()}
    assert max(lengths[name] for name in "CHUW") < min(lengths[name] for name in "bd")


def test_training_raises_the_probabilities_and_comes_back_from_its_tensors(
    untrained: NPLMLearner,
) -> None:
    before = untrained.evaluate(CORPUS)
    learner = train_recipe(RECIPE, CORPUS)
    after = learner.evaluate(CORPUS)
    assert after["validation perplexity"] < 0.8 * before["validation perplexity"]
    again = NPLMLearner(RECIPE)
    again.restore(learner.tensors(), learner.vocabularies)
    assert again.evaluate(CORPUS) == after
    V = len(learner.vocabularies["words"])
    assert again.parameters == RECIPE.model.parameters(V)


def test_each_text_has_its_recipe() -> None:
    assert BY_TEXT.keys() == SEEDS.keys() == TEXTS.keys()
    for text, recipe in BY_TEXT.items():
        assert recipe.data == TEXTS[text]
    for name, text in (("nplm", "python_reference"), ("nplm-grammar", "grammar")):
        assert RECIPES[name] is BY_TEXT[text]
