"""Test curves by length: ranges under the points."""

import numpy as np

from lookback.figures import by_length

EDGES = [3, 10, 11, 21]
SERIES = {"Model 1": [0.1, 0.2, 0.3], "with order": [0.05, 0.04, float("nan")]}


def test_each_range_has_its_point_and_its_words() -> None:
    (axes,) = by_length(EDGES, SERIES, ylabel="AER").axes
    for line, y in zip(axes.lines, SERIES.values(), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), [0, 1, 2])
        np.testing.assert_array_equal(line.get_ydata(), y)
    assert list(axes.get_xticks()) == [0, 1, 2]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["3–9", "10", "11–20"]
    assert axes.get_ylabel() == "AER"
    assert axes.get_xlabel() == "length of the source, in words"


def test_the_last_range_may_be_open() -> None:
    (axes,) = by_length(EDGES, SERIES, ylabel="AER", open_end=True).axes
    assert [t.get_text() for t in axes.get_xticklabels()] == ["3–9", "10", "11–"]
