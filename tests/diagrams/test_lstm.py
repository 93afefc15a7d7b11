"""What lstm draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import lstm
from lookback.lstm import GRUCell, LSTMCell


def test_they_are_drawn_as_they_ran() -> None:
    assert lstm.draw()._repr_figure_().count("<svg") == 2


def test_the_forget_gate_is_not_the_input_gate() -> None:
    panel = lstm.lstm()
    lie = replace(panel, arrows=panel.arrows.replace("f |-> keep", "i |-> keep"))
    with pytest.raises(ValueError, match="f -> keep is not drawn, but keep reads f"):
        lstm.hold(lie, LSTMCell(3, 5))


def test_the_reset_gate_acts_before_the_product() -> None:
    with pytest.raises(
        ValueError, match="past is drawn as an operation, and has parameters"
    ):
        lstm.hold(lstm.gru(), GRUCell(3, 5, reset_after=True))
