"""Draw numpy arrays and words as matplotlib figures.

Colours and fonts come from matplotlib's rcParams, so that a figure fits wherever it
is drawn. No figure is given to pyplot: nothing stays open, and a notebook shows it
once, as the last value of its cell. A figure that one chapter alone draws stands with
that chapter's diagrams.
"""

import sys

from matplotlib import pyplot

from lookback.figures.alignment import alignment
from lookback.figures.bars import bars
from lookback.figures.by_length import by_length
from lookback.figures.chart import chart
from lookback.figures.clocks import clocks
from lookback.figures.curves import curves
from lookback.figures.frames import frames
from lookback.figures.heatmap import heatmap
from lookback.figures.live import Live
from lookback.figures.pieces import pieces
from lookback.figures.quiz import Quiz
from lookback.figures.scatter import scatter
from lookback.figures.table import Table
from lookback.figures.trellis import trellis

__all__ = [
    "Live",
    "Quiz",
    "Table",
    "alignment",
    "bars",
    "by_length",
    "chart",
    "clocks",
    "curves",
    "frames",
    "heatmap",
    "pieces",
    "scatter",
    "trellis",
]

if "ipykernel" in sys.modules:
    # A notebook shows a Figure once pyplot has loaded the notebook's backend, which it
    # does when first asked to draw.
    pyplot.draw_if_interactive()  # type: ignore[no-untyped-call]
