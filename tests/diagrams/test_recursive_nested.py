"""Test parse trees: nodes in their places, strong ones, forests."""

from matplotlib import rcParams
from matplotlib.colors import to_hex

from lookback.diagrams.recursive_nested import children, nested

WORDS = ["not", "T", "and", "F"]
NODES = {(1, 2): "1", (1, 4): "T and F", (2, 4): "and F", (0, 4): "whole"}


def test_children_are_the_largest_nodes_and_the_words_between() -> None:
    assert children((0, 4), NODES) == [(0, 1), (1, 4)]
    assert children((1, 4), NODES) == [(1, 2), (2, 4)]
    assert children((0, 4), {(1, 3): "", (0, 4): ""}) == [(0, 1), (1, 3), (3, 4)]


def test_words_stand_in_lines_and_each_node_right_of_its_own() -> None:
    figure = nested(WORDS, NODES, label="what")
    axes = figure.axes[0]
    placed = {text.get_text(): text.get_position() for text in axes.texts}
    nodes = [placed[name] for name in ("and F", "T and F", "whole")]
    assert [y for _, y in nodes] == [2.5, 2, 1.5]
    assert 0 < nodes[0][0] < nodes[1][0] < nodes[2][0]
    assert [placed[word][1] for word in WORDS] == [0, 1, 2, 3]
    assert placed["1"][1] == placed["T"][1] and placed["T"][0] < placed["1"][0] < 0
    assert len(axes.lines) == 9  # to each node from both children, and its own bar
    bar = axes.lines[2]  # of "T and F": from T to the middle of "and F"
    assert list(bar.get_ydata()) == [1, 2.5] and len(set(bar.get_xdata())) == 1


def test_strong_nodes_and_a_forest() -> None:
    axes = nested(WORDS, {(0, 2): "a", (2, 4): "b"}, strong=[(2, 4)]).axes[0]
    first = to_hex(next(iter(rcParams["axes.prop_cycle"]))["color"])
    inked = [to_hex(line.get_color()) == first for line in axes.lines]
    assert inked == [False] * 3 + [True] * 3
    weights = {text.get_text(): text.get_weight() for text in axes.texts}
    assert (weights["a"], weights["b"]) == ("normal", "bold")
    assert not nested(WORDS, {}).axes[0].lines
