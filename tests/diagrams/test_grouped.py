"""What grouped queries draw is what ran; groups in turns are a lie."""

from dataclasses import replace

import pytest

from lookback.diagrams import grouped


def test_heads_read_the_keys_of_their_group() -> None:
    assert grouped.draw()._repr_figure_().count("<svg") == 2
    panel = grouped.panel()
    lie = replace(panel, arrows=panel.arrows.replace("k0 ~> z1", "k1 ~> z1"))
    with pytest.raises(ValueError, match="k1 -> z1 is drawn, but z1 does not depend"):
        grouped.hold(lie)
