"""Test trellises: nodes in their places, empty ones faint, strong lines."""

import numpy as np
import pytest
from matplotlib import rcParams
from matplotlib.colors import to_hex

from lookback.figures import trellis

VALUES = [[0.5, 0.25, np.nan], [0.0, 0.125, np.nan]]
WORDS = {"columns": ["they", "can", "fish"], "states": ["N", "V"]}


def test_a_node_for_each_state_and_word() -> None:
    axes = trellis(VALUES, **WORDS, fmt="{:.2f}").axes[0]
    centres = [tuple(node.get_center()) for node in axes.patches]
    assert centres == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    assert [node.get_alpha() for node in axes.patches] == [1, 1, 0.35] * 2
    words = [text.get_text() for text in axes.texts]
    assert words == ["0.50", "0.25", "0.00", "0.12", "they", "can", "fish", "N", "V"]
    places = [text.get_position() for text in axes.texts]
    assert places[:4] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert [x for x, _ in places[4:7]] == [0, 1, 2]  # over the columns
    assert [y for _, y in places[7:]] == [0, 1]  # before the rows
    assert {y for _, y in places[4:7]} == {-0.75} and axes.yaxis_inverted()


def test_strong_lines_and_the_nodes_at_their_ends() -> None:
    first = to_hex(next(iter(rcParams["axes.prop_cycle"]))["color"])
    figure = trellis(VALUES, **WORDS, lines=[(0, 1, 1)], strong=[(0, 0, 1)])
    axes = figure.axes[0]
    found = [(*line.get_xdata(), *line.get_ydata()) for line in axes.lines]
    assert found[0] == pytest.approx((0.37, 0.63, 1, 1))
    x, end, y, low = found[1]  # it begins and ends at the border of a node
    assert (x / 0.37) ** 2 + (y / 0.26) ** 2 == pytest.approx(1)
    assert (1 - end, 1 - low) == pytest.approx((x, y)) and x == pytest.approx(y)
    inked = [to_hex(node.get_edgecolor()) == first for node in axes.patches]
    assert inked == [True, False, False, False, True, False]
