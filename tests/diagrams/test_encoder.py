"""The drawn encoder layers, and lies about them."""

from dataclasses import replace

import pytest

from lookback.diagrams import encoder
from lookback.diagrams.truth import chance, held
from lookback.encoder import EncoderLayer, LayerConfig


def hold(panel, norm_first: bool):
    config = LayerConfig(d_model=6, h=3, d_ff=7, norm_first=norm_first)
    x = chance(2, 5, 6)
    held(panel, EncoderLayer(config), lambda m: m(x, None), encoder.SIZES)


def test_it_is_drawn_as_it_ran() -> None:
    markup = encoder.draw()._repr_figure_()
    assert markup.count("<svg") == 2
    assert "Held against a run of" in markup


def test_post_norm_is_not_pre_norm() -> None:
    post, pre = encoder.panels()
    for panel, norm_first in ((post, True), (pre, False)):
        with pytest.raises(ValueError, match="the drawing is not what ran"):
            hold(panel, norm_first)


@pytest.mark.parametrize(
    ("field", "old", "new", "message"),
    [
        ("arrows", "x -> att", "att -> x", "att -> x is drawn, but x does not"),
        ("boxes", "B S d_model", "S B d_model", "drawn with the shape S B d_model"),
        ("boxes", "| feed_forward", "| feedforward", "nearest: feed_forward"),
    ],
)
def test_lies(field: str, old: str, new: str, message: str) -> None:
    post, _ = encoder.panels()
    assert old in getattr(post, field)
    with pytest.raises(ValueError, match=message):
        hold(replace(post, **{field: getattr(post, field).replace(old, new)}), False)
