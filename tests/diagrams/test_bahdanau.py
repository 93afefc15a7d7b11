"""What bahdanau draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import bahdanau

WEIGHTS = [0.25] * 4


def drawn():
    return bahdanau.panel(["a", "b", "c", "</s>"], ["x", "y"], WEIGHTS)


def test_it_is_drawn_as_it_ran_with_the_trained_weights() -> None:
    markup = bahdanau.draw()._repr_figure_()
    assert ">.87</text>" in markup
    assert "financière" in markup


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("s2 -> alpha", "s3 -> alpha", "s2 -> alpha is not drawn, but alpha reads s2"),
        ("b4 -> b3", "b3 -> b4", "b4 -> b3 is not drawn, but b3 reads b4"),
        ("c3 -> s3", "c3 -> y3", "c3 -> y3 is drawn and said to be left out"),
    ],
)
def test_lies(old: str, new: str, message: str) -> None:
    panel = drawn()
    assert old in panel.arrows
    with pytest.raises(ValueError, match=message):
        bahdanau.hold(replace(panel, arrows=panel.arrows.replace(old, new)))
