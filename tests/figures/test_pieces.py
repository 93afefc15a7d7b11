"""Test pieces: a box for each, in their order, as wide as its letters."""

import pytest
from matplotlib import rcParams
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from lookback.figures import pieces

ROWS = {"low": ["l", "ow·"], "lower": ["l", "ow", "er·"]}


def boxes(figure: Figure) -> list[tuple[float, float]]:
    return [(b.get_x(), b.get_width()) for b in figure.axes[0].patches]


def test_a_box_for_each_piece() -> None:
    figure = pieces(ROWS)
    words = [text.get_text() for text in figure.axes[0].texts]
    assert words == ["low", "l", "ow·", "lower", "l", "ow", "er·"]
    middles = [box.get_y() + box.get_height() / 2 for box in figure.axes[0].patches]
    rows = [text.get_position()[1] for text in figure.axes[0].texts]
    assert rows[1:3] + rows[4:] == pytest.approx(middles)
    assert rows[0] == rows[1] < rows[3] == rows[4]  # y goes down
    found = boxes(figure)
    assert len(found) == 5 and found[0] == found[2]  # rows begin at one place
    assert found[1][1] > found[3][1] > found[0][1]
    assert found[3][0] > found[2][0] + found[2][1]  # and boxes do not meet


def test_what_is_fresh_is_strong() -> None:
    first = to_hex(next(iter(rcParams["axes.prop_cycle"]))["color"])
    drawn = pieces(ROWS, fresh="l").axes[0].patches
    inked = [to_hex(box.get_edgecolor()) == first for box in drawn]
    assert inked == [True, False, True, False, False]
