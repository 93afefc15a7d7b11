"""What BERT draws is what ran; two lies are told."""

from dataclasses import replace

import pytest

from lookback.diagrams import bert


def test_it_is_drawn_as_it_ran() -> None:
    assert bert.draw()._repr_figure_().count("<svg") == 2


def test_segments_enter_once_and_the_pair_is_read_from_the_last_layer() -> None:
    model = bert.model()
    wrong = model.arrows.replace("g -> sum2", "g -> one")
    with pytest.raises(ValueError, match="the drawing is not what ran"):
        bert.hold_model(replace(model, arrows=wrong))
    wrong = model.arrows.replace("two -> pool", "one -> pool")
    with pytest.raises(ValueError, match="the drawing is not what ran"):
        bert.hold_model(replace(model, arrows=wrong))
