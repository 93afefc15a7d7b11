"""What word2vec learns, and what each of its parts is worth."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor

from lookback.measure import AnalogyScore, analogy_scores, neighbour_agreement
from lookback.recipes.word2vec import RECIPES, Word2VecLearner
from lookback.text.analogies import ANALOGIES
from lookback.text.corpora import Corpus, grammar
from lookback.text.grammar import noun_kinds
from lookback.trainer import seeds
from lookback.trainer.data import AnyCorpus
from lookback.trainer.learner import train_recipe
from lookback.trainer.recipe import Recipe, smoke_recipe
from lookback.trainer.study import Experiment, Row, Setting, Study, grid

SEEDS = (0, 1, 2)
BASE = replace(
    RECIPES["word2vec"], budget=replace(RECIPES["word2vec"].budget, steps=600)
)
VARIANTS: dict[str, dict[str, Any]] = {
    "skip-gram": {},
    "CBOW": {"kind": "cbow"},
    "softmax": {"negatives": 0},
    "k = 1": {"negatives": 1},
    "k = 15": {"negatives": 15},
    "power 0": {"power": 0.0},
    "power 1": {"power": 1.0},
    "no subsampling": {"t": 1.0},
}
"""What differs from BASE: skip-gram, k = 5, the power ¾, frequent words left out."""
THREE = ("plural", "third person", "past")  # analogies of the grammar with most pairs
LEAST = 10  # pairs of a class of analogies that counts


def french(recipe: Recipe[Word2VecLearner]) -> AnyCorpus:
    """The French side of the recipe's grammar."""
    pairs = grammar(**dict(recipe.data.options))
    train, validation, test = (
        tuple(pair.target for pair in pairs.split(split))
        for split in ("train", "validation", "test")
    )
    return Corpus("grammar", "", 1, train, validation, test, (), {})


def truths(words: Sequence[str], vectors: Tensor, language: str) -> Row:
    """How often the nearest noun shares what the grammar knows.

    By question: the share, the ends of its interval, and the share of random guesses.
    """
    nouns = noun_kinds("small", language)
    things = {w: k for w, k in nouns.items() if k.kind != "person"}
    questions = {
        "kind": {w: k.kind for w, k in nouns.items()},
        "number": {w: k.form for w, k in nouns.items()},
        "French gender": {w: k.gender for w, k in things.items()},
    }
    row = Row()
    for name, labels in questions.items():
        agreed = neighbour_agreement(
            labels, words, vectors, generator=seeds.generator(0)
        )
        right = agreed.right
        row[name] = [right.value, right.low, right.high, agreed.chance]
    return row


def scored(learner: Word2VecLearner) -> dict[str, AnalogyScore]:
    """Each class of analogies."""
    return analogy_scores(ANALOGIES, *learner.vectors(), generator=seeds.generator(0))


def side(recipe: Recipe[Word2VecLearner], language: str) -> Row:
    """Train on a side of the grammar; what the nearest noun shares."""
    learner = train_recipe(recipe, french(recipe) if language == "french" else None)
    return truths(*learner.vectors(), language)


def variant(recipe: Recipe[Word2VecLearner]) -> Row:
    """Train on the English of the grammar.

    kind       how often the nearest noun is of the same kind
    analogies  right ones, the mean of THREE;  interval  the narrowest of the three
    """
    learner = train_recipe(recipe)
    scores = scored(learner)
    right = [scores[name].right for name in THREE]
    return {
        "kind": truths(*learner.vectors(), "english")["kind"][0],
        "analogies": float(np.mean([one.value for one in right])),
        "interval": min(one.high - one.low for one in right),
    }


def real(recipe: Recipe[Word2VecLearner]) -> Row:
    """Train on Tatoeba; of each class the share of right analogies, with its interval.

    The last of four numbers: the share right if the word nearest to c is the answer.
    """
    return {
        name: [s.right.value, s.right.low, s.right.high, s.alone]
        for name, s in scored(train_recipe(recipe)).items()
        if s.pairs >= LEAST
    }


def of_variant(name: str, seed: int) -> Setting:
    """The recipe of a setting."""
    return {
        "recipe": replace(BASE, seed=seed, model=replace(BASE.model, **VARIANTS[name]))
    }


STUDY = Study(
    "word2vec on the grammar, part by part, and on real English",
    {
        "sides": Experiment(
            side,
            grid(language=("english", "french"), seed=SEEDS),
            smoke={"recipe": smoke_recipe(BASE, 500, 10), "language": "english"},
            arguments=lambda language, seed: {
                "recipe": replace(BASE, seed=seed),
                "language": language,
            },
        ),
        "variants": Experiment(
            variant, grid(name=VARIANTS, seed=SEEDS), arguments=of_variant
        ),
        "real": Experiment(
            real,
            grid(seed=SEEDS[1:]),  # seed 0 is the model that ships
            arguments=lambda seed: {
                "recipe": replace(RECIPES["word2vec-tatoeba"], seed=seed)
            },
        ),
    },
)
