"""Clocks: where the hands end."""

import numpy as np
import pytest

from lookback.figures import clocks


def test_a_hand_ends_at_its_sine_and_cosine() -> None:
    figure = clocks({"fast": np.pi / 2, "slow": 0.0, "back": -np.pi})
    ends = [axes.lines[-1].get_xydata()[1] for axes in figure.axes]
    np.testing.assert_allclose(ends, [[1, 0], [0, 1], [0, -1]], atol=1e-12)
    assert figure.axes[0].texts[0].get_text() == "fast\n1.00, 0.00"
    assert '<th scope="row">slow</th><td>0</td><td>1</td>' in figure.numbers


def test_on_a_phone_three_stand_in_a_line() -> None:
    figure = clocks({str(n): 0.0 for n in range(6)})
    lines = [axes.get_subplotspec().rowspan.start for axes in figure.narrow().axes]
    assert lines == [0, 0, 0, 1, 1, 1]
    assert {axes.get_subplotspec().rowspan.start for axes in figure.axes} == {0}


@pytest.mark.parametrize(
    ("angles", "message"),
    [({}, "angles are empty"), ({"a": np.nan}, "the angle of 'a' is nan")],
)
def test_refusals(angles: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        clocks(angles)
