"""What the neural model draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import nplm


def test_the_direct_connections_pass_the_hidden_units() -> None:
    assert nplm.draw()._repr_figure_().count("<svg") == 2
    panel = nplm.panel()
    lie = replace(panel, arrows=panel.arrows.replace("x ~> w", "h ~> w"))
    with pytest.raises(ValueError, match="h -> w is drawn, but w does not depend"):
        nplm.hold(lie)
