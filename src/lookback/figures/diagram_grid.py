"""Parse the tables and grids of a diagram, and give each box its place.

A grid that is too wide for a phone is narrowed here, for all diagrams.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from lookback.figures.diagram_text import Line, lines

TEXT, NOTE, SIGN = 14.0, 12.5, 15.5
PAD, LINE = 13.0, 19.0  # inside a box: beside its text; the height of a line
WIDE, NARROW = 640.0, 332.0  # the most that a drawing may be, on a phone the second
CELL, NARROW_CELL = 15.0, 12.0  # the width of a cell of a strip; on a phone
STRIP = 17.0  # the height of a strip
BAR = 54.0  # the height of a bar of 1, and more room for its number
BARS = 34.0  # the width of one, at least
GAP = 24.0  # between rows, and between columns
MARGIN, NARROW_MARGIN = 16.0, 8.0
SHAPES = ("learned", "op", "plus", "times", "strip", "bars", "word")
NOTES = ("note", "left", "name")  # words that stand for nothing that runs
OPTION = re.compile(r"c[0-5]|\d+|w\d+|pill|right|left|bold|slim")
TOKEN = re.compile(r"([^-+*]+)(?:\*(\d+))?([-+]\d+)?")

Numbers = Mapping[str, NDArray[np.float64]]
Edges = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True)
class Box:
    """Hold a row of the table: `name | role and options | label | address | shape`."""

    name: str
    role: str
    options: frozenset[str]
    label: str
    address: str
    shape: str

    def option(self, pattern: str, default: str = "") -> str:
        found = [each for each in self.options if re.fullmatch(pattern, each)]
        return found[0] if found else default

    @property
    def colour(self) -> str:
        own = {"learned": "c1", "strip": "c4", "bars": "c0"}
        return self.option("c[0-5]", own.get(self.role, ""))


@dataclass
class Placed:
    """Hold a box with the middle and size of its shape, and its label's lines."""

    box: Box
    width: float
    height: float
    lines: list[Line]
    cells: int = 1
    x: float = 0.0
    y: float = 0.0

    @property
    def edges(self) -> Edges:
        """Return the edges of the shape."""
        w, h = self.width / 2, self.height / 2
        return self.x - w, self.y - h, self.x + w, self.y + h

    def part(self, cell: int) -> "Placed":
        """Return the cell of this number, from 1, as something that arrows meet."""
        if not 1 <= cell <= self.cells:
            raise ValueError(f"{self.box.name} has {self.cells} cells, not {cell}")
        wide = self.width / self.cells
        x = self.x - self.width / 2 + (cell - 0.5) * wide
        return Placed(self.box, min(wide, BARS), self.height, [], 1, x, self.y)

    @property
    def side(self) -> str:
        """Return the side of the shape on which its label stands; "" inside."""
        if self.box.role == "strip" and self.lines:
            return self.box.option("left|right", "right")
        return ""

    @property
    def extent(self) -> Edges:
        """Return the edges of the shape with its label."""
        left, top, right, bottom = self.edges
        wide = max((line.width for line in self.lines), default=0.0)
        if self.side == "right":
            right += 7 + wide
        elif self.side == "left":
            left -= 7 + wide
        return left, top, right, bottom


@dataclass
class Layout:
    """Hold the placed boxes of a panel by name, its width and height.

    finer  the places of the panel that this one is drawn over
    """

    places: dict[str, Placed] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0
    finer: dict[str, Placed] = field(default_factory=dict)


@dataclass(frozen=True)
class Token:
    """Hold a place in a grid: `name+12*4`, moved by pixels, as wide as 4 columns."""

    name: str
    columns: int = 1
    moved: float = 0.0


@dataclass(frozen=True)
class Grid:
    """Hold the rows of a grid, the middles of its columns, and room above each row."""

    rows: list[list[Token | None]]
    centres: list[float]
    above: list[float]

    def tokens(self) -> Iterator[tuple[int, Token]]:
        """Yield each token with the number of its column."""
        for row in self.rows:
            yield from ((n, token) for n, token in enumerate(row) if token)


