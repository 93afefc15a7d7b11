"""What attention draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import attention


def test_the_numbers_by_hand() -> None:
    found = attention.numbers()
    assert [found[f"p{j}"] for j in (1, 2, 3)] == [[[3.0]], [[4.0]], [[7.0]]]
    assert found["q"] == [[1, 1, 2]]
    assert found["z"][0] == pytest.approx([1.71, 5.43, 1.14], abs=0.01)


def test_it_is_drawn_as_it_ran_and_a_lie_is_told() -> None:
    assert attention.draw()._repr_figure_().count("<svg") == 2
    panel = attention.panel()
    lie = replace(panel, arrows=panel.arrows.replace("v1 -> z", "k1 -> z"))
    with pytest.raises(ValueError, match="k1 -> z is drawn, but z does not depend"):
        attention.hold(lie)
