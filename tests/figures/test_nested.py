"""A parse tree over words: nodes in their places, strong ones, forests, refusals."""

import pytest
from matplotlib import rcParams
from matplotlib.colors import to_hex

from lookback.figures import nested
from lookback.figures.nested import children

WORDS = ["not", "T", "and", "F"]
NODES = {(1, 2): "1", (1, 4): "T and F", (2, 4): "and F", (0, 4): "whole"}


def test_children_are_the_largest_nodes_and_the_words_between() -> None:
    assert children((0, 4), NODES) == [(0, 1), (1, 4)]
    assert children((1, 4), NODES) == [(1, 2), (2, 4)]
    assert children((0, 4), {(1, 3): "", (0, 4): ""}) == [(0, 1), (1, 3), (3, 4)]


def test_each_node_is_above_its_words() -> None:
    axes = nested(WORDS, NODES).axes[0]
    placed = {text.get_text(): text.get_position() for text in axes.texts}
    up = [placed[name][1] for name in ("and F", "T and F", "whole")]
    assert [placed[name][0] for name in ("and F", "T and F", "whole")] == [2.5, 2, 1.5]
    assert up[2] - up[1] == pytest.approx(up[1] - up[0]) and 0 < up[0] < up[1]
    assert placed["1"][0] == placed["T"][0] == 1
    assert placed["1"][1] < placed["T"][1] < 0
    assert len(axes.lines) == 9  # to each node from both children, and its own bar
    bar = axes.lines[2]  # of "T and F": from T to the middle of "and F"
    assert list(bar.get_xdata()) == [1, 2.5] and len(set(bar.get_ydata())) == 1


def test_strong_nodes_and_a_forest() -> None:
    axes = nested(WORDS, {(0, 2): "a", (2, 4): "b"}, strong=[(2, 4)]).axes[0]
    first = to_hex(next(iter(rcParams["axes.prop_cycle"]))["color"])
    inked = [to_hex(line.get_color()) == first for line in axes.lines]
    assert inked == [False] * 3 + [True] * 3
    weights = {text.get_text(): text.get_weight() for text in axes.texts}
    assert (weights["a"], weights["b"]) == ("normal", "bold")
    assert not nested(WORDS, {}).axes[0].lines


def test_on_a_phone_the_words_are_one_under_another() -> None:
    figure = nested(WORDS, NODES, label="what")
    assert "T and F" in figure.numbers and "what" in figure.numbers
    assert figure.narrow is not None
    narrow = figure.narrow()
    assert narrow.get_figwidth() == pytest.approx(3.4)
    placed = {text.get_text(): text.get_position() for text in narrow.axes[0].texts}
    assert placed["whole"][1] == 1.5 and placed["and F"][1] == 2.5
    assert 0 < placed["and F"][0] < placed["T and F"][0] < placed["whole"][0]
    assert placed["not"][1] == 0 and placed["F"][1] == 3 and placed["F"][0] < 0


@pytest.mark.parametrize(
    ("nodes", "strong", "message"),
    [
        ({(0, 5): ""}, (), r"node \(0, 5\) leaves the 4 words"),
        ({(2, 2): ""}, (), r"node \(2, 2\) leaves the 4 words"),
        ({(0, 2): "", (1, 3): ""}, (), r"\(0, 2\) and \(1, 3\) cross"),
        ({(0, 2): ""}, [(2, 4)], r"strong holds \(2, 4\), which is no node"),
    ],
)
def test_refusals(nodes: dict, strong: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nested(WORDS, nodes, strong=strong)
