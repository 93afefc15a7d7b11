"""Variants of Luong's translator: the shifted error, and the sentence shown."""

from typing import Any

import numpy as np

from lookback.recipes.luong import LuongLearner
from lookback.studies.luong import shifted_error, shown, variant
from lookback.text.corpora import Pair


def pair(source: str, target: str, *links: tuple[int, int]) -> Pair:
    sure = frozenset(links)
    return Pair(tuple(source.split()), tuple(target.split()), sure, sure)


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
