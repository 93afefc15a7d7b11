"""Draw boxes on an alignment around words that belong together on both sides."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib import rcParams
from matplotlib.patches import Rectangle

from lookback.figures.drawing import WIDTH, Drawing
from lookback.figures.heatmap import CELL, draw_cells, words_size
from lookback.figures.numbers import text_numbers

Span = tuple[int, int]  # from, and up to but not with
NEAR, FAR = 0.05, 0.2  # of a cell, between its border and the line of a box


def boxes(
    links: Iterable[tuple[int, int]],
    *,
    source: Sequence[str],
    target: Sequence[str],
    pairs: Iterable[tuple[Span, Span]] = (),
    wrong: Iterable[tuple[Span, Span]] = (),
    title: str = "",
) -> Drawing:
    """Draw a row for each target word and a column for each source word.

    links   (source index, target index): cells that are filled
    pairs   (source span, target span): boxes, (from, up to) each
    wrong   boxes whose line is broken
    The numbers list the words of each box. Raises ValueError for what is outside.
    """
    S, T = len(source), len(target)
    cells = np.zeros((T, S))
    for i, j in links:
        if not (0 <= i < S and 0 <= j < T):
            raise ValueError(f"the link {(i, j)} is outside of the {S} × {T} words")
        cells[j, i] = 1
    drawn = [(pair, False) for pair in pairs] + [(pair, True) for pair in wrong]
    for ((i, end), (j, stop)), _ in drawn:
        if not (0 <= i < end <= S and 0 <= j < stop <= T):
            raise ValueError(
                f"the box {(i, end)}, {(j, stop)} is not inside the {S} × {T} words"
            )
    margin = words_size(target) + 0.35
    cell = min(CELL * 1.3, (WIDTH - margin) / S)
    height = cell * T + 0.06 * max(map(len, source)) + 0.5
    figure = Drawing((cell * S + margin, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title)
    draw_cells(axes, cells, target, source)
    axes.set(xlabel="source", ylabel="target")
    second = rcParams["axes.prop_cycle"].by_key()["color"][1]
    for ((i, end), (j, stop)), broken in drawn:
        # The larger a box, the nearer its line is to the border, so that none hides
        # another.
        part = (end - i + stop - j - 2) / max(1, S + T - 2)
        gap = FAR + (NEAR - FAR) * part
        box = Rectangle((i + gap, j + gap), end - i - 2 * gap, stop - j - 2 * gap)
        box.set(fill=False, edgecolor=second, linewidth=1.8)
        box.set_linestyle((0, (2, 2)) if broken else "solid")
        axes.add_patch(box)
    rows = [
        (" ".join(source[i:end]), " ".join(target[j:stop]))
        for ((i, end), (j, stop)), _ in drawn
    ]
    figure.numbers = text_numbers(("source", "target"), rows) if rows else ""
    return figure
