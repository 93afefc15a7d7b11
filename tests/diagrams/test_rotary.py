"""What rotary attention draws is what ran; values that are rotated are a lie."""

from dataclasses import replace

import pytest

from lookback.diagrams import rotary


def test_queries_and_keys_are_rotated_and_values_are_not() -> None:
    assert rotary.draw()._repr_figure_().count("<svg") == 2
    panel = rotary.panel()
    lie = replace(panel, arrows=panel.arrows.replace("wv ~> z", "wv ~> rk"))
    with pytest.raises(ValueError, match="wv -> rk is drawn, but rk does not depend"):
        rotary.hold(lie)
