"""Test arcs: from a label to what it needs, which is above it."""

from matplotlib.patches import Arc

from lookback.diagrams.book_arcs import arcs

LABELS = ["a", "b", "c", "d"]
PAIRS = {"b": ["a"], "d": ["a", "c"]}


def test_each_pair_has_an_arc_between_its_rows() -> None:
    (axes,) = arcs(LABELS, PAIRS).axes
    drawn = [patch for patch in axes.patches if isinstance(patch, Arc)]
    ends = {(p.center[1] - p.height / 2, p.center[1] + p.height / 2) for p in drawn}
    assert ends == {(0, 1), (0, 3), (2, 3)}
    assert [text.get_text() for text in axes.texts] == LABELS
    low, high = axes.get_ylim()
    assert low > high  # the first label is on top
