"""Draw a parse tree lying on its side: words in a column, nodes at their right."""

from collections.abc import Collection, Mapping, Sequence

from matplotlib import rcParams

from lookback.figures.drawing import WIDTH, Drawing
from lookback.figures.numbers import text_numbers

Span = tuple[int, int]
LETTER = 0.088  # inches of a letter
LINE, STEP, END = 0.33, 0.46, 0.5  # inches of a word, of a level, and after the root


def nested(
    words: Sequence[str],
    nodes: Mapping[Span, str],
    *,
    strong: Collection[Span] = (),
    label: str = "node",
) -> Drawing:
    """Draw words one under another; right of them a tree, or an unfinished forest.

    nodes   (begin, end) → the text of the node of words begin … end - 1; that of one
            word is written at the word
    strong  nodes that are drawn strong, with the lines to their children
    label   what the texts are
    Raises ValueError for nodes that cross or lie outside, and for strong ones that are
    none.
    """
    _check(len(words), nodes, strong)
    below = {span: children(span, nodes) for span in nodes if span[1] - span[0] > 1}
    level = dict[Span, int]()
    for span in sorted(below, key=lambda span: span[1] - span[0]):
        level[span] = 1 + max(level.get(child, 0) for child in below[span])
    depth = max([1, *level.values()])
    noted = any(end - begin == 1 for begin, end in nodes)
    edge = LETTER * max(map(len, words)) + 0.1 + 0.5 * noted
    step = min(STEP, (WIDTH - edge - END) / depth)
    size = (edge + step * depth + END, LINE * len(words) + 0.1)
    figure = Drawing(size, layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set(xlim=(-edge, step * depth + END), ylim=(len(words) - 0.4, -0.6))
    plain = rcParams["axes.edgecolor"]
    colour = rcParams["axes.prop_cycle"].by_key()["color"][0]
    small = 0.85 * rcParams["font.size"]

    def at(span: Span) -> tuple[float, float]:
        return step * level.get(span, 0), (span[0] + span[1] - 1) / 2

    top = set(below) - {child for found in below.values() for child in found}
    for span, found in below.items():
        on = span in strong
        ends = [at(child) for child in found]
        x, y = at(span)
        ways = [([a, x], [b, b]) for a, b in ends]  # from each child to its parent
        ways.append(([x, x], [ends[0][1], ends[-1][1]]))  # and the parent's bar
        for across, down in ways:
            axes.plot(
                across,
                down,
                color=colour if on else plain,
                linewidth=2.2 if on else 0.9,
                solid_capstyle="round",
            )
        side = 1 if span in top else -1  # a root has its text outside
        text = axes.text(x + 0.05 * side, y, nodes[span], fontsize=small, va="center")
        text.set(fontweight="bold" if on else "normal")
        text.set(ha="left" if span in top else "right")
    for i, word in enumerate(words):
        note = nodes.get((i, i + 1), "")
        axes.text(-0.05 - 0.5 * noted, i, word, ha="right", va="center")
        axes.text(-0.05, i, note, ha="right", va="center", fontsize=small)
    written = [
        (" ".join(words[begin:end]), text) for (begin, end), text in nodes.items()
    ]
    figure.numbers = text_numbers(("words", label), written)
    return figure


def children(span: Span, nodes: Collection[Span]) -> list[Span]:
    """List the largest nodes inside a span, and the words between them, in order."""
    begin, end = span
    inside = [s for s in nodes if s != span and begin <= s[0] and s[1] <= end]
    found, at = list[Span](), begin
    while at < end:
        here = [s for s in inside if s[0] == at]
        largest = max(here, key=lambda s: s[1], default=(at, at + 1))
        found.append(largest)
        at = largest[1]
    return found


def _check(T: int, nodes: Collection[Span], strong: Collection[Span]) -> None:
    for begin, end in nodes:
        if not 0 <= begin < end <= T:
            raise ValueError(f"node ({begin}, {end}) leaves the {T} words")
        for other, last in nodes:
            if begin < other < end < last:
                raise ValueError(f"({begin}, {end}) and ({other}, {last}) cross")
    unknown = [span for span in strong if span not in nodes]
    if unknown:
        raise ValueError(f"strong holds {unknown[0]}, which is no node")
