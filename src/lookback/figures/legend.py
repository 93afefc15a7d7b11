"""Place a legend over a figure, in as few rows as its words need."""

from collections.abc import Sequence

from matplotlib.figure import Figure

LETTER, HANDLE = 5.0, 44.0  # points: a letter on average; a line and the space around
ROW = 0.18  # inches that the figure grows by for each row after the first


def legend_above(figure: Figure, names: Sequence[str]) -> None:
    """Place the legend above the axes, in as many columns as fit."""
    widest = HANDLE + LETTER * max(map(len, names))
    fitting = max(1, int(figure.get_figwidth() * 72 * 0.96 // widest))
    rows = -(-len(names) // fitting)
    figure.set_figheight(figure.get_figheight() + ROW * (rows - 1))
    figure.legend(loc="outside upper left", ncols=-(-len(names) // rows))
