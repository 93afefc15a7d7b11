"""What the window tagger draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import window


def test_a_neighbour_reaches_the_scores_through_the_window_alone() -> None:
    assert window.draw()._repr_figure_().count("<svg") == 2
    panel = window.panel()
    lie = replace(panel, arrows=panel.arrows.replace("v2 ~> x", "v2 ~> h"))
    with pytest.raises(ValueError, match="v2 -> h is drawn, but h does not depend"):
        window.hold(lie)
