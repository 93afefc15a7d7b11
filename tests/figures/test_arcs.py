"""Arcs lead from a label to what it needs, which is above it."""

import pytest
from matplotlib.patches import Arc

from lookback.figures import arcs

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


def test_a_phone_has_a_narrow_one() -> None:
    wide = arcs(LABELS, PAIRS)
    assert wide.narrow is not None
    assert wide.narrow().get_size_inches()[0] == pytest.approx(3.4)


@pytest.mark.parametrize(
    ("labels", "pairs", "told"),
    [
        (["a", "a"], {}, "expected each of them once"),
        ([], {}, "expected each of them once"),
        (LABELS, {"b": ["x"]}, "'x' is no label"),
        (LABELS, {"x": ["a"]}, "'x' is no label"),
        (LABELS, {"a": ["b"]}, "'a' leads to 'b', which is not above it"),
        (LABELS, {"a": ["a"]}, "'a' leads to 'a', which is not above it"),
    ],
)
def test_what_cannot_be_drawn_is_refused(labels, pairs, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        arcs(labels, pairs)
