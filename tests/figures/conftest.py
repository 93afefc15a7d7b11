"""Figures leave nothing behind: no setting changed, no figure open."""

import matplotlib
import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def nothing_left():
    with matplotlib.rc_context():
        matplotlib.use("agg")
        yield
    assert plt.get_fignums() == []
