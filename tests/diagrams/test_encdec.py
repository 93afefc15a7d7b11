"""What encdec draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import encdec


def test_only_the_last_state_makes_the_vector() -> None:
    assert encdec.draw()._repr_figure_().count("<svg") == 2
    panel = encdec.panel()
    lie = replace(panel, arrows=panel.arrows.replace("h4 ~> c", "h1 ~> c"))
    with pytest.raises(ValueError, match="h1 -> c is drawn, but c does not depend"):
        encdec.hold(lie)
