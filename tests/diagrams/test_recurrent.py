"""What recurrent draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import recurrent
from lookback.recurrent import GRUCell, LSTMCell


def test_they_are_drawn_as_they_ran() -> None:
    assert recurrent.draw()._repr_figure_().count("<svg") == 2


def test_the_forget_gate_is_not_the_input_gate() -> None:
    panel = recurrent.lstm()
    lie = replace(panel, arrows=panel.arrows.replace("f |-> keep", "i |-> keep"))
    with pytest.raises(ValueError, match="f -> keep is not drawn, but keep reads f"):
        recurrent.hold(lie, LSTMCell(3, 5))


def test_the_reset_gate_acts_before_the_product() -> None:
    with pytest.raises(
        ValueError, match="past is drawn as an operation, and has parameters"
    ):
        recurrent.hold(recurrent.gru(), GRUCell(3, 5, reset_after=True))
