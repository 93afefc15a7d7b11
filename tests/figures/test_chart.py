"""Test span charts: boxes over their words, empty ones faint, strong ones, lines."""

import pytest
from matplotlib import rcParams
from matplotlib.colors import to_hex

from lookback.figures import chart

WORDS = ["she", "eats", "fish"]
CELLS = {(0, 1): "NP", (1, 3): "VP 1/8\nS 1/9"}


def test_a_box_over_each_run_of_words() -> None:
    axes = chart(CELLS, words=WORDS).axes[0]
    boxes = [box.get_bbox() for box in axes.patches]
    centres = [(box.x0 + box.width / 2, box.y0 + box.height / 2) for box in boxes]
    assert centres == [
        pytest.approx(c)
        for c in [(0.5, 0), (1.5, 0), (2.5, 0), (1, 1), (2, 1), (1.5, 2)]
    ]
    assert [box.get_alpha() for box in axes.patches] == [1, *[0.35] * 3, 1, 0.35]
    words = [text.get_text() for text in axes.texts]
    assert words == ["NP", "", "", "", "VP 1/8\nS 1/9", "", *WORDS]
    places = [text.get_position() for text in axes.texts]
    assert [*map(pytest.approx, places[:6])] == centres
    assert [x for x, _ in places[6:]] == [0.5, 1.5, 2.5]
    assert max(y for _, y in places[6:]) < min(box.y0 for box in boxes)


def test_strong_boxes_and_lines() -> None:
    first = to_hex(next(iter(rcParams["axes.prop_cycle"]))["color"])
    figure = chart(CELLS, words=WORDS, strong=[(1, 3)], lines=[((0, 3), (1, 3))])
    inked = [to_hex(box.get_edgecolor()) == first for box in figure.axes[0].patches]
    assert inked == [False] * 4 + [True, False]
    (line,) = figure.axes[0].lines  # from box to box: up at 2 - .31, down at 1 + .31
    assert [*line.get_ydata()] == pytest.approx([1.69, 1.31])
    assert [*line.get_xdata()] == pytest.approx([1.655, 1.845])


def test_a_line_runs_behind_the_boxes_on_its_way() -> None:
    lines = chart({}, words=WORDS, lines=[((0, 3), (0, 1))]).axes[0].lines
    ends = [tuple(y for y in line.get_ydata()) for line in lines]
    assert ends == [pytest.approx((1.69, 1.31)), pytest.approx((0.69, 0.31))]
