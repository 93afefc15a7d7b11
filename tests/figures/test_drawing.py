"""A figure redraws itself for a phone from what it was given."""

import numpy as np
from matplotlib import rcParams

from lookback.figures import alignment, curves
from lookback.figures.drawing import (
    LETTERS,
    WIDTH,
    is_narrow,
    narrowly,
    size_for,
    wrapped,
)


def test_what_can_be_read_once_is_there_for_both() -> None:
    weights = np.zeros((1, 2))
    gold = (link for link in [(0, 0)])
    figure = alignment(weights, source=["a", "b"], target=["c"], gold=gold)
    assert len(figure.axes[0].patches) == len(figure.narrow().axes[0].patches) == 1


def test_sizes_are_those_of_the_page() -> None:
    assert size_for((6, 9)) == (6, 9)
    assert size_for(None) == tuple(rcParams["figure.figsize"])
    assert narrowly(size_for, (6, 9)) == (WIDTH, 3.2)
    assert narrowly(size_for, (6, 1)) == (WIDTH, 2.3)


def test_long_words_are_set_in_lines_on_a_phone() -> None:
    words = "word " * 20
    assert wrapped(words) == words
    assert max(map(len, narrowly(wrapped, words).split("\n"))) <= LETTERS


def test_nothing_stays_narrow() -> None:
    curves([1, 2], {"a": [1, 2]}, xlabel="x", ylabel="y").narrow()
    assert not is_narrow()
    try:
        narrowly(lambda: 1 / 0)
    except ZeroDivisionError:
        assert not is_narrow()
