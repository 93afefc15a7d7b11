"""Draw stacks of hypotheses: a column for each, boxes in the order of their rank."""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib import rcParams
from matplotlib.patches import FancyBboxPatch

from lookback.figures.drawing import WIDTH, Drawing
from lookback.figures.numbers import text_numbers

COLUMN, ROW, ABOVE = 1.75, 0.86, 0.45  # inches of a column, of a box, of the headings
BOX = (0.9, 0.8)  # of a column and of a row
KINDS = ("", "new", "dropped")


class Box(NamedTuple):
    """Hold a hypothesis: two or three lines of text, and how it is drawn.

    kind  "", "new": drawn strong, or "dropped": faint
    """

    text: str
    kind: str = ""


def stacks(columns: Sequence[Sequence[Box]], *, names: Sequence[str]) -> Drawing:
    """Draw the boxes of each stack, the best above, under the stack's name.

    Raises ValueError for names that are not as many as the stacks, and other kinds.
    """
    if len(columns) != len(names) or not names:
        raise ValueError(f"{len(columns)} stacks have {len(names)} names")
    for box in (box for column in columns for box in column):
        if box.kind not in KINDS:
            raise ValueError(f"a box is {box.kind!r}: expected one of {KINDS}")
    N, rows = len(columns), max(1, *map(len, columns))
    wide = min(COLUMN, WIDTH / N)
    figure = Drawing((wide * N, ABOVE + ROW * rows), layout="constrained")
    axes = figure.add_subplot()
    axes.set(xlim=(-0.5, N - 0.5), ylim=(rows - 0.5, -0.5 - ABOVE / ROW))
    axes.set_axis_off()
    colour = rcParams["axes.prop_cycle"].by_key()["color"][0]
    for x, (name, column) in enumerate(zip(names, columns, strict=True)):
        axes.text(x, -0.72, name, ha="center", weight="bold")
        for y, box in enumerate(column):
            corner = (x - BOX[0] / 2, y - BOX[1] / 2)
            patch = FancyBboxPatch(
                corner, *BOX, boxstyle="round,pad=0,rounding_size=.06"
            )
            new = box.kind == "new"
            patch.set(fill=False, linewidth=2 if new else 0.9)
            patch.set(edgecolor=colour if new else rcParams["axes.edgecolor"])
            faint = 0.4 if box.kind == "dropped" else 1
            patch.set(alpha=faint, linestyle="--" if box.kind == "dropped" else "-")
            axes.add_patch(patch)
            text = axes.text(x, y, box.text, ha="center", va="center", alpha=faint)
            text.set(linespacing=1.25)
    lines = [
        (name, f"{box.text.replace(chr(10), ', ')}{', ' * bool(box.kind)}{box.kind}")
        for name, column in zip(names, columns, strict=True)
        for box in column
    ]
    figure.numbers = text_numbers(("stack", "hypothesis"), lines)
    return figure
