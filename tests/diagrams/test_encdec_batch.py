"""Test batch: a cell for each word, a face for each feature that is in sight."""

import numpy as np
import pytest
from matplotlib.patches import Polygon

from lookback.diagrams.encdec_batch import batch

ROWS = [["a", "b", "</s>"], ["c", "</s>", "<pad>"]]
VALUES = np.arange(12.0).reshape(2, 3, 2)


def test_every_word_has_a_cell_and_the_outer_features_a_face() -> None:
    (axes,) = batch(ROWS, VALUES, pad="<pad>").axes
    words = [text.get_text() for text in axes.texts]
    assert words == [*ROWS[0], *ROWS[1], "3 words", "2 sentences", "2 features"]
    polygons = [patch for patch in axes.patches if isinstance(patch, Polygon)]
    faces = [patch.get_alpha() for patch in polygons if patch.get_alpha()]
    shown = [VALUES[0, s, f] for f in (1, 0) for s in range(3)]
    sides = [VALUES[b, 2, f] for f in (1, 0) for b in range(2)]
    expected = sorted([*shown, *sides])[1:]  # 0 has no colour
    assert sorted(faces)[:-1] == pytest.approx(
        sorted([0.18, *(0.85 * v / 11 for v in expected)])[:-1]
    )
    pale = [text.get_text() for text in axes.texts if text.get_alpha() == 0.7]
    assert pale == ["<pad>"]


def test_cells_and_faces_adjoin() -> None:
    """Rows go down, columns right; a face shares an edge with what is before it."""
    (axes,) = batch(ROWS, VALUES, pad="<pad>").axes
    drawn = [patch.get_xy()[:4].round(6) for patch in axes.patches if not patch.fill]
    faces, cells = drawn[:10], drawn[10:]  # 2 features of 3 words on top, 2 at the side
    for cell, text in zip(cells, axes.texts, strict=False):
        assert text.get_position() == pytest.approx(cell.mean(axis=0))
    middles = np.array([cell.mean(axis=0) for cell in cells]).reshape(2, 3, 2)
    assert (np.diff(middles[..., 0], axis=1) == 1).all()
    assert np.diff(middles[..., 1], axis=0) == pytest.approx(-0.62)
    shapes = [*cells[:3], cells[2], cells[5], *faces[5:], *faces[:5]]
    for front, back in zip(shapes[:10], shapes[5:], strict=True):
        shared = {*map(tuple, front)} & {*map(tuple, back)}
        assert len(shared) == 2
        assert back.mean(axis=0)[0] > front.mean(axis=0)[0]
        assert back[0] + back[2] == pytest.approx(back[1] + back[3])
