"""Draw a matrix of weights with its words: rows are queries, columns are keys."""

from collections.abc import Sequence

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.text import Text
from numpy.typing import ArrayLike, NDArray

from lookback.figures.drawing import WIDTH, Drawing
from lookback.figures.marks import paper
from lookback.figures.numbers import map_numbers

STEPS = 48  # of the colour map; from 50 matplotlib would draw the colour bar as pixels
CELL, WRITTEN_CELL = 0.3, 0.42  # inches; the latter where the value is written
NARROWEST = 0.17  # of a cell: where words would meet, the figure is wider
Scale = tuple[float, float]


def heatmap(
    values: ArrayLike,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    ylabel: str = "query",
    xlabel: str = "key",
    title: str = "",
    scale: Scale = (0, 1),
    label: str = "weight",
    fmt: str = "",
) -> Drawing:
    """Draw each cell in the first colour of the style, as opaque as its value is high.

    values  (T, S)  a row for each query (target word), a column for each key
    rows    T words, the first on top;  columns  S words
    scale   the values of an empty and of a full cell, the same in every figure; where
            it begins below 0, an empty cell is 0 and what is negative has another
            colour
    label   what the colour bar measures
    fmt     how to write the value into its cell, as in "{:.2f}"; not written without
    Raises ValueError for sizes that differ and for values outside the scale.
    """
    size = _size(rows, columns, WRITTEN_CELL if fmt else CELL)
    figure = Drawing(size, layout="constrained")
    axes = figure.add_subplot()
    mesh = draw_cells(axes, values, rows, columns, scale=scale, fmt=fmt)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.set_title(title)
    figure.colorbar(mesh, label=label, location="bottom", aspect=25, pad=0.05)
    figure.numbers = map_numbers(
        {"": np.asarray(values, dtype=float)},
        rows,
        columns,
        corner=f"{ylabel} · {xlabel}",
        label=label,
        digits=2 if max(map(abs, scale)) < 10 else 0,
    )
    return figure


def draw_cells(
    axes: Axes,
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    scale: Scale = (0, 1),
    fmt: str = "",
    ratio: float = 1,
) -> QuadMesh:
    """Draw the cells and words of `heatmap` in these axes."""
    matrix, (low, high) = _checked(values, (len(rows), len(columns)), scale), scale
    mesh = axes.pcolormesh(matrix, cmap=_fade(low, high), vmin=low, vmax=high)
    axes.set_box_aspect(ratio * len(rows) / len(columns))
    axes.invert_yaxis()
    axes.grid(False)
    axes.spines[:].set_visible(True)
    axes.xaxis.set_label_position("top")
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.set_yticks(np.arange(len(rows)) + 0.5, [str(word) for word in rows])
    axes.set_xticks(np.arange(len(columns)) + 0.5, [str(word) for word in columns])
    lean = max(map(len, columns)) > 3
    for word in axes.get_xticklabels():
        _set_word(word, lean)
    for word in axes.get_yticklabels():
        if _is_point(word.get_text()):
            word.set(fontsize=1.5 * rcParams["font.size"], weight="bold")
    if fmt:
        for (t, s), value in np.ndenumerate(matrix):
            full = _opacity(value, low, high) > 0.7
            word = axes.text(s + 0.5, t + 0.5, fmt.format(value).replace("-", "−"))
            word.set(ha="center", va="center")
            word.set_color(paper() if full else rcParams["text.color"])
    return mesh


def words_size(words: Sequence[str]) -> float:
    """Estimate the inches that the longest of these words takes beside the cells."""
    return 0.08 * max(map(len, words), default=0)


def _set_word(word: Text, lean: bool) -> None:
    """Rotate a column's word where words are long; enlarge a full stop."""
    if _is_point(word.get_text()):
        word.set(fontsize=1.5 * rcParams["font.size"], weight="bold")
    elif lean:
        word.set(rotation=50, rotation_mode="anchor", ha="left", va="center")


def _is_point(text: str) -> bool:
    """Tell whether a label is a mark too small to be seen."""
    return text in {".", ",", "'", "’", ":", ";", "…", "·"}


def _checked(
    values: ArrayLike, shape: tuple[int, int], scale: Scale
) -> NDArray[np.float64]:
    matrix, (low, high) = np.asarray(values, dtype=float), scale
    if matrix.shape != shape or matrix.size == 0:
        raise ValueError(
            f"values have shape {matrix.shape}: expected {shape}, "
            "a row for each query and a column for each key"
        )
    outside = ~((matrix >= low - 1e-6) & (matrix <= high + 1e-6))
    if outside.any():
        t, s = np.argwhere(outside)[0]
        raise ValueError(
            f"values hold {matrix[t, s]:g} at row {t}, column {s}: "
            f"outside the scale [{low:g}, {high:g}]"
        )
    return matrix


def _size(
    rows: Sequence[str], columns: Sequence[str], cell: float
) -> tuple[float, float]:
    """Compute the figure's size: cells of one size, as long as the page holds them."""
    margin = words_size(rows) + 0.35
    above = 0.06 * max(map(len, columns), default=0) + 1.2
    cell = max(NARROWEST, min(cell, (WIDTH - margin) / max(1, len(columns))))
    return cell * len(columns) + margin, max(cell * len(rows), 0.8) + above


def _opacity(value: float, low: float, high: float) -> float:
    if low >= 0 or high <= 0:
        return float((value - low) / (high - low))
    return float(abs(value) / max(-low, high))


def _fade(low: float, high: float) -> LinearSegmentedColormap:
    """Build a colour map from transparent to the first colour of the style.

    On a scale with both signs 0 is nothing, and what is negative has the second colour.
    """
    first, second = (to_rgb(e["color"]) for e in [*rcParams["axes.prop_cycle"]][:2])
    steps = STEPS
    if low >= 0 or high <= 0:
        ends = [(0.0, (*first, 0.0)), (1.0, (*first, 1.0))]
    else:
        steps -= 1  # one of them in the middle
        middle, most = -low / (high - low), max(-low, high)
        ends = [
            (0.0, (*second, -low / most)),
            (middle, (*second, 0.0)),
            (middle, (*first, 0.0)),
            (1.0, (*first, high / most)),
        ]
    return LinearSegmentedColormap.from_list("fade", ends, N=steps)
