"""What luong draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import luong


def test_the_state_comes_before_attention_and_the_word_after_it() -> None:
    assert luong.draw()._repr_figure_().count("<svg") == 2
    panel = luong.panel()
    lie = replace(panel, arrows=panel.arrows.replace("c -> ht", "c -> h -> ht"))
    with pytest.raises(ValueError, match="c -> h is drawn, but h does not depend"):
        luong.hold(lie)