def table(text: str) -> dict[str, Box]:
    """Parse the table of boxes. Raises ValueError for rows with unknown words."""
    boxes: dict[str, Box] = {}
    for row in filter(str.strip, text.splitlines()):
        cells = [cell.strip() for cell in row.split("|")]
        name, role, label, address, shape = (cells + [""] * 5)[:5]
        kind, *options = role.split() or [""]
        if not re.fullmatch(r"[A-Za-z]\w*", name):
            raise ValueError(f"box {name!r}: expected a name of letters and digits")
        if name in boxes:
            raise ValueError(f"box {name} stands twice in the table")
        if kind not in SHAPES + NOTES:
            known = ", ".join(SHAPES + NOTES)
            raise ValueError(
                f"box {name} has the role {kind!r}: expected one of {known}"
            )
        unknown = [each for each in options if not OPTION.fullmatch(each)]
        if unknown:
            raise ValueError(f"box {name} has the unknown option {unknown[0]!r}")
        if not address and kind not in NOTES:
            raise ValueError(
                f"box {name} has no address: what does it stand for? A thing that "
                "stands for nothing that runs is a note"
            )
        boxes[name] = Box(name, kind, frozenset(options), label, address, shape)
    return boxes


def parse(text: str) -> Grid:
    """Parse a grid: rows of names and dots, top to bottom.

    `| 60 200` gives the middles of the columns in pixels, `+12` alone in a line widens
    the gap there, `name+12` moves a box to the right, `name*4` is as wide as 4 columns.
    """
    rows: list[list[Token | None]] = []
    centres: list[float] = []
    above = [0.0]
    for line in filter(str.strip, text.splitlines()):
        if line.strip().startswith("|"):
            centres = [float(word) for word in line.replace("|", " ").split()]
        elif re.fullmatch(r"\s*[-+]\d+\s*", line):
            above[-1] += float(line)
        else:
            rows.append([_token(word) for word in line.split()])
            above.append(0.0)
    wide = max(map(len, rows), default=0)
    if not rows or len(centres) < wide:
        raise ValueError(f"the grid has {wide} columns, and {len(centres)} middles")
    return Grid(rows, centres, above)


def _token(word: str) -> Token | None:
    match = TOKEN.fullmatch(word)
    if not match:
        raise ValueError(f"the grid has {word!r}, which is no name")
    name, columns, moved = match.groups()
    return None if name == "." else Token(name, int(columns or 1), float(moved or 0))


def narrowed(grid: Grid, boxes: Mapping[str, Box], numbers: Numbers) -> Grid:
    """Fit a grid into a phone: drop the names of rows, push the columns together.

    All distances between middles shrink alike, as little as they must.
    """
    first = [row[0] for row in grid.rows]
    if all(token is None or boxes[token.name].role == "left" for token in first):
        grid = Grid([row[1:] for row in grid.rows], grid.centres[1:], grid.above)
    ends = []  # a place that shrinks, and how far a box reaches to its left and right
    for column, token in grid.tokens():
        place = grid.centres[column] + token.moved
        if token.columns > 1:  # as wide as its columns: its edges shrink, too
            last = grid.centres[column + token.columns - 1]
            half = (last - place) / (token.columns - 1) / 2
            ends += [(place - half, 0.0, 0.0), (last + half, 0.0, 0.0)]
        else:
            box = boxes[token.name]
            left, _, right, _ = measured(box, numbers, NARROW_CELL).extent
            half = right if box.role == "left" else 0  # it begins at its place
            ends.append((place, -left - half, right + half))
    room = NARROW - 2 * NARROW_MARGIN
    ratios = [
        (room - right - left) / (b - a)
        for a, left, _ in ends
        for b, _, right in ends
        if a < b
    ]
    share = min(1.0, *ratios)
    start = NARROW_MARGIN - min(share * place - left for place, left, _ in ends)
    return Grid(
        [
            [token and replace(token, moved=token.moved * share) for token in row]
            for row in grid.rows
        ],
        [start + share * centre for centre in grid.centres],
        grid.above,
    )


