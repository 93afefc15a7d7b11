"""What GPT draws is what ran; two lies are told."""

from dataclasses import replace

import pytest

from lookback.diagrams import gpt


def test_it_is_drawn_as_it_ran() -> None:
    assert gpt.draw()._repr_figure_().count("<svg") == 2


def test_the_norm_stands_before_attention_and_positions_enter_once() -> None:
    block = gpt.block()
    wrong = block.arrows.replace("x -> nrm1 -> att -> sum1", "x -> att -> nrm1 -> sum1")
    with pytest.raises(ValueError, match="the drawing is not what ran"):
        gpt.hold_block(replace(block, arrows=wrong))
    model = gpt.model()
    wrong = model.arrows.replace("p -> sum", "p -> two")
    with pytest.raises(ValueError, match="p -> two is drawn"):
        gpt.hold_model(replace(model, arrows=wrong))
