"""Stacks: a box for each hypothesis in its place, and what is told of it."""

import pytest
from matplotlib import rcParams
from matplotlib.colors import to_hex

from lookback.figures import stacks
from lookback.figures.stacks import Box

TWO = [[Box("la\n−2", "new"), Box("le\n−3", "dropped")], [Box("la voiture\n−4")]]
NAMES = ["1 word", "2 words"]


def test_a_box_for_each_hypothesis() -> None:
    axes = stacks(TWO, names=NAMES).axes[0]
    assert [text.get_text() for text in axes.texts] == [
        "1 word", "la\n−2", "le\n−3", "2 words", "la voiture\n−4"
    ]  # fmt: skip
    middles = [(p.get_x() + 0.45, p.get_y() + 0.4) for p in axes.patches]
    assert [(round(x, 6), round(y, 6)) for x, y in middles] == [(0, 0), (0, 1), (1, 0)]
    first = to_hex(next(iter(rcParams["axes.prop_cycle"]))["color"])
    assert [to_hex(p.get_edgecolor()) == first for p in axes.patches] == [
        True,
        False,
        False,
    ]
    assert [p.get_alpha() for p in axes.patches] == [1, 0.4, 1]


def test_a_phone_has_it_narrower_and_it_is_told_in_words() -> None:
    figure = stacks(TWO, names=NAMES)
    assert figure.narrow is not None
    assert figure.narrow().get_figwidth() <= 3.4
    assert "le, −3, dropped" in figure.numbers and "2 words" in figure.numbers


def test_refusals() -> None:
    with pytest.raises(ValueError, match="2 stacks have 1 names"):
        stacks(TWO, names=["1"])
    with pytest.raises(ValueError, match="a box is 'odd': expected one of"):
        stacks([[Box("x", "odd")]], names=["1"])