def measured(box: Box, numbers: Numbers, cell: float = CELL) -> Placed:
    """Measure a box; it has no place yet."""
    bold = "bold" in box.options
    if box.role in ("word", *NOTES):
        size = TEXT if box.role in ("word", "name") else NOTE
        if size == TEXT and re.fullmatch(r"\$[^$]*\$", box.label):
            size = SIGN
        found = lines(box.label, size, bold=bold)
        width = max(line.width for line in found)
        return Placed(box, width, 4 + (LINE - 2) * len(found), found)
    found = lines(box.label, TEXT, bold=bold) if box.label else []
    least = float(box.option(r"w\d+", "w0")[1:])
    if box.role in ("learned", "op"):
        rest = box.label.split(" / ")[1:]
        found[1:] = [line for each in rest for line in lines(each, NOTE)]
        pill = "pill" in box.options
        pad = (7.0 if pill else 9.0) if "slim" in box.options else PAD
        width = max([line.width + 2 * pad for line in found] + [least])
        return Placed(box, width, LINE * len(found) + (9 if pill else 15), found)
    if box.role in ("plus", "times"):
        return Placed(box, 22, 22, [])
    if box.role == "strip":
        cells = int(box.option(r"\d+", "3"))
        return Placed(box, cells * cell, STRIP, found, cells)
    values, wide = numbers[box.name], max(least, BARS + 10)
    return Placed(box, values.size * wide, BAR + 36, [], values.size)


def place(
    boxes: Mapping[str, Box],
    grid: Grid,
    numbers: Numbers,
    *,
    top: float,
    gap: float,
    narrow: bool = False,
) -> Layout:
    """Give each box of a grid its place.

    Raises ValueError for names that are none, or stand twice, and where boxes touch.
    """
    cell, aside = (NARROW_CELL, NARROW_MARGIN) if narrow else (CELL, MARGIN)
    layout = Layout()
    for _, token in grid.tokens():
        if token.name not in boxes:
            raise ValueError(f"the grid has {token.name}, which is no box")
        if token.name in layout.places:
            raise ValueError(f"the grid has {token.name} twice")
        layout.places[token.name] = measured(boxes[token.name], numbers, cell)
    for name, box in boxes.items():
        if name not in layout.places and box.role not in NOTES:
            raise ValueError(f"the grid leaves out the box {name}")
    y = top
    for row, more in zip(grid.rows, grid.above, strict=False):
        here = [layout.places[token.name] for token in row if token]
        above = max((each.edges[1] - each.extent[1] for each in here), default=0)
        below = max((each.extent[3] - each.edges[3] for each in here), default=0)
        height = max((each.height for each in here), default=0)
        y += more + above
        for column, spot in enumerate(row):
            if spot:
                each = layout.places[spot.name]
                each.x, each.y = grid.centres[column] + spot.moved, y + height / 2
                if spot.columns > 1:  # one cell over each of so many columns
                    last = grid.centres[column + spot.columns - 1]
                    each.width = (last - each.x) * spot.columns / (spot.columns - 1)
                    each.x = (each.x + last) / 2
                if each.box.role == "left":
                    each.x += each.width / 2
        y += height + below + gap
    layout.height = y - gap + MARGIN
    layout.width = max(each.extent[2] for each in layout.places.values()) + aside
    _refuse_touching(layout)
    return layout


def _refuse_touching(layout: Layout) -> None:
    placed = list(layout.places.items())
    for number, (one, a) in enumerate(placed):
        if a.extent[0] < 2:
            raise ValueError(f"{one} reaches over the left edge, to {a.extent[0]:.0f}")
        for other, b in placed[:number]:
            apart = max(
                a.extent[0] - b.extent[2], b.extent[0] - a.extent[2],
                a.extent[1] - b.extent[3], b.extent[1] - a.extent[3],
            )  # fmt: skip
            if apart < 3:
                raise ValueError(f"{other} and {one} are {apart:.0f} px apart: give "
                                 "their columns or rows more room")  # fmt: skip
