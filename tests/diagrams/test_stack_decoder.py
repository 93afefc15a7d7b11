"""The lattice of hypotheses: its numbers by hand, and a lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import stack_decoder as drawing


def test_the_hypotheses_by_hand() -> None:
    found = drawing.hypotheses()
    # la: -1 of the phrase, -1 of the language model; voiture: -1, -1, a jump of 1.
    scores = {"s": 0, "a": -2, "b": -2, "c": -5, "g": -6, "h": -10}
    assert {name: h.score for name, h in found.items()} == scores
    assert found["c"].covered == 0b101 and drawing.marks(0b101) == "the · car"
    ways = {"s a", "s b", "a c", "b c", "a g", "b g", "c h"}
    assert {" ".join(pair) for pair in drawing.known()} == ways
    best = drawing.toy().n_best(drawing.SOURCE, 1)[0]
    assert best.words == ("la", "voiture", "bleue") and best.score == -7


def test_it_is_drawn_as_it_is_and_a_lie_is_told() -> None:
    assert drawing.draw()._repr_figure_().count("<svg") == 2
    panel = drawing.panel()
    lie = replace(
        panel, boxes=panel.boxes.replace("la voiture / −5", "la voiture / −4")
    )
    with pytest.raises(ValueError, match=r"c is drawn as .*−4', but it is .*−5'"):
        drawing.hold(lie)
    fewer = replace(panel, arrows="\n".join(panel.arrows.splitlines()[1:]))
    with pytest.raises(ValueError, match=r"these arrows are wrong: \[\('s', 'a'\)\]"):
        drawing.hold(fewer)
