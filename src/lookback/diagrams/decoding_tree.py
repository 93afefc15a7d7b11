"""Draw a prefix tree of sequences, spread out or indented."""

from collections import Counter
from collections.abc import Collection, Mapping

from matplotlib import rcParams
from matplotlib.axes import Axes

from lookback.figures.drawing import WIDTH, Drawing
from lookback.figures.numbers import text_numbers
from lookback.figures.numerals import in_figures

Path = tuple[str, ...]
ROW, EDGE = 0.41, 0.14  # inches that a leaf has, and the way from a word to the next
LINE = 0.25  # inches of a line, where each node has one
LETTER, LEAST = 0.085, 0.42  # inches of a letter, and what a word has at least


def tree(
    notes: Mapping[Path, str],
    *,
    strong: Collection[Path] = (),
    beam: Collection[Path] = (),
    indented: bool = False,
) -> Drawing:
    """Draw words from left to right, a line under each; its continuations to its right.

    notes   a node's path, the words up to it → the text under its word; children
            of one parent keep the order given, one under the other
    strong  paths whose last word, and the way to it, is drawn strong
    beam    the paths that a search holds at some step: longer ones are not there yet,
            though they have their place, and what leads to none of them is dashed
    indented  each word has a line of its own, farther in than its parent
    Raises ValueError where a path is empty or lacks its parent, for strong paths or a
    beam that are none, and for a beam in an indented tree.
    """
    _check(notes, {"strong": strong, "beam": beam})
    if beam and indented:
        raise ValueError("an indented tree shows no beam: leave out one of the two")
    way = _ways(strong)
    figure = _indented(notes, way) if indented else _spread(notes, way, beam)
    written = [
        (" ".join(path), note.replace("\n", " "))
        for path, note in notes.items()
        if len(path) <= _depth(beam or notes)
    ]
    figure.numbers = text_numbers(("words", "note"), written)
    return figure


def _ways(paths: Collection[Path]) -> set[Path]:
    """Collect paths and all that lead to them."""
    return {path[:n] for path in paths for n in range(1, len(path) + 1)}


def _depth(paths: Collection[Path]) -> int:
    return max(map(len, paths))


