"""What seq2seq draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import seq2seq


def test_only_the_last_states_are_handed_over() -> None:
    assert seq2seq.draw()._repr_figure_().count("<svg") == 2
    panel = seq2seq.panel()
    lie = replace(panel, arrows=panel.arrows.replace("b3 -> u1", "b2 -> u1"))
    with pytest.raises(ValueError, match="b2 -> u1 is drawn, but u1 does not depend"):
        seq2seq.hold(lie)
