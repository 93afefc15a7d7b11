"""What training draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import training


def test_both_means_read_the_gradient() -> None:
    assert training.draw()._repr_figure_().count("<svg") == 2
    panel = training.panel()
    lie = replace(panel, arrows=panel.arrows.replace("g ~> v", "m ~> v"))
    with pytest.raises(ValueError, match="m -> v is drawn, but v does not depend"):
        training.hold(lie)
