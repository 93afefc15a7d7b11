"""Mark cells of an alignment, and explain the marks in a legend."""

from collections.abc import Collection
from typing import Any

from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

GOLD = "#a8690a"  # of these marks, as of nothing else
CORNER = Path([(0, 0), (1, 0), (0, 1), (0, 0)], closed=True)
SHARE = 0.4  # of the cell's width
Cells = Collection[tuple[int, int]]


def mark(axes: Axes, cells: Cells, *, full: bool, ratio: float, name: str) -> None:
    """Draw a corner of each cell, filled or open.

    cells  (row, column);  ratio  height of a cell over its width
    name   the group's id in the drawing
    """
    height = SHARE / max(1.0, ratio)
    corners = [
        CORNER.transformed(Affine2D().scale(SHARE, height).translate(s, t))
        for t, s in sorted(cells)
    ]
    if corners:  # one path for all: a page with many sentences stays light
        patch = PathPatch(Path.make_compound_path(*corners), fill=full)
        patch.set(edgecolor=paper() if full else GOLD, facecolor=GOLD, linewidth=0.8)
        patch.set(gid=name, joinstyle="miter")
        axes.add_patch(patch)


def legend_below(figure: Figure, mask: str, *, gold: bool, possible: bool) -> None:
    """Add a legend for filled cells and marked corners.

    mask  what a filled cell says where cells are filled or empty; "" where not
    """
    handles: list[Artist] = []
    if mask:
        first = to_rgb(next(iter(rcParams["axes.prop_cycle"]))["color"])
        edge: dict[str, Any] = {
            "edgecolor": rcParams["axes.edgecolor"],
            "linewidth": 0.8,
        }
        handles += [Patch(facecolor=first, label=mask, **edge)]
        handles += [Patch(facecolor="none", label="not", **edge)]
    style: dict[str, Any] = {
        "marker": CORNER,
        "linestyle": "none",
        "markersize": 11,
        "color": GOLD,
    }
    if gold:
        handles += [Line2D([], [], label="gold link", markeredgewidth=0, **style)]
    if possible:
        open_: dict[str, Any] = {"markerfacecolor": "none", "markeredgewidth": 0.8}
        handles += [Line2D([], [], label="possible link", **style, **open_)]
    if handles:
        box: dict[str, Any] = {
            "handlelength": 1,
            "handleheight": 1,
            "handletextpad": 0.6,
        }
        figure.legend(
            handles=handles, loc="outside lower left", ncols=len(handles), **box
        )


def paper() -> str:
    """Return the style's background colour, in which text on a full cell is written."""
    colour = rcParams["legend.facecolor"]
    return str(rcParams["axes.facecolor"] if colour == "inherit" else colour)
