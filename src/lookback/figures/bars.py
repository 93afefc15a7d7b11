"""Draw bars that begin at zero, side by side where a label has several values."""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from lookback.figures import palette
from lookback.figures.drawing import Drawing
from lookback.figures.legend import legend_above
from lookback.figures.numbers import chart_numbers
from lookback.figures.numerals import in_figures

HATCHES = ["", "//", "||", "\\\\", "xx", "--"]  # so that colour is not alone
LETTER, DIGIT = 5.0, 5.7  # points of width: of a letter on average, of a digit
LEAN = 0.5  # of a leaning word's length, by which it needs more height than upright


def bars(
    labels: Sequence[str],
    values: ArrayLike | Mapping[str, ArrayLike],
    *,
    ylabel: str,
    xlabel: str = "",
    fmt: str = "",
) -> Drawing:
    """Draw a bar per label; given a mapping, a group of bars per label, with a legend.

    labels  n words
    values  (n,) numbers, or name → (n,) numbers
    fmt     how to write each value over its bar, as in "{:.1f}"; not written without
    Raises ValueError for sizes that differ and for values that are not finite.
    """
    groups = values if isinstance(values, Mapping) else {"": values}
    if not len(labels) or not groups:
        raise ValueError("labels or values are empty: expected at least one bar")
    heights = {name: _heights(name, row, len(labels)) for name, row in groups.items()}
    words = [str(label) for label in labels]
    figure = Drawing(layout="constrained")
    axes = figure.add_subplot()
    axes.set(xlabel=xlabel, ylabel=ylabel)
    many = len(heights) > 1
    width = 0.8 / len(heights) if many else 0.6
    positions, colours = np.arange(len(labels)), palette.colours()
    room = figure.get_figwidth() * 72 * 0.85 / len(words)  # points of a label
    for i, (name, place) in enumerate(palette.places(heights).items()):
        shift = (i - (len(heights) - 1) / 2) * width
        style: dict[str, Any] = {"color": colours[place % len(colours)], "label": name}
        style["hatch"] = HATCHES[place % len(HATCHES)]
        drawn = axes.bar(positions + shift, heights[name], width, **style)
        if fmt:
            given = np.asarray(groups[name]).tolist()  # a whole number stays one
            above = [in_figures(fmt.format(value)) for value in given]
            wide = max(map(len, above)) * DIGIT / (room * (width if many else 1))
            size_above = rcParams["font.size"] / min(max(1.0, wide), 1.3)
            axes.bar_label(drawn, above, padding=2, fontsize=size_above)
    axes.set_xticks(positions, words)
    axes.tick_params(axis="x", length=0)
    letters = [(len(a) + len(b)) / 2 + 1 for a, b in pairwise(words)]
    if max(letters, default=0) * LETTER > room:  # two neighbours would meet
        _wrap_or_lean(axes, words, int(room / LETTER) - 1)
    axes.margins(y=0.1)
    if many:
        legend_above(figure, list(heights))
    held = {name: row.tolist() for name, row in heights.items()}
    figure.numbers = chart_numbers(words, xlabel, held)
    return figure


def _wrap_or_lean(axes: Axes, words: list[str], letters: int) -> None:
    """Break the labels into lines of so many letters, or lean them where one is longer.

    The figure grows by what the labels need.
    """
    figure = axes.get_figure()
    assert isinstance(figure, Figure)
    lines = [textwrap.wrap(word, max(letters, 1)) or [""] for word in words]
    whole = {part for word in words for part in word.split()}
    more = (max(map(len, lines)) - 1) * rcParams["font.size"] * 1.3
    if max(map(len, lines)) <= 3 and max(map(len, whole)) <= letters:
        axes.set_xticks(axes.get_xticks(), ["\n".join(some) for some in lines])
    else:
        more = max(map(len, words)) * LETTER * LEAN
        for word in axes.get_xticklabels():
            word.set(rotation=40, rotation_mode="anchor", ha="right", va="center")
    figure.set_figheight(figure.get_figheight() + more / 72)


def _heights(name: str, row: ArrayLike, size: int) -> NDArray[np.float64]:
    array = np.asarray(row, dtype=float)
    of = f"values of {name!r}" if name else "values"
    if array.shape != (size,):
        raise ValueError(f"{of} have shape {array.shape}: expected {size}, as labels")
    if not np.isfinite(array).all():
        raise ValueError(f"{of} hold {array[~np.isfinite(array)][0]}: expected numbers")
    return array