def _spread(
    notes: Mapping[Path, str], way: Collection[Path], beam: Collection[Path]
) -> Drawing:
    alive, depth = _ways(beam or notes), _depth(beam or notes)
    heights = _heights(notes)
    ends, rows = _ends(notes), max(heights.values()) + 1
    figure = Drawing((ends[-1] + 0.1, rows * ROW + 0.15), layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set(xlim=(0, ends[-1]), ylim=(rows - 0.4, -0.6))
    small = 0.92 * rcParams["font.size"]
    for path in (path for path in notes if len(path) <= depth):
        left, right = ends[len(path) - 1], ends[len(path)]
        y, on = heights[path], path in way
        before = heights[path[:-1]] if len(path) > 1 else y
        _line(axes, [left, left + EDGE, right], [before, y, y], on, path not in alive)
        middle = (left + EDGE + right) / 2
        ink = rcParams["text.color" if path in alive else "axes.edgecolor"]
        centred = {"ha": "center", "color": ink}
        word = axes.text(middle, y - 0.08, path[-1], va="bottom", **centred)
        word.set_fontweight("bold" if on else "normal")
        axes.text(middle, y + 0.06, notes[path], va="top", fontsize=small, **centred)
    return figure


def _indented(notes: Mapping[Path, str], way: Collection[Path]) -> Drawing:
    """Draw a line for each node, under its parent and farther in.

    What follows a word alone, where nothing is to be said of it, stands in its line.
    """
    notes, way = _joined(notes, way)
    order = [path for _, path in sorted(zip(_lines(notes), notes, strict=True))]
    lines = {path: float(n) for n, path in enumerate(order)}
    figure = Drawing((WIDTH, len(lines) * LINE + 0.15), layout="constrained")
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set(xlim=(0, WIDTH), ylim=(len(lines) - 0.4, -0.6))
    deepest = _depth(notes)
    step = min(0.24, 0.45 * WIDTH / deepest)
    for path, y in lines.items():
        x, on = (len(path) - 1) * step + 0.1, path in way
        if len(path) > 1:
            _line(
                axes, [x - step, x - step, x - 0.03], [lines[path[:-1]] + 0.4, y, y], on
            )
        weight = "bold" if on else "normal"
        axes.text(x, y, path[-1], va="center", weight=weight)
        small = 0.9 * rcParams["font.size"]
        note = in_figures(notes[path].replace("\n", " "))
        axes.text(WIDTH, y, note, va="center", ha="right", fontsize=small)
    return figure


def _joined(
    notes: Mapping[Path, str], way: Collection[Path]
) -> tuple[dict[Path, str], set[Path]]:
    """Join each only child to its parent where the parent has no note."""
    families = Counter(path[:-1] for path in notes)
    shorter, absorbed = dict[Path, Path](), set[Path]()
    for path in sorted(notes, key=len):
        before = path[:-1]
        parent = shorter.get(before, ())
        alone = families[before] == 1 and bool(before) and not notes[before]
        if alone and (before in way) == (path in way):
            absorbed.add(before)
            shorter[path] = (*parent[:-1], f"{parent[-1]} {path[-1]}")
        else:
            shorter[path] = (*parent, path[-1])
    left = [path for path in notes if path not in absorbed]
    return (
        {shorter[path]: notes[path] for path in left},
        {shorter[path] for path in left if path in way},
    )


def _lines(notes: Mapping[Path, str]) -> list[tuple[int, ...]]:
    """Return a sort key for each node: the places of its ancestors, then its own."""
    place = {path: i for i, path in enumerate(notes)}
    return [tuple(place[path[: n + 1]] for n in range(len(path))) for path in notes]


def _line(
    axes: Axes, x: list[float], y: list[float], strong: bool, dead: bool = False
) -> None:
    plain, cycle = rcParams["axes.edgecolor"], rcParams["axes.prop_cycle"]
    axes.plot(
        x,
        y,
        color=cycle.by_key()["color"][0] if strong else plain,
        linewidth=2.2 if strong else 0.9,
        linestyle=(0, (2.5, 2.5)) if dead else "-",
        solid_joinstyle="round",
    )


def _ends(notes: Mapping[Path, str]) -> list[float]:
    """Compute where each column ends, in inches; 0 first."""
    ends = [0.0]
    for depth in range(1, _depth(notes) + 1):
        words = [(path[-1], note) for path, note in notes.items() if len(path) == depth]
        letters = max(len(text) for both in words for text in both)
        ends.append(ends[-1] + EDGE + max(LEAST, LETTER * letters + 0.06))
    return ends


def _heights(notes: Mapping[Path, str]) -> dict[Path, float]:
    """Compute how far down each node is: parents between their children."""
    heights, leaves = dict[Path, float](), 0
    children: dict[Path, list[Path]] = {}
    for path in notes:
        children.setdefault(path[:-1], []).append(path)

    def set_height(path: Path) -> None:
        nonlocal leaves
        below = children.get(path, [])
        for child in below:
            set_height(child)
        if below:
            heights[path] = (heights[below[0]] + heights[below[-1]]) / 2
        else:
            heights[path], leaves = float(leaves), leaves + 1

    set_height(())
    return heights


def _check(notes: Mapping[Path, str], chosen: Mapping[str, Collection[Path]]) -> None:
    if not notes or () in notes:
        raise ValueError(f"expected nodes, each a path of words, got {list(notes)}")
    orphans = [path for path in notes if len(path) > 1 and path[:-1] not in notes]
    if orphans:
        raise ValueError(f"{orphans[0]} has no parent: {orphans[0][:-1]} is no node")
    for name, paths in chosen.items():
        unknown = [path for path in paths if path not in notes]
        if unknown:
            raise ValueError(f"{name} holds {unknown[0]}, which is no node")
