"""Intervals of a share, by hand."""

import math

import numpy as np
import pytest

from lookback.measure import wilson_interval


def test_wilsons_interval_by_hand() -> None:
    low, high = wilson_interval(np.array([0.5, 1.0]), np.array([100.0, 10.0]))
    half = 1.96 * math.sqrt(0.25 / 100 + 1.96**2 / 40_000) / (1 + 1.96**2 / 100)
    assert (low[0], high[0]) == pytest.approx((0.5 - half, 0.5 + half))
    assert (low[1], high[1]) == pytest.approx((10 / (10 + 1.96**2), 1.0))
