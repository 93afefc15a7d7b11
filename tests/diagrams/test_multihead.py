"""What multihead draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import multihead


def test_each_head_has_maps_of_its_own() -> None:
    assert multihead.draw()._repr_figure_().count("<svg") == 2
    panel = multihead.panel()
    lie = replace(panel, arrows=panel.arrows.replace("w2 -> a2", "w1 -> a2"))
    with pytest.raises(ValueError, match="w1 -> a2 is drawn, but a2 does not depend"):
        multihead.hold(lie)
