"""Test milestones: each event on its own line, joined to its time, to scale."""

import pytest

from lookback.diagrams.modern_milestones import milestones

EVENTS = [
    (2017.5, "one", "models"),
    (2018.0, "two", "norms"),
    (2018.0, "three", "models"),
    (2020.5, "four", "models"),
]


def test_times_are_to_scale_and_words_one_under_another() -> None:
    axes = milestones(EVENTS).axes[0]
    placed = {text.get_text(): text.get_position() for text in axes.texts}
    assert [placed[w][1] for w in ("one", "two", "three", "four")] == [0, 1, 2, 3]
    years = [placed[year][1] for year in ("2018", "2019", "2020")]
    assert years == pytest.approx([0.5, 1.5, 2.5])  # three rows for three years
    assert "2017" not in placed and "2021" not in placed
    ticks = [line.get_ydata() for line in axes.lines if max(line.get_xdata()) <= 0][1:]
    assert [y for y, _ in ticks] == [y for _, y in ticks] == pytest.approx(years)
    ends = {
        tuple(line.get_ydata()[[0, -1]])
        for line in axes.lines
        if len(line.get_xdata()) == 4
    }
    assert ends == {(0, 0), (0.5, 1), (0.5, 2), (3, 3)}


def test_a_kind_has_its_colour_mark_and_legend() -> None:
    figure = milestones(EVENTS)
    lines = [(line.get_xydata(), line.get_label()) for line in figure.axes[0].lines]
    ends = [tuple(way[-1]) for way, name in lines if name[0] == "_" and len(way) == 4]
    at = [tuple(end) for ends, name in lines if name[0] != "_" for end in ends]
    assert sorted(at) == sorted(ends)  # a mark is where the way to its words ends
    marks = {
        line.get_label(): (line.get_marker(), line.get_color(), [*line.get_ydata()])
        for line in figure.axes[0].lines
        if not line.get_label().startswith("_")
    }
    assert marks["models"][2] == [0, 2, 3] and marks["norms"][2] == [1]
    assert marks["models"][0] != marks["norms"][0]
    assert marks["models"][1] != marks["norms"][1]
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["models", "norms"]
