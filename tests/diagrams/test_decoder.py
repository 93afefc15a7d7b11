"""What decoder draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import decoder


def test_it_is_drawn_as_it_ran() -> None:
    assert decoder.draw()._repr_figure_().count("<svg") == 2


def test_memory_does_not_enter_self_attention() -> None:
    post, pre = decoder.panels()
    lie = replace(post, arrows=post.arrows.replace("m |-> cross", "m |-> att"))
    with pytest.raises(ValueError, match="m -> cross is not drawn, but cross reads m"):
        decoder.hold(lie, norm_first=False)
    with pytest.raises(ValueError, match="the drawing is not what ran"):
        decoder.hold(pre, norm_first=False)
