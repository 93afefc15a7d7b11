"""An alignment of two sentences: attention weights, or links."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from numpy.typing import ArrayLike, NDArray

from lookback.figures.heatmap import CELL, NARROWEST, WIDEST, draw_cells

STEPS = 8  # of the colour bar; the cells have more
Link = tuple[int, int]
Links = set[Link] | frozenset[Link]


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
) -> Figure:
    """A row for each target word, a column for each source word, the first on top.

    values    (T, S) weights from 0 to 1, or a set of links (source index, target
              index) whose cells are filled; or title → such values, a panel for each
    source    S words;  target  T words
    empty     how to write the empty word; weights are then (T, S + 1), its column first
    gold      links that are right: a frame around their cells
    possible  links that are not wrong either: a dotted frame
    label     what the colour bar measures;  abreast  how many panels are side by side
    ylabel, xlabel  what rows and columns are, where they are no target and source
    Raises ValueError for shapes that differ from the words, weights outside 0 … 1,
    and links outside the sentences.
    """
    panels = values if isinstance(values, Mapping) else {title: values}
    if not panels:
        raise ValueError("values are empty: expected at least one panel")
    shape, words = (len(target), len(source)), [*[empty] * bool(empty), *source]
    frames = _inside("gold", gold, shape), _inside("possible", possible, shape)
    across = min(abreast, len(panels))
    down = -(-len(panels) // across)
    figure = Figure(_size(words, target, across, down), layout="constrained")
    grid = figure.subplots(down, across, squeeze=False)
    for i, (axes, name) in enumerate(zip(grid.flat, panels, strict=False)):
        cells = _cells(panels[name], shape, bool(empty))
        mesh = draw_cells(axes, cells, target, words)
        axes.set_title(name)
        axes.tick_params(labelleft=i % across == 0, labeltop=i < across)
        axes.set(ylabel="" if i % across else ylabel)
        axes.set(xlabel="" if i >= across else xlabel)
        axes.spines[:].set_visible(False)  # one path for the border instead of four
        axes.patch.set(edgecolor=rcParams["axes.edgecolor"], linewidth=0.8)
        _frame(axes, *frames, shift=bool(empty))
    for axes in grid.flat[len(panels) :]:
        axes.remove()
    if not all(isinstance(shown, (set, frozenset)) for shown in panels.values()):
        figure.colorbar(
            mesh, ax=[*grid.flat[: len(panels)]], label=label, shrink=0.8, pad=0.02,
            boundaries=np.linspace(0, 1, STEPS + 1), ticks=(0, 0.5, 1),
        )  # fmt: skip
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


def _cells(
    values: ArrayLike | Links, shape: tuple[int, int], empty: bool
) -> NDArray[np.float64]:
    """The weights as they are; links as weights of 1."""
    if not isinstance(values, (set, frozenset)):
        return np.asarray(values, dtype=float)
    cells = np.zeros((shape[0], shape[1] + empty))
    for s, t in _inside("values", values, shape):
        cells[t, s + empty] = 1
    return cells


def _frame(axes: Axes, gold: set[Link], possible: set[Link], shift: bool) -> None:
    for links, style in ((gold, "-"), (possible - gold, ":")):
        corners = [(s + shift + 0.08, t + 0.08) for s, t in sorted(links)]
        boxes = [Path.unit_rectangle().transformed(_at(corner)) for corner in corners]
        if boxes:  # one path for all: a page with many sentences stays light
            frames = PathPatch(Path.make_compound_path(*boxes), fill=False, ls=style)
            frames.set(edgecolor=rcParams["text.color"], linewidth=1.2)
            axes.add_patch(frames)


def _at(corner: tuple[float, float]) -> Affine2D:
    return Affine2D().scale(0.84).translate(*corner)


def _size(
    words: Sequence[str], target: Sequence[str], across: int, down: int
) -> tuple[float, float]:
    """Cells of one size, as far as the page holds them."""
    margin = 0.08 * max(map(len, target), default=0) + 1.2
    above = 0.06 * max(map(len, words), default=0) + 0.5
    columns = max(1, len(words)) * across
    cell = max(NARROWEST, min(CELL, (WIDEST - margin) / columns))
    height = down * (max(cell * len(target), 0.8) + 0.25)
    return cell * columns + margin, height + above
