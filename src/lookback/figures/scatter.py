"""Draw points in a plane, some of them labelled."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox
from numpy.typing import ArrayLike, NDArray

from lookback.figures import palette
from lookback.figures.drawing import Drawing
from lookback.figures.legend import legend_above
from lookback.figures.numbers import chart_numbers

Points = NDArray[np.float64]
RADIUS = 4.0  # points: of a marker, and a little air
# Where a word may stand beside its point: offset, and what of it stands there.
SPOTS: tuple[tuple[tuple[float, float], str, str], ...] = (
    ((5, 0), "left", "center"),
    ((-5, 0), "right", "center"),
    ((0, 5), "center", "bottom"),
    ((0, -5), "center", "top"),
    ((4, 4), "left", "bottom"),
    ((4, -4), "left", "top"),
    ((-4, 4), "right", "bottom"),
    ((-4, -4), "right", "top"),
)


def scatter(
    points: ArrayLike | Mapping[str, ArrayLike],
    *,
    xlabel: str,
    ylabel: str,
    labels: Sequence[str] = (),
    title: str = "",
    size: tuple[float, float] | None = None,
) -> Drawing:
    """Draw a point for each row; given a mapping, a colour and a marker for each group.

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
    figure = Drawing(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    axes.grid(True)
    axes.margins(0.08)
    colours = palette.colours()
    for name, place in palette.places(positions).items():
        style: dict[str, Any] = {"color": colours[place % len(colours)], "label": name}
        x, y = positions[name].T
        style["marker"] = palette.MARKERS[place % len(palette.MARKERS)]
        axes.scatter(x, y, s=24, linewidths=0, **style)
    if len(positions) > 1:
        legend_above(figure, list(positions))
    everything = np.concatenate([*positions.values()])
    _write(axes, [str(word) for word in labels], everything)
    names = [str(word) for word in labels] or [str(i + 1) for i in range(total)]
    held = {xlabel: everything[:, 0].tolist(), ylabel: everything[:, 1].tolist()}
    figure.numbers = chart_numbers(names, "", held, rows=60)
    return figure


def _positions(name: str, rows: ArrayLike) -> Points:
    array = np.asarray(rows, dtype=float)
    of = f"points of {name!r}" if name else "points"
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{of} have shape {array.shape}: expected (n, 2), x and y")
    if not np.isfinite(array).all():
        raise ValueError(f"{of} hold {array[~np.isfinite(array)][0]}: expected numbers")
    return array


def _write(axes: Axes, labels: Sequence[str], points: Points) -> None:
    """Write each word where it meets the fewest markers and words."""
    named = [(word, i) for i, word in enumerate(labels) if word]
    figure = axes.get_figure(root=True)
    if not named or figure is None:
        return
    style: dict[str, Any] = {"xytext": (0, 0), "textcoords": "offset points"}
    words = {i: axes.annotate(word, tuple(points[i]), **style) for word, i in named}
    figure.draw_without_rendering()  # from here on the axes have their place
    reach = RADIUS * figure.dpi / 72
    markers = [
        Bbox.from_extents(x - reach, y - reach, x + reach, y + reach)
        for x, y in axes.transData.transform(points)
    ]
    placed: list[Bbox] = []
    for i, word in words.items():
        others = [*markers[:i], *markers[i + 1 :]]
        placed.append(_place(word, axes.bbox, others, placed))


def _place(
    word: Annotation, inside: Bbox, markers: Sequence[Bbox], words: Sequence[Bbox]
) -> Bbox:
    """Move a word to the first of its best spots; return the box that it covers."""

    def cost(spot: tuple[tuple[float, float], str, str]) -> float:
        box = _move(word, spot)
        met = sum(map(box.overlaps, markers)) + 2 * sum(map(box.overlaps, words))
        left = box.x0 < inside.x0 or box.y0 < inside.y0 or box.y1 > inside.y1
        return float(met + 3 * left + 2 * (box.x1 > inside.x1))

    return _move(word, min(SPOTS, key=cost))


def _move(word: Annotation, spot: tuple[tuple[float, float], str, str]) -> Bbox:
    offset, ha, va = spot
    word.set(position=offset, ha=ha, va=va)
    return Bbox(word.get_window_extent().get_points())
