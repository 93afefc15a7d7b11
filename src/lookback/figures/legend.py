"""The legend over a figure, in as few rows as its words need."""

from collections.abc import Sequence

from matplotlib.figure import Figure

LETTER, HANDLE = 5.0, 44.0  # points: a letter on average; a line and the space around


def legend_above(figure: Figure, names: Sequence[str]) -> None:
    """Above the axes, with all columns as wide as the page allows."""
    widest = HANDLE + LETTER * max(map(len, names))
    fitting = max(1, int(figure.get_figwidth() * 72 * 0.96 // widest))
    rows = -(-len(names) // fitting)
    figure.legend(loc="outside upper left", ncols=-(-len(names) // rows))
