"""Draw a time line to scale, and a line of words for each event."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor

from matplotlib import rcParams

from lookback.figures import palette
from lookback.figures.drawing import WIDTH, Drawing
from lookback.figures.legend import legend_above
from lookback.figures.numbers import text_numbers

ROW, YEARS = 0.25, 0.5  # inches: of an event, and left of the line
REACH = 0.45  # inches from the line to the words

Event = tuple[float, str, str]


def milestones(events: Sequence[Event]) -> Drawing:
    """Draw events one under another, each joined to its time on a line to scale.

    events  (year, words, kind), the earliest first; 2018.5 is the middle of 2018. Each
            kind has its own colour and mark
    Raises ValueError for no events, and for events that are not in order.
    """
    _check(events)
    kinds = [*dict.fromkeys(kind for _, _, kind in events)]
    figure = Drawing((WIDTH, ROW * len(events) + 0.6), layout="constrained")
    axes = figure.add_subplot()
    wide, last = figure.get_figwidth() - 0.1, len(events) - 1
    axes.set(xlim=(-YEARS, wide - YEARS), ylim=(last + 0.6, -0.6))
    axes.set_axis_off()
    begin, end = events[0][0], events[-1][0]
    first, final = floor(begin), ceil(end)

    def down(year: float) -> float:
        """Compute the row at which the line has this time."""
        return last * (year - begin) / max(end - begin, 1e-9)

    plain = rcParams["axes.edgecolor"]
    axes.plot([0, 0], [down(begin), down(end)], color=plain, linewidth=1.4)
    for year in range(first, final + 1):
        if begin <= year <= end:
            axes.plot([-0.06, 0], [down(year)] * 2, color=plain, linewidth=1)
            axes.text(-0.1, down(year), str(year), ha="right", va="center")
    for kind, place in palette.places(kinds).items():
        colour = palette.colours()[place % len(palette.colours())]
        mark = palette.MARKERS[place % len(palette.MARKERS)]
        rows = [i for i, event in enumerate(events) if event[2] == kind]
        for i in rows:
            way = [0, 0.08, REACH - 0.12, REACH]
            at = down(events[i][0])
            axes.plot(way, [at, at, i, i], color=colour, linewidth=0.9)
        axes.plot([REACH] * len(rows), rows, mark, color=colour, markersize=6,
                  label=kind)  # fmt: skip
    for i, (_, words, _) in enumerate(events):
        axes.text(REACH + 0.12, i, words, va="center")
    legend_above(figure, kinds)
    figure.numbers = text_numbers(
        ("event", "year"), [(words, str(floor(year))) for year, words, _ in events]
    )
    return figure


def _check(events: Sequence[Event]) -> None:
    if not events:
        raise ValueError("events are empty: expected at least one")
    for (before, _, _), (year, words, _) in pairwise(events):
        if year < before:
            raise ValueError(f"{words!r} is of {year}, after one of {before}")
