"""What recurrent draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import recurrent


def test_a_state_reads_the_one_before_it() -> None:
    assert recurrent.draw()._repr_figure_().count("<svg") == 2
    panel = recurrent.panel()
    lie = replace(panel, arrows=panel.arrows.replace("h2 => h3", "h2 | c0\nh1 => h3"))
    with pytest.raises(ValueError, match="h1 -> h3 is drawn, but h3 does not depend"):
        recurrent.hold(lie)
