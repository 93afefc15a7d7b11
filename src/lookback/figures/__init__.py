"""Figures of the book: numpy arrays and words in, a matplotlib Figure out.

Colours and fonts come from matplotlib's rcParams, so that a figure fits wherever it
is drawn. No figure is given to pyplot: nothing stays open, and a notebook shows it
once, as the last value of its cell.
"""

import matplotlib.pyplot  # noqa: F401  in a notebook this is what makes a Figure show

from lookback.figures.bars import bars
from lookback.figures.curves import curves
from lookback.figures.heatmap import heatmap
from lookback.figures.table import Table

__all__ = ["Table", "bars", "curves", "heatmap"]
