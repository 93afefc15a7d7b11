"""Two trees of one sentence: their lines by hand, and a lie is told."""

from dataclasses import replace
from math import log, prod

import pytest

from lookback.diagrams import pcfg


def test_the_lines_by_hand() -> None:
    verb, noun = (pcfg.lines(tree) for tree in pcfg.TREES.values())
    assert verb["vp1 vp2"] == verb["vp1 pp"] == 1 / 2 and verb["s n1"] == 1
    assert noun["np n2"] == noun["np pp"] == 1 / 4 and noun["vp1 np"] == 1 / 2
    assert verb["n3 w5"] == 1 / 4 and verb["v w2"] == 1
    assert len(verb) == len(noun) == 2 * 4 + 5


def test_the_trees_are_the_grammars() -> None:
    model = pcfg.toy()
    best = model.cky(pcfg.SENTENCE)
    assert best.tree == pcfg.VERB and best.log_prob == pytest.approx(log(1 / 256))
    assert model.log_joint(pcfg.NOUN) == pytest.approx(log(1 / 512))
    for tree in pcfg.TREES.values():  # two children share one rule, words have theirs
        p = pcfg.lines(tree)
        words = prod(n for pair, n in p.items() if " w" in pair)
        rules = prod(n for pair, n in p.items() if " w" not in pair) ** 0.5
        assert log(words * rules) == pytest.approx(model.log_joint(tree))


def test_it_is_drawn_as_it_is_and_a_lie_is_told() -> None:
    assert pcfg.draw()._repr_figure_().count("<svg") == 2
    panel = pcfg.panel("she eats with forks")
    lie = replace(panel, weights={**panel.weights, "vp1 pp": 0.4})
    with pytest.raises(
        ValueError, match=r"vp1 pp is drawn as 0\.400, but it is 0\.500"
    ):
        pcfg.hold(lie)
    fewer = replace(panel, arrows="\n".join(panel.arrows.splitlines()[1:]))
    with pytest.raises(ValueError, match="12 lines are drawn: expected 13"):
        pcfg.hold(fewer)
