"""Variants of Luong's translator: how they differ, and how they are compared.

Mutants that these tests were seen to kill: no shift, one the other way, pairs without
links counted; each option of a variant, its D and its steps left as shipped; two words
turned round for three, shorter sentences.
"""

from typing import Any

import numpy as np

from lookback.luong import LuongConfig
from lookback.recipes.luong import RECIPES, LuongLearner
from lookback.studies import luong
from lookback.studies.luong import (
    VARIANTS,
    shifted_error,
    shown,
    variant,
)
from lookback.text.corpora import Pair


def pair(source: str, target: str, *links: tuple[int, int]) -> Pair:
    sure = frozenset(links)
    return Pair(tuple(source.split()), tuple(target.split()), sure, sure)


def test_variants_differ_in_what_they_are_named_after_and_in_nothing_else() -> None:
    shipped = RECIPES["luong"]
    assert isinstance(shipped.model, LuongConfig)
    assert len(VARIANTS) == 20
    assert len({recipe.digest for recipe in VARIANTS.values()}) == 20
    for label, recipe in VARIANTS.items():
        config = recipe.model
        assert label.startswith(f"{config.score}, {config.scope}")
        assert ("fed" in label) is config.input_feeding
        assert ("one side" in label) is (config.directions == "right-to-left")
        assert ("LSTM" in label) is (config.cell == "lstm")
        seed = int(label[-1]) if "seed" in label else shipped.seed
        assert (recipe.data, recipe.seed) == (shipped.data, seed)
        assert recipe.optimiser == shipped.optimiser
        assert recipe.budget == variant().budget
        assert (config.D, recipe.budget.steps) == (luong.D, luong.STEPS)


class Fixed(LuongLearner):
    """Has these attention weights without a network."""

    def attention_weights(self, read: Any) -> list[Any]:
        # Predicting words 0, 1 and the end, it attends to words 1, 0 and 1 of 2.
        return [np.array([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3]])]


def test_the_word_read_is_one_before_the_word_predicted() -> None:
    learner = Fixed(variant())
    # The step that reads word 0 attends to 0, the one that reads word 1 to 1.
    read = [pair("a b", "x y", (0, 0), (1, 1)), Pair(("c",), ("z",))]
    assert shifted_error(learner, read) == 0
    written = [pair("a b", "x y", (1, 0), (0, 1))]
    assert shifted_error(learner, written) == 1


def test_the_sentence_that_is_shown_turns_three_words_round() -> None:
    words = " ".join("abcdefghi")
    straight = pair(words, words, *((k, k) for k in range(9)))
    two = pair(words, words, (0, 1), (1, 0), *((k, k) for k in range(2, 9)))
    three = pair(words, words, (4, 6), (5, 5), (6, 4), (0, 0))
    short = pair(words[:-2], words, (4, 6), (5, 5), (6, 4), (0, 0))
    assert len(short.source) == 8
    gap = pair(words, words, (4, 6), (6, 4))
    assert shown([straight, two, short, gap, three]) is three
