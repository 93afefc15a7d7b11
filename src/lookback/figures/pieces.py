"""Draw texts cut into pieces: a box around each."""

from collections.abc import Mapping, Sequence

from matplotlib import rcParams
from matplotlib.patches import FancyBboxPatch

from lookback.figures.drawing import Drawing
from lookback.figures.numbers import text_numbers

LINE, HEIGHT = 0.36, 0.25  # inches from row to row, and of a box
LETTER, AIR, GAP = 0.085, 0.1, 0.05  # of a letter, around a piece, between two


def pieces(rows: Mapping[str, Sequence[str]], *, fresh: str = "") -> Drawing:
    """Draw a row of boxes for each name; a piece is as wide as its letters.

    rows    name → its pieces, from left to right; "" as a name writes none
    fresh   the piece that is drawn strong wherever it occurs
    Raises ValueError without rows, and for a row without pieces.
    """
    if not rows:
        raise ValueError("rows are empty: expected at least one")
    for name, cut in rows.items():
        if not cut:
            raise ValueError(f"the row {name!r} has no pieces: expected at least one")
    start = max(LETTER * len(name) for name in rows) + (0.1 if any(rows) else 0)
    widths = {name: [LETTER * len(p) + AIR for p in cut] for name, cut in rows.items()}
    ends = [sum(w) + GAP * len(w) for w in widths.values()]
    width = start + max(ends) + 0.05
    height = LINE * len(rows) + 0.1
    figure = Drawing((width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.set(xlim=(0, width), ylim=(height - 0.05, -0.05), aspect="equal")
    axes.set_axis_off()
    strong = rcParams["axes.prop_cycle"].by_key()["color"][0]
    for n, (name, cut) in enumerate(rows.items()):
        middle, x = LINE * (n + 0.5), start
        axes.text(0, middle, name, va="center_baseline")
        for piece, wide in zip(cut, widths[name], strict=True):
            new = bool(fresh) and piece == fresh
            box = FancyBboxPatch(
                (x, middle - HEIGHT / 2), wide, HEIGHT,
                boxstyle="round,pad=0,rounding_size=0.04", fill=False,
                edgecolor=strong if new else rcParams["axes.edgecolor"],
                linewidth=1.8 if new else 0.8,
            )  # fmt: skip
            axes.add_patch(box)
            word = axes.text(x + wide / 2, middle, piece, va="center_baseline")
            word.set(ha="center", weight="bold" if new else "normal")
            x += wide + GAP
    written = [(name, " ".join(cut)) for name, cut in rows.items()]
    figure.numbers = text_numbers(("row", "pieces"), written)
    return figure
