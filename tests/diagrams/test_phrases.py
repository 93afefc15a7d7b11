"""The numbers of the pair by hand, and a lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import phrases


def test_the_numbers_by_hand() -> None:
    # backward: the – la, green – verte, . – .; its house has no link. All of forward's
    # four links are kept, and phrases are those of the chapter.
    assert phrases.counted() == {"a": 4, "b": 3, "s": 4, "p": 8, "t": 8}


def test_it_is_drawn_as_it_is_and_a_lie_is_told() -> None:
    assert phrases.draw()._repr_figure_().count("<svg") == 2
    panel = phrases.panel()
    lie = replace(panel, boxes=panel.boxes.replace("8 phrase pairs", "9 phrase pairs"))
    with pytest.raises(
        ValueError, match="'9 phrase pairs' is drawn, but the run has 8"
    ):
        phrases.hold(lie)
