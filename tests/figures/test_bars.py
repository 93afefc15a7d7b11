"""Test bars: heights, places, labels."""

import pytest

from lookback.figures import bars

ORDERS = ["1", "2", "3"]
SHARES = {"validation": [0.0, 12.5, 45.0], "test": [1.0, 14.0, 44.0]}


def test_a_bar_per_label_from_zero() -> None:
    (axes,) = bars(ORDERS, [3, 1, 2], ylabel="share", xlabel="order").axes
    assert [bar.get_height() for bar in axes.patches] == [3, 1, 2]
    assert [bar.get_y() for bar in axes.patches] == [0, 0, 0]
    centres = [bar.get_x() + bar.get_width() / 2 for bar in axes.patches]
    assert centres == pytest.approx([0, 1, 2])
    assert [text.get_text() for text in axes.get_xticklabels()] == ORDERS
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("order", "share")
    assert axes.get_ylim()[0] == 0 and axes.get_figure().legends == []


def test_groups_stand_side_by_side_and_differ_in_more_than_colour() -> None:
    figure = bars(ORDERS, SHARES, ylabel="share")
    first, second = figure.axes[0].containers
    assert [bar.get_height() for bar in first] == SHARES["validation"]
    assert [bar.get_height() for bar in second] == SHARES["test"]
    for i, (left, right) in enumerate(zip(first, second, strict=True)):
        assert left.get_x() + left.get_width() == pytest.approx(i)
        assert right.get_x() == pytest.approx(i)
        assert left.get_hatch() != right.get_hatch()
        assert left.get_facecolor() != right.get_facecolor()
    assert [t.get_text() for t in figure.legends[0].get_texts()] == list(SHARES)


def test_values_are_written_when_asked() -> None:
    (axes,) = bars(ORDERS, [0.25, 1, 2], ylabel="y", fmt="{:.1f} %").axes
    assert [text.get_text() for text in axes.texts] == [
        "0.2\u202f%",
        "1.0\u202f%",
        "2.0\u202f%",
    ]
    (axes,) = bars(ORDERS, SHARES, ylabel="y", fmt="{:g}").axes
    written = [(text.get_text(), text.xy[0]) for text in axes.texts]
    over = [bar.get_x() + bar.get_width() / 2 for bar in axes.patches]
    shares = [f"{value:g}" for row in SHARES.values() for value in row]
    assert written == [*zip(shares, over, strict=True)]
    (axes,) = bars(ORDERS, [24, 3, 1], ylabel="y", fmt="{}").axes
    assert [text.get_text() for text in axes.texts] == ["24", "3", "1"]
    assert bars(ORDERS, [1, 2, 3], ylabel="y").axes[0].texts[:] == []


def test_labels_that_would_meet_break_into_lines_or_lean() -> None:
    def labels(words: list[str]) -> set[tuple[float, str]]:
        (axes,) = bars(words, [1] * len(words), ylabel="y").axes
        return {(t.get_rotation(), t.get_text()) for t in axes.get_xticklabels()}

    assert labels(["one", "two"]) == {(0, "one"), (0, "two")}
    words = ["alone", "he put his money in the bank", "on the bank of the river"]
    broken = {text for angle, text in labels(words) if angle == 0}
    assert "he put his money in the\nbank" in broken and len(broken) == 3
    assert {angle for angle, _ in labels(["overridden", "customized"] * 5)} == {40}
