"""Where everything stands: boxes read from tables, placed by a grid of their names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lookback.figures.diagram_text import Line, lines

TEXT, NOTE, SIGN = 14.0, 12.5, 15.5
PAD, LINE = 13.0, 19.0  # inside a box: beside its text; the height of a line
CELL = (15.0, 17.0)  # of a strip
BAR = 54.0  # the height of a bar of 1, and more room for its number
BARS = 34.0  # the width of one, at least
GAP = 24.0  # between rows, and between columns
MARGIN = 16.0
SHAPES = ("learned", "op", "plus", "times", "strip", "cells", "bars", "word")
NOTES = (
    "note",
    "left",
    "name",
)  # words beside the machine: they stand for nothing that runs
OPTION = re.compile(r"c[0-5]|\d+|w\d+|h\d+|pill|faint|right|left|above|below|bold|slim")

Numbers = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Box:
    """A row of the table: `name | role and options | label | address | shape`."""

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
        own = {"learned": "c1", "strip": "c4", "cells": "c4", "bars": "c0"}
        return self.option("c[0-5]", own.get(self.role, ""))


@dataclass
class Placed:
    """A box with its place: the middle and the size of its shape; its label's lines."""

    box: Box
    width: float
    height: float
    lines: list[Line]
    cells: int = 1
    x: float = 0.0
    y: float = 0.0

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the shape."""
        w, h = self.width / 2, self.height / 2
        return self.x - w, self.y - h, self.x + w, self.y + h

    def part(self, cell: int) -> "Placed":
        """The cell of this number, from 1, as something that arrows meet."""
        if not 1 <= cell <= self.cells:
            raise ValueError(f"{self.box.name} has {self.cells} cells, not {cell}")
        wide = self.width / self.cells
        x = self.x - self.width / 2 + (cell - 0.5) * wide
        return Placed(self.box, min(wide, BARS), self.height, [], 1, x, self.y)

    @property
    def side(self) -> str:
        """On which side of the shape its label stands; "" inside."""
        if self.box.role in ("strip", "cells"):
            return (
                self.box.option("left|right|above|below", "right") if self.lines else ""
            )
        return ""

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """The edges of the shape with its label."""
        left, top, right, bottom = self.edges
        wide = max((line.width for line in self.lines), default=0.0)
        match self.side:
            case "right":
                right += 7 + wide
            case "left":
                left -= 7 + wide
            case "above":
                top -= LINE
            case "below":
                bottom += LINE
        return left, top, right, bottom


@dataclass
class Layout:
    """A panel, placed: its boxes by name, its width and height."""

    places: dict[str, Placed] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0


def table(text: str) -> dict[str, Box]:
    """The boxes of a table. Raises ValueError for rows that say something unknown."""
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


def measured(box: Box, numbers: Numbers, cell: float = CELL[0]) -> Placed:
    """A box with its size, and no place yet."""
    bold = "bold" in box.options
    if box.role in ("word", *NOTES):
        size = TEXT if box.role in ("word", "name") else NOTE
        if size == TEXT and re.fullmatch(r"\$[^$]*\$", box.label):
            size = SIGN
        found = lines(box.label, size, bold=bold)
        width = max(line.width for line in found)
        return Placed(box, width, 4 + (LINE - 2) * len(found), found)
    found = lines(box.label, TEXT, bold=bold) if box.label else []
    if len(found) > 1 and box.role in ("learned", "op"):
        found[1:] = [line for rest in box.label.split(" / ")[1:]
                     for line in lines(rest, NOTE)]  # fmt: skip
    least = float(box.option(r"w\d+", "w0")[1:])
    tall = float(box.option(r"h\d+", "h0")[1:])
    if box.role in ("learned", "op"):
        pad = (7.0 if "pill" in box.options else 9.0) if "slim" in box.options else PAD
        width = max([line.width + 2 * pad for line in found] + [least])
        height = max(LINE * len(found) + (9 if "pill" in box.options else 15), tall)
        return Placed(box, width, height, found)
    if box.role in ("plus", "times"):
        return Placed(box, 22, 22, [])
    if box.role == "strip":
        cells = int(box.option(r"\d+", "3"))
        return Placed(box, cells * cell, CELL[1], found, cells)
    if box.role == "bars":
        wide = max(least, BARS + 10)
        return Placed(
            box,
            np.size(numbers[box.name]) * wide,
            BAR + 36,
            [],
            np.size(numbers[box.name]),
        )
    rows, columns = np.atleast_2d(numbers[box.name]).shape
    wide = max(len(shown(value)) for value in np.ravel(numbers[box.name]))
    cell = max(24.0 if cell >= CELL[0] else 19.0, 7.2 * wide + 9, least)
    return Placed(box, columns * cell, rows * (tall or 22), found)


def shown(value: float) -> str:
    """A number as a cell shows it: whole, or with two decimals and no leading zero."""
    if value == round(value):
        return f"{value:.0f}".replace("-", "−")
    return f"{value:.2f}".replace("0.", ".", 1 if abs(value) < 1 else 0).replace(
        "-", "−"
    )


def place(
    boxes: Mapping[str, Box],
    grid: str,
    numbers: Numbers,
    *,
    top: float,
    gap: float,
    cell: float = CELL[0],
) -> Layout:
    """Give each box of a grid its place.

    grid  rows of names and dots, top to bottom; `| 60 200` gives the middles of the
          columns in pixels, `+12` widens a gap, `name+12` moves a box to the right,
          `name*4` is as wide as four columns
    Raises ValueError for names that are none, or stand twice, and where boxes touch.
    """
    rows, centres, extra = _rows(grid)
    layout = Layout()
    for row in rows:
        for token in row:
            name = re.split(r"[-+*]", token)[0]
            if name == ".":
                continue
            if name not in boxes:
                raise ValueError(f"the grid has {name}, which is no box")
            if name in layout.places:
                raise ValueError(f"the grid has {name} twice")
            layout.places[name] = measured(boxes[name], numbers, cell)
    missing = [name for name, box in boxes.items()
               if name not in layout.places and box.role not in NOTES]  # fmt: skip
    if missing:
        raise ValueError(f"the grid leaves out the box {missing[0]}")
    centres = centres or _columns(rows, layout)
    y = top
    for number, row in enumerate(rows):
        here = [layout.places[re.split(r"[-+*]", t)[0]] for t in row if t != "."]
        above = max((each.edges[1] - each.extent[1] for each in here), default=0)
        below = max((each.extent[3] - each.edges[3] for each in here), default=0)
        height = max((each.height for each in here), default=0)
        y += extra[number] + above
        for place, token in enumerate(row):
            name, over, moved = re.fullmatch(
                r"([^-+*]+)(?:\*(\d+))?([-+]\d+)?", token
            ).groups()  # type: ignore[union-attr]
            if name != ".":
                each = layout.places[name]
                each.x = centres[place] + float(moved or 0)
                if over:  # one cell over each of so many columns
                    last = centres[place + int(over) - 1]
                    each.x = (centres[place] + last) / 2
                    each.width = (last - centres[place]) * int(over) / (int(over) - 1)
                if each.box.role == "left":
                    each.x += each.width / 2
                each.y = y + height / 2
        y += height + below + gap
    layout.height = y - gap + MARGIN
    aside = MARGIN if cell == CELL[0] else MARGIN / 2
    layout.width = max(p.extent[2] for p in layout.places.values()) + aside
    _refuse_touching(layout)
    return layout


def _rows(grid: str) -> tuple[list[list[str]], list[float], list[float]]:
    rows: list[list[str]] = []
    centres: list[float] = []
    extra = [0.0]
    for line in filter(str.strip, grid.splitlines()):
        if line.strip().startswith("|"):
            centres = [float(word) for word in line.replace("|", " ").split()]
        elif re.fullmatch(r"\s*[-+]\d+\s*", line):
            extra[-1] += float(line)
        else:
            rows.append(line.split())
            extra.append(0.0)
    wide = max(map(len, rows), default=0)
    if not rows or (centres and len(centres) < wide):
        raise ValueError(f"the grid has {wide} columns, and {len(centres)} middles")
    return rows, centres, extra


def _columns(rows: Sequence[Sequence[str]], layout: Layout) -> list[float]:
    """Middles of columns, each as wide as its widest box."""
    x, centres = MARGIN, []
    for column in range(max(map(len, rows))):
        names = [
            re.split(r"[-+*]", row[column])[0] for row in rows if column < len(row)
        ]
        here = [layout.places[name] for name in names if name != "."]
        left = max((-each.extent[0] for each in here), default=0)
        right = max((each.extent[2] for each in here), default=0)
        centres.append(x + left)
        x += left + right + GAP
    return centres


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
