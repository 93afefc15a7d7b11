"""A matrix of weights with its words: rows are queries, columns are keys."""

from collections.abc import Sequence

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

STEPS = 48  # of the colour map; from 50 matplotlib would draw the colour bar as pixels
CELL, WRITTEN_CELL = 0.3, 0.42  # inches; the latter where the value is written
WIDEST = 5.4  # the page's column; where words would meet, the figure is wider
NARROWEST = 0.17


def heatmap(
    values: ArrayLike,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    ylabel: str = "query",
    xlabel: str = "key",
    title: str = "",
    scale: tuple[float, float] = (0, 1),
    label: str = "weight",
    fmt: str = "",
) -> Figure:
    """Each cell the colour of the text's first series, as opaque as its value is high.

    values  (T, S)  a row for each query (target word), a column for each key
    rows    T words, the first on top;  columns  S words
    scale   the values of an empty and of a full cell, the same in every figure
    label   what the colour bar measures
    fmt     how to write the value into its cell, as in "{:.2f}"; not written without
    Raises ValueError for sizes that differ and for values outside the scale.
    """
    size = _size(rows, columns, WRITTEN_CELL if fmt else CELL)
    figure = Figure(size, layout="constrained")
    axes = figure.add_subplot()
    mesh = draw_cells(axes, values, rows, columns, scale=scale, fmt=fmt)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.set_title(title)
    figure.colorbar(mesh, label=label, shrink=0.8, pad=0.02)
    return figure


def draw_cells(
    axes: Axes,
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    scale: tuple[float, float] = (0, 1),
    fmt: str = "",
) -> QuadMesh:
    """The cells and the words of `heatmap`, in these axes."""
    matrix, (low, high) = _checked(values, (len(rows), len(columns)), scale), scale
    mesh = axes.pcolormesh(matrix, cmap=_fade(), vmin=low, vmax=high)
    axes.set(aspect="equal")
    axes.invert_yaxis()
    axes.grid(False)
    axes.spines[:].set_visible(True)
    axes.xaxis.set_label_position("top")
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.set_yticks(np.arange(len(rows)) + 0.5, [str(word) for word in rows])
    axes.set_xticks(np.arange(len(columns)) + 0.5, [str(word) for word in columns])
    if max(map(len, columns)) > 3:
        for word in axes.get_xticklabels():
            word.set(rotation=50, rotation_mode="anchor", ha="left", va="center")
    if fmt:
        for (t, s), value in np.ndenumerate(matrix):
            full = (value - low) / (high - low) > 0.7
            word = axes.text(s + 0.5, t + 0.5, fmt.format(value))
            word.set(ha="center", va="center")
            word.set_color(_paper() if full else rcParams["text.color"])
    return mesh


def _checked(
    values: ArrayLike, shape: tuple[int, int], scale: tuple[float, float]
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
    """Cells of one size whatever the matrix, as long as the page holds them."""
    margin = 0.08 * max(map(len, rows), default=0) + 1.2
    above = 0.06 * max(map(len, columns), default=0) + 0.5
    cell = max(NARROWEST, min(cell, (WIDEST - margin) / max(1, len(columns))))
    return cell * len(columns) + margin, max(cell * len(rows), 0.8) + above


def _fade() -> LinearSegmentedColormap:
    """From nothing to the first colour of the series: the paper shows through."""
    first = to_rgb(next(iter(rcParams["axes.prop_cycle"]))["color"])
    ends = [(*first, 0), (*first, 1)]
    return LinearSegmentedColormap.from_list("fade", ends, N=STEPS)


def _paper() -> str:
    """The background colour of the style, in which text on a full cell is written."""
    colour = rcParams["legend.facecolor"]
    return str(rcParams["axes.facecolor"] if colour == "inherit" else colour)
