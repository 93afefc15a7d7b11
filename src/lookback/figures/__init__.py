"""Figures of the book: numpy arrays and words in, a matplotlib Figure out.

Colours and fonts come from matplotlib's rcParams, so that a figure fits wherever it
is drawn. No figure is given to pyplot: nothing stays open, and a notebook shows it
once, as the last value of its cell.
"""

import sys

from matplotlib import pyplot

from lookback.figures.alignment import alignment
from lookback.figures.arcs import arcs
from lookback.figures.bars import bars
from lookback.figures.boxes import boxes
from lookback.figures.by_length import by_length
from lookback.figures.chart import chart
from lookback.figures.clocks import clocks
from lookback.figures.curves import curves
from lookback.figures.frames import frames
from lookback.figures.heatmap import heatmap
from lookback.figures.live import Live
from lookback.figures.milestones import milestones
from lookback.figures.nested import nested
from lookback.figures.pieces import pieces
from lookback.figures.query import Query
from lookback.figures.scatter import scatter
from lookback.figures.stacks import stacks
from lookback.figures.table import Table
from lookback.figures.tree import tree
from lookback.figures.trellis import trellis

__all__ = [
    "Live",
    "Query",
    "Table",
    "alignment",
    "arcs",
    "bars",
    "boxes",
    "by_length",
    "chart",
    "clocks",
    "curves",
    "frames",
    "heatmap",
    "milestones",
    "nested",
    "pieces",
    "scatter",
    "stacks",
    "tree",
    "trellis",
]

if "ipykernel" in sys.modules:
    # A notebook shows a Figure once pyplot has loaded the notebook's backend, which it
    # does when first asked to draw.
    pyplot.draw_if_interactive()  # type: ignore[no-untyped-call]
