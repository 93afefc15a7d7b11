"""Check that figures change no setting and leave no figure open."""

import matplotlib
import matplotlib.pyplot as plt
import pytest

from lookback.figures import palette


@pytest.fixture(autouse=True)
def nothing_left():
    with matplotlib.rc_context():
        matplotlib.use("agg")
        palette.forget()
        yield
    assert plt.get_fignums() == []
