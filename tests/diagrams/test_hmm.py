"""The model of the chapter: its arrows by hand, and a lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import hmm


def test_the_arrows_by_hand() -> None:
    known = hmm.weights()
    assert known["s t1"] == 3 / 4 and known["t1 t2"] == 1 / 2
    assert known["t2 t3"] == 1 / 4 and known["t3 e"] == 1 / 2
    assert [known[f"t{i} w{i}"] for i in (1, 2, 3)] == [1 / 2] * 3
    assert len(known) == 7


def test_it_is_drawn_as_it_is_and_a_lie_is_told() -> None:
    assert hmm.draw()._repr_figure_().count("<svg") == 2
    panel = hmm.panel()
    lie = replace(panel, weights={**panel.weights, "t1 t2": 0.4})
    with pytest.raises(ValueError, match=r"t1 t2 is drawn as 0\.400, but it is 0\.500"):
        hmm.hold(lie)
    fewer = replace(panel, arrows="\n".join(panel.arrows.splitlines()[1:]))
    with pytest.raises(ValueError, match="6 lines are drawn: expected 7"):
        hmm.hold(fewer)
