"""Draw a trellis: a column for each word, a node for each state, lines between."""

from collections.abc import Sequence
from math import hypot

import numpy as np
from matplotlib import rcParams
from matplotlib.patches import Ellipse
from numpy.typing import ArrayLike

from lookback.figures.drawing import WIDTH, Drawing
from lookback.figures.numbers import map_numbers

NODE = (0.74, 0.52)  # of a column and of a row
COLUMN, ROW, ABOVE = 1.45, 0.72, 0.45  # inches from node to node, and of the words
Line = tuple[int, int, int]  # from column i, state a, to column i + 1, state b


def trellis(
    values: ArrayLike,
    *,
    columns: Sequence[str],
    states: Sequence[str],
    lines: Sequence[Line] = (),
    strong: Sequence[Line] = (),
    label: str = "value",
    fmt: str = "{:.3f}",
) -> Drawing:
    """Draw nodes with their values, thin lines and strong ones.

    values   (states, columns) numbers; NaN leaves a node empty, and faint
    columns  a word over each column;  states  a name before each row
    lines    (i, a, b): from state a of column i to state b of column i + 1
    strong   lines that are drawn strong, as are the nodes at their ends
    label    what the values are
    Raises ValueError for other shapes, and for a line outside.
    """
    cells = np.asarray(values, dtype=float)
    K, T = len(states), len(columns)
    if cells.shape != (K, T) or not cells.size:
        raise ValueError(f"values have shape {cells.shape}: expected ({K}, {T})")
    for i, a, b in (*lines, *strong):
        if not (0 <= i < T - 1 and 0 <= a < K and 0 <= b < K):
            raise ValueError(f"the line {(i, a, b)} leaves the {K} × {T} nodes")
    wide = min(COLUMN, (WIDTH - 0.45) / T)
    size = (0.45 + wide * T, ABOVE + ROW * K + 0.05)
    figure = Drawing(size, layout="constrained")
    axes = figure.add_subplot()
    axes.set(xlim=(-0.75, T - 0.5), ylim=(K - 0.5, -1))
    axes.set_axis_off()
    plain = rcParams["axes.edgecolor"]
    colour = rcParams["axes.prop_cycle"].by_key()["color"][0]
    bold = {(i, a) for i, a, _ in strong} | {(i + 1, b) for i, _, b in strong}
    for group, ink, width in ((lines, plain, 0.8), (strong, colour, 2.6)):
        for i, a, b in group:
            gap = 1 / hypot(2 / NODE[0], 2 * (b - a) / NODE[1])  # a node hides no line
            ends = [i + gap, i + 1 - gap], [a + gap * (b - a), b - gap * (b - a)]
            axes.plot(*ends, color=ink, linewidth=width)
    for (k, i), value in np.ndenumerate(cells):
        known = bool(np.isfinite(value))
        node = Ellipse((i, k), *NODE, fill=False)
        node.set(edgecolor=colour if (i, k) in bold else plain)
        node.set(linewidth=2.2 if (i, k) in bold else 0.9, alpha=1 if known else 0.35)
        axes.add_patch(node)
        if known:
            text = axes.text(i, k, fmt.format(value).replace("-", "−"))
            text.set(ha="center", va="center_baseline")
    for i, word in enumerate(columns):
        axes.text(i, -0.75, word, ha="center", weight="bold")
    for k, name in enumerate(states):
        axes.text(-0.5, k, name, ha="right", va="center_baseline")
    figure.numbers = map_numbers(
        {"": cells}, states, columns, corner=label, label=label, digits=3
    )
    return figure
