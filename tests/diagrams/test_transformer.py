"""What transformer draws is what ran; one lie is told."""

from dataclasses import replace

import pytest

from lookback.diagrams import transformer


def test_it_is_drawn_as_it_ran_large_and_small() -> None:
    assert "memory" in transformer.draw()._repr_figure_()
    for chapter in transformer.CHAPTERS:
        assert transformer.small(chapter).claims == transformer.panel().claims
    assert "faint" in transformer.miniature("encoder")._repr_figure_()


def test_no_chapter_of_it() -> None:
    with pytest.raises(ValueError, match="'ngram': expected one of bpe, positions"):
        transformer.small("ngram")


def test_a_norm_that_is_left_out_is_told() -> None:
    panel = transformer.panel()
    boxes = "\n".join(r for r in panel.boxes.splitlines() if " tnrm2 " not in r)
    arrows = panel.arrows.replace("=> tnrm2 ", "").replace("tnrm2 ->", "tsum2 ->")
    with pytest.raises(ValueError, match=r"norm_cross_attention\.g, which lies under"):
        transformer.hold(replace(panel, boxes=boxes, arrows=arrows, groups=""))
