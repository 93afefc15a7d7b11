"""Test scatter plots: points, groups, labels."""

import numpy as np
from matplotlib.text import Annotation

from lookback.figures import scatter

POINTS = [[0.0, 5.0], [1.0, 7.0], [2.0, 6.0]]
GROUPS = {"verbs": POINTS, "nouns": [[3.0, 1.0], [4.0, 2.0]]}


def test_x_is_the_first_number_and_y_the_second() -> None:
    figure = scatter(POINTS, xlabel="across", ylabel="up", title="t", size=(4, 3))
    (axes,) = figure.axes
    (drawn,) = axes.collections
    np.testing.assert_array_equal(drawn.get_offsets(), POINTS)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("across", "up")
    assert (axes.get_title(loc="left") or axes.get_title()) == "t"
    assert tuple(figure.get_size_inches()) == (4, 3)
    assert figure.legends == [] and list(axes.texts) == []


def test_groups_differ_in_colour_and_marker() -> None:
    figure = scatter(GROUPS, xlabel="x", ylabel="y")
    drawn = figure.axes[0].collections
    for points, (name, rows) in zip(drawn, GROUPS.items(), strict=True):
        np.testing.assert_array_equal(points.get_offsets(), rows)
        assert points.get_label() == name
    shapes = {points.get_paths()[0].vertices.tobytes() for points in drawn}
    colours = {points.get_facecolor().tobytes() for points in drawn}
    assert len(shapes) == len(colours) == 2
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["verbs", "nouns"]


def test_labels_stand_at_their_points() -> None:
    words = ["go", "", "see", "cat", "dog"]
    figure = scatter(GROUPS, xlabel="x", ylabel="y", labels=words)
    placed = {
        text.get_text(): tuple(text.xy)
        for text in figure.axes[0].texts
        if isinstance(text, Annotation)
    }
    assert placed == {"go": (0, 5), "see": (2, 6), "cat": (3, 1), "dog": (4, 2)}


def test_a_word_does_not_stand_on_a_marker() -> None:
    row = [[0.0, 0.0], [0.05, 0.0], [0.5, 1.0], [1.0, -1.0]]
    figure = scatter(row, xlabel="x", ylabel="y", labels=["word", "", "", ""])
    figure.draw_without_rendering()
    (axes,) = figure.axes
    box = axes.texts[0].get_window_extent()
    for x, y in axes.transData.transform(row):
        assert not (box.x0 < x < box.x1 and box.y0 < y < box.y1)


def test_a_word_stays_inside_the_axes() -> None:
    corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    figure = scatter(corners, xlabel="x", ylabel="y", labels=["a long word"] * 4)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    for text in axes.texts:
        box = text.get_window_extent()
        assert axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1
        assert axes.bbox.y0 <= box.y0 and box.y1 <= axes.bbox.y1
