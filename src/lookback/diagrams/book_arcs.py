"""Draw an arc for each pair of labels that stand one under another."""

from collections.abc import Mapping, Sequence

from matplotlib.patches import Arc

from lookback.figures import palette
from lookback.figures.drawing import WIDTH, Drawing

ROW = 0.23  # inches for each label
NAMES = 1.6  # inches for the longest label


def arcs(labels: Sequence[str], pairs: Mapping[str, Sequence[str]]) -> Drawing:
    """Draw labels one under another; at their right an arc from each to what it needs.

    labels  n names, the first on top
    pairs   a label → labels above it
    Raises ValueError for a label twice, for a name that is no label, and for one that
    stands below the label that needs it.
    """
    rows = {label: i for i, label in enumerate(labels)}
    if len(rows) != len(labels) or not rows:
        raise ValueError(f"labels are {list(labels)}: expected each of them once")
    links = [(_row(rows, above), _row(rows, below)) for below in pairs
             for above in pairs[below]]  # fmt: skip
    for above, below in links:
        if above >= below:
            raise ValueError(
                f"{labels[below]!r} leads to {labels[above]!r}, which is not above it"
            )
    figure = Drawing((WIDTH, ROW * len(labels) + 0.1))
    figure.set_layout_engine("none")  # labels stand outside of the axes
    axes = figure.add_axes((NAMES / WIDTH, 0, 1 - NAMES / WIDTH, 1))
    longest = max((below - above for above, below in links), default=1)
    axes.set(xlim=(-0.1, longest / 2 + 0.3), ylim=(len(labels) - 0.5, -0.5))
    axes.axis("off")
    colours = palette.colours()
    for above, below in links:
        size, middle = below - above, (above + below) / 2
        arc = Arc((0, middle), size, size, theta1=-90, theta2=90)
        arc.set(color=colours[0], alpha=0.35 + 0.4 / size, linewidth=1.2)
        axes.add_patch(arc)
    for label, row in rows.items():
        axes.plot(0, row, "o", color=colours[0], markersize=4)
        axes.annotate(
            label, (0, row), (-6, 0), textcoords="offset points", ha="right",
            va="center", annotation_clip=False,
        )  # fmt: skip
    return figure


def _row(rows: Mapping[str, int], label: str) -> int:
    if label not in rows:
        raise ValueError(f"{label!r} is no label: expected one of {', '.join(rows)}")
    return rows[label]
