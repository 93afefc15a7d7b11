"""Draw a padded batch as a block of numbers: sentences, words, features."""

from collections.abc import Sequence

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.patches import Polygon
from numpy.typing import ArrayLike

from lookback.figures.drawing import WIDTH, Drawing
from lookback.figures.numbers import text_numbers

DOWN, BACK = 0.62, (0.2, 0.16)  # of a row, and of a feature to the right and up
LETTERS = 11.5  # of a cell's word, at most, before it is set smaller


def batch(rows: Sequence[Sequence[str]], values: ArrayLike, *, pad: str) -> Drawing:
    """Draw B sentences of S words in front, and the features of each word behind it.

    rows    B rows of S words each; pad  the word that fills up the shorter ones
    values  (B, S, F)  what the features are: the larger, the darker
    Of the features those of the first row and of the last column are in sight.
    Raises ValueError for rows of several lengths, and values of another shape.
    """
    B, S = len(rows), max(map(len, rows), default=0)
    cells = np.asarray(values, dtype=float)
    if any(len(row) != S for row in rows) or cells.shape[:2] != (B, S) or not S:
        raise ValueError(
            f"rows have lengths {[*map(len, rows)]} and values shape {cells.shape}: "
            "expected rows of one length, and features for each of their words"
        )
    F = cells.shape[2]
    strong = np.abs(cells) / (np.abs(cells).max() or 1)
    (dx, dy), edge = BACK, rcParams["axes.edgecolor"]
    width, height = S + F * dx + 0.1, B * DOWN + F * dy + 0.1
    size = (WIDTH, WIDTH * (height + 0.75) / (width + 0.6))
    figure = Drawing(size)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-0.5, width), ylim=(-B * DOWN - 0.35, F * dy + 0.4), aspect="equal")
    axes.set_axis_off()
    colours = rcParams["axes.prop_cycle"].by_key()["color"]

    def face(corners: list[tuple[float, float]], alpha: float) -> None:
        axes.add_patch(Polygon(corners, facecolor=colours[0], alpha=alpha, linewidth=0))
        axes.add_patch(Polygon(corners, fill=False, edgecolor=edge, linewidth=0.5))

    for f in reversed(range(F)):  # the farthest first
        (x, y), (nx, ny) = (f * dx, f * dy), ((f + 1) * dx, (f + 1) * dy)
        for s in range(S):
            top = [(s + x, y), (s + 1 + x, y), (s + 1 + nx, ny), (s + nx, ny)]
            face(top, 0.85 * strong[0, s, f])
        for b in range(B):
            high, low = -b * DOWN, -(b + 1) * DOWN
            side = [(S + x, low + y), (S + nx, low + ny)]
            side += [(S + nx, high + ny), (S + x, high + y)]
            face(side, 0.85 * strong[b, -1, f])
    for b, row in enumerate(rows):
        for s, word in enumerate(row):
            box = ((s, -(b + 1) * DOWN), (s + 1, -b * DOWN))
            _word(axes, box, word, empty=word == pad)
    _name(axes, (S / 2, -B * DOWN - 0.22), f"{S} words", 0)
    _name(axes, (-0.28, -B * DOWN / 2), f"{B} sentences", 90)
    angle = float(np.degrees(np.arctan2(dy, dx)))
    _name(axes, (F * dx / 2 - 0.16, F * dy / 2 + 0.16), f"{F} features", angle)
    lines = [(str(b + 1), " ".join(row)) for b, row in enumerate(rows)]
    figure.numbers = text_numbers(("row", "words"), lines)
    return figure


def _word(
    axes: Axes, box: tuple[tuple[float, float], ...], word: str, *, empty: bool
) -> None:
    """Write a word into its cell; padding is pale, on grey."""
    (left, low), (right, high) = box
    corners = [(left, low), (right, low), (right, high), (left, high)]
    edge = rcParams["axes.edgecolor"]
    if empty:
        axes.add_patch(Polygon(corners, facecolor=edge, alpha=0.18, linewidth=0))
    axes.add_patch(Polygon(corners, fill=False, edgecolor=edge, linewidth=0.8))
    size = rcParams["font.size"] * min(1, LETTERS / max(len(word), 1)) * 0.92
    text = axes.text((left + right) / 2, (low + high) / 2, word, fontsize=size)
    text.set(ha="center", va="center_baseline", alpha=0.7 if empty else 1)


def _name(axes: Axes, at: tuple[float, float], words: str, angle: float) -> None:
    text = axes.text(*at, words, rotation=angle, rotation_mode="anchor")
    text.set(ha="center", va="center", color=rcParams["axes.labelcolor"])
