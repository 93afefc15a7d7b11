"""What the recursive network draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import recursive


def test_the_first_word_reaches_the_root_alone() -> None:
    assert recursive.draw()._repr_figure_().count("<svg") == 2
    panel = recursive.panel()
    lie = replace(panel, arrows=panel.arrows.replace("v1 ~> W2", "v1 ~> W1"))
    with pytest.raises(ValueError, match="v1 -> W1 is drawn, but W1 does not depend"):
        recursive.hold(lie)
