"""Points in a plane, some of them named."""

from collections.abc import Mapping, Sequence
from itertools import cycle

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from lookback.figures.curves import MARKERS
from lookback.figures.legend import legend_above


def scatter(
    points: ArrayLike | Mapping[str, ArrayLike],
    *,
    xlabel: str,
    ylabel: str,
    labels: Sequence[str] = (),
    title: str = "",
    size: tuple[float, float] | None = None,
) -> Figure:
    """A point for each row; given a mapping, a colour and a marker for each group.

    points  (n, 2) numbers, x and y; or name → (n, 2), with a legend
    labels  a word next to each point, "" for none; of groups, one after the other
    Raises ValueError for other shapes, no points, numbers that are not finite, and
    labels that are not as many as the points.
    """
    groups = points if isinstance(points, Mapping) else {"": points}
    positions = {name: _positions(name, rows) for name, rows in groups.items()}
    total = sum(map(len, positions.values()))
    if not total:
        raise ValueError("points is empty: expected at least one point")
    if len(labels) not in (0, total):
        raise ValueError(f"there are {len(labels)} labels: expected {total}, as points")
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    axes.grid(True)
    for (name, rows), marker in zip(positions.items(), cycle(MARKERS)):
        axes.scatter(
            rows[:, 0], rows[:, 1], label=name, marker=marker, s=24, linewidths=0
        )
    style = {"xytext": (5, 0), "textcoords": "offset points", "va": "center"}
    for word, xy in zip(labels, np.concatenate([*positions.values()]), strict=False):
        if word:
            axes.annotate(str(word), tuple(xy), **style)  # type: ignore[arg-type]
    if len(positions) > 1:
        legend_above(figure, list(positions))
    return figure


def _positions(name: str, rows: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(rows, dtype=float)
    of = f"points of {name!r}" if name else "points"
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{of} have shape {array.shape}: expected (n, 2), x and y")
    if not np.isfinite(array).all():
        raise ValueError(f"{of} hold {array[~np.isfinite(array)][0]}: expected numbers")
    return array
