"""Draw alignments of two sentences: attention weights, or links."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from numpy.typing import ArrayLike, NDArray

from lookback.figures.drawing import Drawing
from lookback.figures.heatmap import CELL, NARROWEST, draw_cells, words_size
from lookback.figures.marks import legend_below, mark
from lookback.figures.numbers import map_numbers

STEPS = 8  # of the colour bar; the cells have more
PAGE = 3.7  # inches of a map: on a phone it hardly shrinks
WIDEST = 5.6  # of one whose panels stand side by side: a phone scrolls it
TITLE = 0.08  # inches of a letter of a title
LOWEST = 0.28  # inches of a row: a finger's 24 px where a phone shows it at 0.9
Link = tuple[int, int]
Links = set[Link] | frozenset[Link]
Numbers = NDArray[np.float64]


def alignment(
    values: ArrayLike | Links | Mapping[str, ArrayLike | Links],
    *,
    source: Sequence[str],
    target: Sequence[str],
    empty: str = "",
    gold: Iterable[Link] = (),
    possible: Iterable[Link] = (),
    title: str = "",
    label: str = "weight",
    ylabel: str = "target",
    xlabel: str = "source",
    abreast: int = 2,
) -> Drawing:
    """Draw a row for each target word and a column for each source word.

    values    (T, S) weights from 0 to 1, or a set of links (source index, target
              index) whose cells are filled; or title → such values, a panel for each
    source    S words;  target  T words
    empty     how to write the empty word; weights are then (T, S + 1), its column first
    gold      links that are right: a corner of their cells is filled
    possible  links that are not wrong either: an open corner
    label     what the colour bar measures;  abreast  how many panels are side by side
    ylabel, xlabel  what rows and columns are, where they are no target and source
    Raises ValueError for shapes that differ from the words, weights outside 0 … 1,
    and links outside the sentences.
    """
    panels = values if isinstance(values, Mapping) else {title: values}
    if not panels:
        raise ValueError("values are empty: expected at least one panel")
    shape, words = (len(target), len(source)), [*[empty] * bool(empty), *source]
    cells = {name: _cells(v, shape, bool(empty)) for name, v in panels.items()}
    sure, maybe = (
        {(t, s + bool(empty)) for s, t in _inside(name, links, shape)}
        for name, links in (("gold", gold), ("possible", possible))
    )
    across = _abreast(len(panels), abreast, words, target)
    links = all(isinstance(shown, (set, frozenset)) for shown in panels.values())
    mask = all(np.isin(matrix, (0, 1)).all() for matrix in cells.values())
    size, ratio = _size(words, target, across, [*panels], bar=not mask)
    figure = Drawing(size, layout="constrained")
    grid = [*figure.subplots(-(-len(panels) // across), across, squeeze=False).flat]
    for i, (axes, name) in enumerate(zip(grid, cells, strict=False)):
        mesh = draw_cells(axes, cells[name], target, words, ratio=ratio)
        _name(axes, i, across, name, ylabel, xlabel)
        mark(axes, sure, full=True, ratio=ratio, name=f"gold_{i}")
        mark(axes, maybe - sure, full=False, ratio=ratio, name=f"possible_{i}")
    for axes in grid[len(panels) :]:
        axes.remove()
    if not mask:
        _scale(figure, grid[: len(panels)], mesh, label)
    legend_below(
        figure,
        label if mask and not links else "",
        gold=bool(sure),
        possible=bool(maybe - sure),
    )
    figure.numbers = map_numbers(
        cells,
        target,
        words,
        corner=f"{ylabel} · {xlabel}",
        label="link" if links else label,
        marked=sure,
        digits=0 if mask else 2,
    )
    figure.live = "map" if figure.numbers else ""
    return figure


def _inside(name: str, links: Iterable[Link], shape: tuple[int, int]) -> set[Link]:
    inside = set(links)
    for s, t in sorted(inside):
        if not (0 <= s < shape[1] and 0 <= t < shape[0]):
            raise ValueError(
                f"{name} hold the link {(s, t)}: expected a source index below "
                f"{shape[1]} and a target index below {shape[0]}"
            )
    return inside


def _cells(values: ArrayLike | Links, shape: tuple[int, int], empty: bool) -> Numbers:
    """Turn links into weights of 1; keep weights as they are."""
    if not isinstance(values, (set, frozenset)):
        return np.asarray(values, dtype=float)
    cells = np.zeros((shape[0], shape[1] + empty))
    for s, t in _inside("values", values, shape):
        cells[t, s + empty] = 1
    return cells


def _name(
    axes: Axes, i: int, across: int, title: str, ylabel: str, xlabel: str
) -> None:
    """Label a panel where it begins a row or column; all panels of one column."""
    begins, tops = i % across == 0, across == 1 or i < across
    axes.set_title(title)
    axes.tick_params(labelleft=begins, labeltop=tops)
    axes.set(ylabel=ylabel if begins else "", xlabel=xlabel if tops else "")
    axes.spines[:].set_visible(False)  # one path for the border instead of four
    axes.patch.set(edgecolor=rcParams["axes.edgecolor"], linewidth=0.8)


def _scale(figure: Drawing, panels: list[Axes], mesh: QuadMesh, label: str) -> None:
    figure.colorbar(
        mesh, ax=panels, label=label, boundaries=np.linspace(0, 1, STEPS + 1),
        ticks=(0, 0.5, 1), location="bottom", aspect=25, pad=0.05,
    )  # fmt: skip


def _abreast(
    panels: int, abreast: int, words: Sequence[str], target: Sequence[str]
) -> int:
    """Count the panels of a row: as asked, where they fit and none stands alone."""
    room = WIDEST - words_size(target) - 0.3
    fitting = max(1, int(room / (NARROWEST * max(1, len(words)) + 0.12)))
    across = min(abreast, panels, fitting)
    if 1 < across < fitting and panels % across == 1:
        return across + 1
    return across


def _size(
    words: Sequence[str],
    target: Sequence[str],
    across: int,
    titles: Sequence[str],
    *,
    bar: bool,
) -> tuple[tuple[float, float], float]:
    """Compute the figure's size, and the ratio of a cell's height to its width.

    They are square until that makes a row too low for a finger.
    """
    margin = words_size(target) + 0.35
    above = 0.06 * max(map(len, words), default=0) + 0.5
    columns, down = max(1, len(words)) * across, -(-len(titles) // across)
    width = max(NARROWEST, min(CELL, (PAGE - margin) / columns))
    height = max(width, LOWEST)
    rows = down * (max(height * len(target), 0.8) + 0.25)
    if across == 1:  # the words stand over each panel
        rows += (down - 1) * above
    rows += 0.8 if bar else 0.2  # what is under all
    title = TITLE * max(map(len, titles)) + 0.1 if across > 1 else 0
    panel = max(width * columns / across, title)  # its title meets no other
    return (panel * across + margin, rows + above), height / width
