"""What tests of recipes share."""

from typing import Any

import numpy as np

from lookback.text.corpora import Corpus
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Recipe

TRAIN = tuple(tuple(s.split()) for s in ("a b a", "b", "a b", "c a b", "b a b a b"))
CORPUS = Corpus("t", "1", 1, TRAIN, (("a", "b"), ("c",)), (("zz", "a"),), (), {})


def learns(recipe: Recipe[Any], most: float = 0.8) -> Any:
    """A learner of CORPUS, whose loss falls, and which comes back from its tensors.

    most  what part of its first losses its last ones are, at the most
    """
    learner = train_recipe(recipe, CORPUS)
    assert learner.log
    losses = [entry.loss for entry in learner.log.entries]
    assert np.mean(losses[-5:]) < most * np.mean(losses[:5])
    tensors = learner.tensors()
    again = type(learner)(learner.recipe)
    again.restore(tensors, learner.vocabularies)
    assert again.evaluate(CORPUS) == learner.evaluate(CORPUS)
    assert again.parameters == sum(t.numel() for t in tensors.values())
    return again
