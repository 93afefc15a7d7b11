"""Draw a chart of spans: a box for each run of words, over the words that it covers."""

from collections.abc import Collection, Mapping, Sequence

from matplotlib import rcParams
from matplotlib.patches import FancyBboxPatch

from lookback.figures.drawing import WIDTH, Drawing
from lookback.figures.numbers import text_numbers

Span = tuple[int, int]
BOX = (0.86, 0.62)  # of a column and of a row
COLUMN, ROW, LINE = 1.2, 0.54, 0.17  # inches: a column; a row of one line; a line more


def chart(
    cells: Mapping[Span, str],
    *,
    words: Sequence[str],
    strong: Collection[Span] = (),
    lines: Sequence[tuple[Span, Span]] = (),
) -> Drawing:
    """Draw words at the bottom, wider spans higher up, the whole sentence on top.

    cells   (i, j) → what is known of the words i to j - 1, in one or several lines;
            a span that has none is an empty box, and faint
    strong  spans whose boxes are drawn strong;  lines  from a span to a part of it
    Raises ValueError for no words, and for a span that is not one of theirs.
    """
    n = len(words)
    spans = [(i, i + w) for w in range(1, n + 1) for i in range(n - w + 1)]
    for span in (*cells, *strong, *(end for line in lines for end in line)):
        if span not in spans:
            raise ValueError(f"{span} is no span of {n} words")
    if not n:
        raise ValueError("a chart needs at least one word")
    deep = max([text.count("\n") + 1 for text in cells.values()], default=1)
    row = ROW + LINE * (deep - 1)
    wide = min(COLUMN, (WIDTH - 0.1) / n)
    figure = Drawing((wide * n + 0.1, row * n + 0.35), layout="constrained")
    axes = figure.add_subplot()
    axes.set(xlim=(0, n), ylim=(-0.75, n - 0.5))
    axes.set_axis_off()
    plain = rcParams["axes.edgecolor"]
    colour = rcParams["axes.prop_cycle"].by_key()["color"][0]
    for above, below in lines:
        for ends in between(above, below, spans):
            axes.plot(*ends, color=colour, linewidth=2)
    for i, j in spans:
        x, y = centre((i, j))
        corner = (x - BOX[0] / 2, y - BOX[1] / 2)
        box = FancyBboxPatch(corner, *BOX, boxstyle="round,pad=0,rounding_size=0.08")
        bold, known = (i, j) in strong, (i, j) in cells
        box.set(facecolor="none")
        box.set(edgecolor=colour if bold else plain, linewidth=2.2 if bold else 0.9)
        box.set(alpha=1 if known or bold else 0.35)
        axes.add_patch(box)
        text = axes.text(x, y, cells.get((i, j), ""), ha="center", va="center")
        text.set(fontsize=0.86 * rcParams["font.size"], linespacing=1.15)
    for i, word in enumerate(words):
        axes.text(i + 0.5, -0.62, word, ha="center", weight="bold")
    rows = [(" ".join(words[i:j]), cells.get((i, j), "–")) for i, j in spans]
    figure.numbers = text_numbers(
        ("words", "what is known"), [(a, b.replace("\n", "; ")) for a, b in rows]
    )
    return figure


def centre(span: Span) -> tuple[float, float]:
    """Place a span over the middle of its words, as high as they are many."""
    i, j = span
    return (i + j) / 2, j - i - 1.0


def between(above: Span, below: Span, spans: Sequence[Span]) -> list[list[list[float]]]:
    """Cut the line from one centre to the other into the pieces that no box hides."""
    start, end = centre(above), centre(below)
    hidden = []  # from where to where it is inside a box, as shares of its length
    for span in spans:
        low, high = 0.0, 1.0
        for a, b, middle, size in zip(start, end, centre(span), BOX, strict=True):
            if a == b:
                if abs(a - middle) >= size / 2:
                    low, high = 1.0, 0.0
                continue
            cuts = sorted((middle + side * size / 2 - a) / (b - a) for side in (-1, 1))
            low, high = max(low, cuts[0]), min(high, cuts[1])
        if low < high:
            hidden.append((low, high))
    pieces, here = [], 0.0
    for low, high in [*sorted(hidden), (1.0, 1.0)]:
        if low > here + 1e-9:
            pieces.append(
                [
                    [a + t * (b - a) for t in (here, low)]
                    for a, b in zip(start, end, strict=True)
                ]
            )
        here = max(here, high)
    return pieces
