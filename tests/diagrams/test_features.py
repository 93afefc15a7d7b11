"""The same sum of other weights: by hand, and a lie is told."""

import pytest

from lookback.diagrams import features
from lookback.features import LinearSVM, NaiveBayes


def test_the_numbers_by_hand() -> None:
    found = features.numbers(features.fitted(NaiveBayes(1.0)))
    assert found["before"] == pytest.approx(1.3862944)  # ln 4
    assert (found["suffix"], found["bias"]) == (0, 0)
    found = features.numbers(features.fitted(LinearSVM(1.0, "hinge", 200)))
    assert [11 * found[name] for name in ("before", "suffix", "bias", "sum")] == (
        pytest.approx([28, -2, -4, 22])
    )


def test_numbers_are_written_with_their_sign() -> None:
    found = [features.signed(n) for n in (1.386, -0.18, 0.001, -0.004)]
    assert found == ["+1.39", "−0.18", "0.00", "0.00"]


def test_it_is_drawn_as_it_is_and_a_lie_is_told() -> None:
    drawn = features.draw()._repr_figure_()
    assert drawn.count("<svg") >= 2 and "−0.36" in drawn and "+2.55" in drawn
    with pytest.raises(ValueError, match=r"the sum is drawn as 2, but it is 3"):
        features.hold({"before": 1, "suffix": 1, "bias": 1, "sum": 2})
