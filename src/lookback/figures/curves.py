"""Draw curves over a common x axis, each named where it ends."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from numpy.typing import ArrayLike, NDArray

from lookback.figures import palette
from lookback.figures.drawing import Drawing
from lookback.figures.legend import legend_above
from lookback.figures.numbers import chart_numbers
from lookback.figures.numerals import in_figures, rounded

Numbers = NDArray[np.float64]
MARKERS = palette.MARKERS
DASHES: list[Any] = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1))]
LETTERS_OF_TICKS = 46  # that a figure has room for
LONGEST = 16  # letters of a name beside its curve; longer ones stand in a legend
MARKED = 25  # with more points than this, markers would hide the line


def curves(
    x: ArrayLike,
    series: Mapping[str, ArrayLike],
    *,
    xlabel: str,
    ylabel: str,
    title: str = "",
    log: str = "",
    ticks: Sequence[str] = (),
    bands: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    size: tuple[float, float] | None = None,
    joined: bool = False,
) -> Drawing:
    """Draw one curve per name; marker, dashes and a label tell them apart.

    x       (n,)   numbers, increasing or not
    series  name → (n,) numbers; NaN where a curve has no value. A name has one colour
            in all figures of a page
    log     the axes that are logarithmic: "", "x", "y" or "xy"
    ticks   n words, to be written under the points instead of numbers
    bands   name → (lower, upper), each (n,): a shaded band around that curve
    size    width and height in inches; without it those of the style
    joined  does a curve go on where it has no value, from its point before to the next?
    →  a Figure. Labels are at the line ends; a legend where they would collide.
    Raises ValueError for sizes that differ, no numbers, or a log axis below 0.
    """
    if log not in {"", "x", "y", "xy"}:
        raise ValueError(f"log is {log!r}: expected '', 'x', 'y' or 'xy'")
    if not series:
        raise ValueError("series is empty: expected at least one curve")
    across = _numbers("x", x, None, "x" in log)
    lines = {
        n: _numbers(f"{n!r}", y, across.size, "y" in log) for n, y in series.items()
    }
    if len(ticks) not in (0, across.size):
        raise ValueError(f"there are {len(ticks)} ticks: expected {across.size}, as x")
    figure = Drawing(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    axes.set(xscale="log" if "x" in log else "linear")
    axes.set(yscale="log" if "y" in log else "linear")
    colours = _draw(axes, across, lines, joined)
    for name, (lower, upper) in (bands or {}).items():
        if name not in lines:
            raise ValueError(f"bands names {name!r}: expected one of {list(lines)}")
        low = _numbers(f"lower band of {name!r}", lower, across.size, "y" in log)
        high = _numbers(f"upper band of {name!r}", upper, across.size, "y" in log)
        axes.fill_between(across, low, high, color=colours[name], alpha=0.18, lw=0)
    _ticks(axes, across, log, ticks)
    _name_curves(axes, lines, across, colours)
    written = ticks or across.tolist()
    held = {name: y.tolist() for name, y in lines.items()}
    figure.numbers = chart_numbers(written, xlabel, held)
    return figure


def _draw(
    axes: Axes, x: Numbers, lines: Mapping[str, Numbers], joined: bool
) -> dict[str, str]:
    """Draw the lines in colours, markers and dashes of their own: name → colour."""
    cycle, colours = palette.colours(), dict[str, str]()
    for name, place in palette.places(lines).items():
        colours[name] = cycle[place % len(cycle)]
        marker = MARKERS[place % len(MARKERS)] if x.size <= MARKED else ""
        dashes = DASHES[place % len(DASHES)]
        y, style = lines[name], {"color": colours[name], "marker": marker, "ls": dashes}
        held = np.isfinite(y) if joined else slice(None)
        axes.plot(x[held], y[held], label=name, **style)
    return colours


def _numbers(name: str, values: ArrayLike, size: int | None, log: bool) -> Numbers:
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}: expected one row of numbers")
    if size is not None and array.size != size:
        raise ValueError(f"{name} has {array.size} values: expected {size}, as x has")
    if not np.isfinite(array).any():
        raise ValueError(f"{name} holds no finite number")
    if log and (array <= 0).any():
        least = np.nanmin(array)
        raise ValueError(f"{name} holds {least:g}: a log axis needs numbers above 0")
    return array


def _ticks(axes: Axes, x: Numbers, log: str, ticks: Sequence[str]) -> None:
    """Set a tick per point where these are few whole numbers; decades on log axes."""
    few, most = np.unique(x), 12
    if ticks:
        axes.set_xticks(x, [str(word) for word in ticks])
        if sum(map(len, ticks)) > LETTERS_OF_TICKS:
            for word in axes.get_xticklabels():
                word.set(rotation=40, rotation_mode="anchor", ha="right", va="center")
    elif "x" not in log and few.size <= most and (few == few.round()).all():
        axes.set_xticks(few)
    for letter, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        if letter in log:
            _plain_decades(axis)
        elif (
            not (ticks and letter == "x")
            and np.abs(axis.get_view_interval()).max() >= 1e4
        ):
            axis.set_major_formatter(FuncFormatter(lambda value, _: rounded(value, 6)))


def _plain_decades(axis: Axis) -> None:
    low, high = axis.get_view_interval()
    narrow = np.log10(high / low) < 2
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if narrow else (1,)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: _plain(value)))


def _plain(value: float) -> str:
    if 1 <= value < 1e7:
        return in_figures(f"{value:.0f}", least=4)
    if 1e-4 < value < 1:
        return f"{value:g}"
    return f"$10^{{{np.log10(value):.0f}}}$"


def _name_curves(
    axes: Axes, lines: dict[str, Numbers], x: Numbers, colours: dict[str, str]
) -> None:
    """Label each curve at its last point, or add a legend where labels do not fit."""
    ends = {}
    for name, y in lines.items():
        last = np.flatnonzero(np.isfinite(y) & np.isfinite(x))
        if last.size:
            ends[name] = (x[last[-1]], y[last[-1]])
    figure = axes.get_figure()
    assert isinstance(figure, Figure)
    heights = axes.transData.transform(list(ends.values()))[:, 1] / axes.bbox.height
    points = heights * figure.get_figheight() * 72 * 0.8  # the share of the axes
    meet = _collide(points, rcParams["font.size"] * 1.3)
    if ends.keys() != lines.keys() or meet or max(map(len, lines)) > LONGEST:
        legend_above(figure, list(lines))
        return
    for name, end in ends.items():
        axes.annotate(
            name,
            end,
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            color=colours[name],
            annotation_clip=False,
        )


def _collide(heights: Numbers, line: float) -> bool:
    return bool((np.diff(np.sort(heights)) < line).any())
