"""Test curves: numbers, colours, labels, legends, ticks, log axes, bands."""

import io

import matplotlib
import numpy as np
import pytest
from matplotlib import rcParams
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from lookback.figures import curves

ORDERS = [1, 2, 3]
FAR = {"add-k": [900.0, 500.0, 700.0], "Kneser–Ney": [400.0, 120.0, 90.0]}


def draw(figure: Figure) -> bytes:
    stream = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "a"}):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()


def labels(figure: Figure) -> list[Annotation]:
    return [t for t in figure.axes[0].texts if isinstance(t, Annotation)]


def test_each_curve_holds_its_numbers() -> None:
    (axes,) = curves(ORDERS, FAR, xlabel="order", ylabel="perplexity").axes
    assert [line.get_label() for line in axes.lines] == list(FAR)
    for line, y in zip(axes.lines, FAR.values(), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), ORDERS)
        np.testing.assert_array_equal(line.get_ydata(), y)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("order", "perplexity")


def test_curves_differ_in_more_than_colour() -> None:
    series = {f"curve {i}": [i, i + 1, i + 2] for i in range(6)}
    lines = curves(ORDERS, series, xlabel="x", ylabel="y").axes[0].lines
    assert len({line.get_marker() for line in lines}) == 6
    assert len({line.get_linestyle() for line in lines[:4]}) == 4
    cycle = [to_hex(entry["color"]) for entry in rcParams["axes.prop_cycle"]]
    assert [to_hex(line.get_color()) for line in lines] == cycle[:6]


def test_labels_stand_at_the_last_finite_points() -> None:
    series = FAR | {"short": [700.0, 250.0, float("nan")]}
    figure = curves(ORDERS, series, xlabel="x", ylabel="y")
    placed = {label.get_text(): label.xy for label in labels(figure)}
    assert placed == {"add-k": (3, 700), "Kneser–Ney": (3, 90), "short": (2, 250)}
    colours = [to_hex(label.get_color()) for label in labels(figure)]
    assert colours == [to_hex(line.get_color()) for line in figure.axes[0].lines]
    assert figure.legends == []


def test_a_curve_has_a_gap_where_it_has_no_value_or_is_joined() -> None:
    gap = {"a": [1.0, float("nan"), 3.0]}
    parted, whole = (
        curves(ORDERS, gap, xlabel="x", ylabel="y", joined=joined).axes[0].lines[0]
        for joined in (False, True)
    )
    assert np.isnan(parted.get_ydata()).tolist() == [False, True, False]
    assert whole.get_xydata().tolist() == [[1, 1], [3, 3]]


def test_a_legend_stands_in_where_labels_would_meet() -> None:
    near = {"a": [1.0, 2.0, 3.0], "b": [9.0, 5.0, 3.1]}
    figure = curves(ORDERS, near, xlabel="x", ylabel="y")
    assert labels(figure) == []
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]


@pytest.mark.parametrize(
    ("names", "columns"), [("ab", 2), ("abcd", 4), (["a long name indeed"] * 4, 2)]
)
def test_the_legend_has_as_few_rows_as_it_needs(names: str, columns: int) -> None:
    series = {f"{i}{name}": [1.0, 2.0, 3.0] for i, name in enumerate(names)}
    figure = curves(ORDERS, series, xlabel="x", ylabel="y")
    figure.draw_without_rendering()
    (legend,) = figure.legends
    starts = {round(text.get_window_extent().x0) for text in legend.get_texts()}
    assert len(starts) == columns


def test_a_name_keeps_its_look_on_a_page() -> None:
    def look(series: dict) -> dict:
        lines = curves(ORDERS, series, xlabel="x", ylabel="y").axes[0].lines
        return {
            n.get_label(): (n.get_color(), n.get_marker(), n.get_linestyle())
            for n in lines
        }

    first = look({"a": ORDERS, "b": ORDERS, "c": ORDERS})
    second = look({"d": ORDERS, "c": ORDERS, "b": ORDERS})
    assert {n: second[n] for n in "bc"} == {n: first[n] for n in "bc"}
    assert second["d"] not in first.values()


def test_ticks_are_words_where_asked() -> None:
    figure = curves(ORDERS, FAR, xlabel="x", ylabel="y", ticks=["one", "two", "six"])
    (axes,) = figure.axes
    assert list(axes.get_xticks()) == ORDERS
    assert [t.get_text() for t in axes.get_xticklabels()] == ["one", "two", "six"]


def test_large_numbers_are_grouped() -> None:
    figure = curves(ORDERS, {"a": [1e4, 2e4, 3e4]}, xlabel="x", ylabel="y")
    draw(figure)
    written = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert "20\u202f000" in written


def test_many_points_have_no_markers() -> None:
    def marker(n: int) -> object:
        figure = curves(range(n), {"a": range(n)}, xlabel="x", ylabel="y")
        return figure.axes[0].lines[0].get_marker()

    assert marker(25) == "o" and marker(26) in {"", "None"}


def test_decades_are_written_out() -> None:
    ranks = np.geomspace(0.001, 1e8, 12)
    figure = curves(ranks, {"a": ranks}, xlabel="x", ylabel="y", log="xy")
    write = figure.axes[0].xaxis.get_major_formatter()
    assert (figure.axes[0].get_xscale(), figure.axes[0].get_yscale()) == ("log",) * 2
    decades = " ".join(write(10.0**n) for n in (-3, -1, 0, 1, 3, 5, 7))
    assert decades == "0.001 0.1 1 10 1\u202f000 100\u202f000 $10^{7}$"


def test_a_band_surrounds_its_curve() -> None:
    band = {"add-k": ([800.0, 400.0, 600.0], [1000.0, 600.0, 800.0])}
    (axes,) = curves(ORDERS, FAR, xlabel="x", ylabel="y", bands=band).axes
    (shade,) = axes.collections
    corners = shade.get_paths()[0].vertices
    for x, low, high in zip(ORDERS, *band["add-k"], strict=True):
        assert [x, low] in corners.tolist() and [x, high] in corners.tolist()
    assert to_hex(shade.get_facecolor()[0]) == to_hex(axes.lines[0].get_color())
    assert shade.get_facecolor()[0][3] < 0.5
