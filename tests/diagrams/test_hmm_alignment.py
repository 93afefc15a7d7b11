"""The model of the chapter: its arrows by hand, and a lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import hmm_alignment


def test_the_arrows_by_hand() -> None:
    known = hmm_alignment.weights()
    assert known["s a1"] == known["a1 a2"] == pytest.approx(4 / 6)
    assert known["a2 a3"] == pytest.approx(4 / 7)
    assert [known[f"a{j} f{j}"] for j in (1, 2, 3)] == [1, 1, 1]
    assert len(known) == 6
    found = hmm_alignment.toy().align(hmm_alignment.SOURCE, hmm_alignment.TARGET)
    assert found == {(i - 1, j) for j, i in enumerate(hmm_alignment.WALK)}


def test_it_is_drawn_as_it_is_and_a_lie_is_told() -> None:
    assert hmm_alignment.draw()._repr_figure_().count("<svg") == 2
    panel = hmm_alignment.panel()
    lie = replace(panel, weights={**panel.weights, "a1 a2": 0.4})
    with pytest.raises(ValueError, match=r"a1 a2 is drawn as 0\.400, but it is 0\.667"):
        hmm_alignment.hold(lie)
    fewer = replace(panel, arrows="\n".join(panel.arrows.splitlines()[1:]))
    with pytest.raises(ValueError, match="5 lines are drawn: expected 6"):
        hmm_alignment.hold(fewer)
