"""Test clocks: where the hands end."""

import numpy as np

from lookback.figures import clocks


def test_a_hand_ends_at_its_sine_and_cosine() -> None:
    figure = clocks({"fast": np.pi / 2, "slow": 0.0, "back": -np.pi})
    ends = [axes.lines[-1].get_xydata()[1] for axes in figure.axes]
    np.testing.assert_allclose(ends, [[1, 0], [0, 1], [0, -1]], atol=1e-12)
    assert figure.axes[0].texts[0].get_text() == "fast\n1.00, 0.00"
    for axes, name in zip(figure.axes, ("fast", "slow", "back"), strict=True):
        noon, text = axes.lines[0].get_xydata(), axes.texts[0]
        assert (noon[:, 0] == 0).all() and (noon[:, 1] > 0.8).all()
        assert text.get_text().startswith(name)
        assert text.get_position()[0] == 0 and text.get_position()[1] < -1
