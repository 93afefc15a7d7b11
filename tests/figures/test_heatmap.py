"""Test heat maps: rows are queries, columns are keys, the scale is fixed."""

import numpy as np
import pytest
from matplotlib import rcParams
from matplotlib.colors import to_hex

from lookback.figures import heatmap
from lookback.figures.drawing import WIDTH

TARGET = ["the", "cat", "sat"]
SOURCE = ["le", "chat", "est", "assis"]
WEIGHTS = np.array([[0.7, 0.1, 0.1, 0.1], [0.0, 1.0, 0.0, 0.0], [0.1, 0.2, 0.3, 0.4]])


def test_rows_are_queries_and_columns_are_keys() -> None:
    axes = heatmap(WEIGHTS, rows=TARGET, columns=SOURCE).axes[0]
    (mesh,) = axes.collections
    np.testing.assert_array_equal(mesh.get_array(), WEIGHTS)
    assert [t.get_text() for t in axes.get_yticklabels()] == TARGET
    assert [t.get_text() for t in axes.get_xticklabels()] == SOURCE
    assert list(axes.get_yticks()) == [0.5, 1.5, 2.5]
    assert list(axes.get_xticks()) == [0.5, 1.5, 2.5, 3.5]
    assert axes.yaxis_inverted() and not axes.xaxis_inverted()  # first row on top
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("query", "key")


def test_the_scale_is_fixed_unless_said() -> None:
    weak = heatmap(WEIGHTS / 10, rows=TARGET, columns=SOURCE).axes[0].collections[0]
    assert weak.get_clim() == (0, 1)
    figure = heatmap(WEIGHTS - 1, rows=TARGET, columns=SOURCE, scale=(-1, 0.5))
    assert figure.axes[0].collections[0].get_clim() == (-1, 0.5)


def test_the_colour_fades_and_does_not_change() -> None:
    mesh = heatmap(WEIGHTS, rows=TARGET, columns=SOURCE).axes[0].collections[0]
    first = to_hex(next(iter(rcParams["axes.prop_cycle"]))["color"])
    colours = mesh.to_rgba(WEIGHTS.ravel())
    assert {to_hex(colour) for colour in colours} == {first}
    np.testing.assert_allclose(colours[:, 3], WEIGHTS.ravel(), atol=0.02)


def test_negative_values_have_a_colour_of_their_own() -> None:
    first, second = (to_hex(e["color"]) for e in [*rcParams["axes.prop_cycle"]][:2])
    values = [[-1.0, -0.5, 0.0, 0.5]]
    figure = heatmap(values, rows=["a"], columns=["b"] * 4, scale=(-1, 1))
    colours = figure.axes[0].collections[0].to_rgba(np.array(values[0]))
    assert [to_hex(colour) for colour in colours[[0, 1, 3]]] == [second, second, first]
    np.testing.assert_allclose(colours[:, 3], [1, 0.5, 0, 0.5], atol=0.03)


def test_values_are_written_readably() -> None:
    axes = heatmap(WEIGHTS, rows=TARGET, columns=SOURCE, fmt="{:.1f}").axes[0]
    written = {text.get_position(): text for text in axes.texts}
    assert written[(0.5, 0.5)].get_text() == "0.7"
    assert written[(3.5, 2.5)].get_text() == "0.4"
    assert to_hex(written[(1.5, 1.5)].get_color()) == to_hex(rcParams["axes.facecolor"])
    assert written[(3.5, 2.5)].get_color() == rcParams["text.color"]
    rcParams["legend.facecolor"] = "#fcfdfe"  # a style that names its paper
    axes = heatmap(WEIGHTS, rows=TARGET, columns=SOURCE, fmt="{:.1f}").axes[0]
    assert axes.texts[5].get_color() == "#fcfdfe"


def test_cells_keep_their_size_until_words_would_meet() -> None:
    def width(columns: int) -> float:
        words = ["w"] * columns
        return heatmap(
            np.zeros((2, columns)), rows=["a", "b"], columns=words
        ).get_figwidth()

    assert width(4) - width(3) == pytest.approx(width(5) - width(4))
    assert width(16) == pytest.approx(WIDTH)
    assert width(40) > WIDTH


def test_a_softmax_may_be_a_hair_above_one() -> None:
    heatmap(WEIGHTS + np.float64(5e-7), rows=TARGET, columns=SOURCE)
