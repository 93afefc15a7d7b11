"""The links of three pairs during EM: by hand, and a lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import ibm1


def test_the_links_by_hand() -> None:
    assert set(ibm1.posteriors(0).values()) == {1 / 3}
    after = ibm1.posteriors(1)
    row = [after[f"e{i} f1"] for i in range(3)]
    assert row == pytest.approx([4 / 13, 6 / 13, 3 / 13])
    late = ibm1.posteriors(10)
    assert late["e1 f1"] > 0.66 and late["e2 f1"] < 0.01
    assert late["e0 f1"] == pytest.approx(1 / 3, abs=1e-3)


def test_it_is_drawn_as_it_is_and_a_lie_is_told() -> None:
    assert ibm1.draw()._repr_figure_().count("<svg") == 2
    panel = ibm1.panel(1)
    lie = replace(panel, weights={**panel.weights, "e2 f1": 0.5})
    with pytest.raises(ValueError, match=r"e2 f1 is drawn as 0\.500, but it is 0\.231"):
        ibm1.hold(lie, 1)
    fewer = replace(panel, arrows="\n".join(panel.arrows.splitlines()[1:]))
    with pytest.raises(ValueError, match="5 lines are drawn: expected 6"):
        ibm1.hold(fewer, 1)
