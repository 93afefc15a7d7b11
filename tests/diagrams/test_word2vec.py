"""What word2vec draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import word2vec


def test_each_score_reads_its_own_word() -> None:
    assert word2vec.draw()._repr_figure_().count("<svg") == 2
    panel = word2vec.panel()
    lie = replace(panel, arrows=panel.arrows.replace("u1 -> s1", "u1 -> s2"))
    with pytest.raises(ValueError, match="u1 -> s2 is drawn, but s2 does not depend"):
        word2vec.hold(lie)
