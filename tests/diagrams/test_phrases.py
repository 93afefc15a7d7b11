"""Test boxes on an alignment: links are filled, boxes enclose their words."""

import numpy as np
from matplotlib.patches import Rectangle

from lookback.diagrams.phrases import boxes

WORDS = {"source": ["the", "green", "house"], "target": ["la", "maison", "verte", "."]}
LINKS = {(0, 0), (1, 2), (2, 1)}


def test_links_are_cells_and_boxes_enclose_their_words() -> None:
    spans = [((0, 1), (0, 1)), ((1, 3), (1, 3)), ((0, 3), (0, 4))]
    axes = boxes(LINKS, **WORDS, pairs=spans).axes[0]
    cells = np.asarray(axes.collections[0].get_array()).reshape(4, 3)
    assert {(i, j) for j, i in zip(*np.nonzero(cells), strict=True)} == LINKS
    drawn = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    gaps = []
    for box, ((i, end), (j, stop)) in zip(drawn, spans, strict=True):
        (x, y), wide, high = box.get_xy(), box.get_width(), box.get_height()
        assert i < x < i + 0.3 and j < y < j + 0.3
        assert end - 0.3 < x + wide < end and stop - 0.3 < y + high < stop
        gaps.append(x - i)
    assert gaps == sorted(gaps, reverse=True) and len({*gaps}) == 3


def test_what_is_wrong_has_a_broken_line_and_words_are_told() -> None:
    figure = boxes(LINKS, **WORDS, pairs=[((0, 1), (0, 1))], wrong=[((1, 2), (2, 4))])
    solid, broken = figure.axes[0].patches
    assert solid.get_linestyle() != broken.get_linestyle()
    assert "green" in figure.numbers and "verte ." in figure.numbers
    assert boxes(LINKS, **WORDS).numbers == ""
