"""Write the marks of a diagram as SVG: boxes, strips of cells, bars, arrows, groups."""

from collections.abc import Sequence
from math import hypot

import numpy as np
from numpy.typing import NDArray

from lookback.figures.diagram_grid import BAR, BARS, LINE, NOTE, Edges, Placed
from lookback.figures.diagram_routes import HEAD, RADIUS, Arrow, Point, Route
from lookback.figures.diagram_text import lines, number


def glyph(each: Placed, values: NDArray[np.float64] | None = None) -> str:
    """Draw a box with its label, or with its numbers as bars."""
    box = each.box
    match box.role:
        case "word" | "note" | "left" | "name":
            parts = _words(each)
        case "plus" | "times":
            parts = _circle(each)
        case "strip":
            parts = _strip(each) + _label(each)
        case "bars":
            assert values is not None
            parts = _bars(each, np.ravel(values))
        case _:
            parts = _rectangle(each)
    return "".join(parts)


def rect(edges: Edges, radius: float, kind: str, more: str = "") -> str:
    left, top, right, bottom = edges
    size = f'width="{number(right - left)}" height="{number(bottom - top)}"'
    corner = f' rx="{number(radius)}"' if radius else ""
    at = f'x="{number(left)}" y="{number(top)}"'
    return f'<rect {at} {size}{corner} class="{kind}"{more}/>'


def _kind(each: Placed) -> str:
    return f"b k {each.box.colour}" if each.box.colour else "b"


def _rectangle(each: Placed) -> list[str]:
    radius = each.height / 2 if "pill" in each.box.options else RADIUS
    y = each.y - LINE * (len(each.lines) - 1) / 2 + 5
    text = [
        line.svg(each.x, y + LINE * row, "n" if row else "")
        for row, line in enumerate(each.lines)
    ]
    return [rect(each.edges, radius, _kind(each)), *text]


def _words(each: Placed) -> list[str]:
    box = each.box
    style = "" if box.role in ("word", "name") else "n"
    if box.colour:
        style = f"t {box.colour}"
    left = box.role == "left"
    x, anchor = (each.edges[0], "start") if left else (each.x, "middle")
    rise = (LINE - 2) * (len(each.lines) - 1) / 2
    return [
        line.svg(x, each.y - rise + (LINE - 2) * row + 5, style, anchor)
        for row, line in enumerate(each.lines)
    ]


def _circle(each: Placed) -> list[str]:
    x, y, arm = each.x, each.y, 5.5 if each.box.role == "plus" else 4
    at = f'cx="{number(x)}" cy="{number(y)}"'
    if each.box.role == "plus":
        sign = f"M{number(x - arm)} {number(y)}h{2 * arm}m-{arm}-{arm}v{2 * arm}"
    else:
        sign = f"M{number(x - arm)} {number(y - arm)}l8 8m0-8l-8 8"
    return [
        f'<circle {at} r="11" class="{_kind(each)}"/>',
        f'<path d="{sign}" class="s"/>',
    ]


def _strip(each: Placed) -> list[str]:
    left, top, right, bottom = each.edges
    wide = (right - left) / each.cells
    cuts = "".join(
        f"M{number(left + wide * n)} {number(top)}v{number(bottom - top)}"
        for n in range(1, each.cells)
    )
    frame = rect(each.edges, 3, _kind(each))
    return [frame, f'<path d="{cuts}" class="a {each.box.colour}"/>' if cuts else ""]


def _bars(each: Placed, values: NDArray[np.float64]) -> list[str]:
    """Draw a bar for each number, which stands above it."""
    left, top, right, _ = each.edges
    parts = [rect((left, top, right, each.edges[3]), 8, "g")]
    for cell, value in enumerate(values, 1):
        x, bottom = each.part(cell).x, each.edges[3] - 9
        tall = max(float(value) * BAR, 1.5)
        bar = (x - BARS / 2, bottom - tall, x + BARS / 2, bottom)
        parts.append(rect(bar, 1, f"f {each.box.colour}"))
        text = lines(f"{value:.2f}".replace("0.", "."), NOTE)[0]
        parts.append(text.svg(x, bottom - tall - 5, "n"))
    return parts


def _label(each: Placed) -> list[str]:
    """Draw the label beside a strip."""
    if not each.lines:
        return []
    line, (left, _, right, _) = each.lines[0], each.edges
    if each.side == "left":
        return [line.svg(left - 7, each.y + 5, "", "end")]
    return [line.svg(right + 7, each.y + 5, "", "start")]


def arrow(each: Arrow, way: Route) -> str:
    """Draw the line of an arrow, its head, its dot and its label."""
    trunk = each.how == "=>"
    colour = each.colour or ("c0" if trunk or each.weight is not None else "")
    points = list(way.points)
    kind, parts, head = "a", [], 0.0 if each.weight is not None else HEAD
    if trunk:
        kind, head = "a trunk", HEAD + 2
    if head:
        points[-1], base = _shortened(points, head), points[-1]
        parts.append(_head(points[-1], base, head, colour))
    style = ""
    if each.weight is not None:
        wide = f"stroke-width:{number(1.2 + 9 * each.weight)}"
        style = f' style="{wide};stroke-opacity:{0.45 + 0.5 * each.weight:.2f}"'
    path = _curved(points) if way.curve else _bent(points)
    line = f'<path d="{path}" class="{f"{kind} {colour}".strip()}"{style}/>'
    if way.dot:
        x, y = points[0]
        parts.append(f'<circle cx="{number(x)}" cy="{number(y)}" r="3" class="e c0"/>')
    if each.label:
        parts.append(_beside(each, points))
    return line + "".join(parts)


def _shortened(points: Sequence[Point], by: float) -> Point:
    (x1, y1), (x2, y2) = points[-2:]
    length = hypot(x2 - x1, y2 - y1) or 1
    share = (length - by + 1) / length
    return x1 + (x2 - x1) * share, y1 + (y2 - y1) * share


def _head(base: Point, tip: Point, size: float, colour: str) -> str:
    """Draw the head of an arrow as a triangle."""
    (x1, y1), (x2, y2) = base, tip
    length = hypot(x2 - x1, y2 - y1) or 1
    x, y = (y2 - y1) / length * size / 2, (x1 - x2) / length * size / 2
    left, right = (x1 + x, y1 + y), (x1 - x, y1 - y)
    path = f"M{_at(tip)}L{_at(left)}L{_at(right)}z"
    return f'<path d="{path}" class="{f"e {colour}".strip()}"/>'


def _at(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _bent(points: Sequence[Point]) -> str:
    """Write a path of straight pieces with round corners."""
    path = f"M{_at(points[0])}"
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        start, end = _near(corner, before), _near(corner, after)
        path += f"L{_at(start)}Q{_at(corner)} {_at(end)}"
    return f"{path}L{_at(points[-1])}"


def _near(corner: Point, other: Point) -> Point:
    """Find where the rounding of a corner begins, on the way to another point."""
    length = hypot(other[0] - corner[0], other[1] - corner[1]) or 1
    share = min(RADIUS, length / 2) / length
    return (
        corner[0] + (other[0] - corner[0]) * share,
        corner[1] + (other[1] - corner[1]) * share,
    )


def _curved(points: Sequence[Point]) -> str:
    """Write a path of one curve, and straight on."""
    start, first, second, end, *rest = map(_at, points)
    straight = "".join(f"L{each}" for each in rest)
    return f"M{start}C{first} {second} {end}{straight}"


def _beside(each: Arrow, points: Sequence[Point]) -> str:
    """Draw the label of an arrow: right of an upright one, above a level one."""
    (x1, y1), (x2, y2) = points[-2:]
    text = lines(each.label, NOTE)[0]
    if abs(x1 - x2) < 2:  # its letters reach down to no corner
        y = min((y1 + y2) / 2 + 4, max(y1, y2) - 4)
        return text.svg(x1 + 7, y, "n", "start")
    return text.svg((x1 + x2) / 2, (y1 + y2) / 2 - 6, "n")


def group(edges: Edges, label: str, side: str) -> str:
    """Draw a grey ground under boxes; its label inside at the top, at a side."""
    drawn = rect(edges, 8, "g")
    if not label:
        return drawn
    left, top, right, _ = edges
    x, anchor = (right - 10, "end") if side == "end" else (left + 10, "start")
    return drawn + lines(label, NOTE)[0].svg(x, top + 17, "n", anchor)


def heading(title: str, note: str, width: float) -> str:
    """Draw the head of a panel: its title, and a word on the right."""
    left = lines(title, 14.5, bold=True)[0].svg(14, 26, "", "start") if title else ""
    right = lines(note, NOTE)[0].svg(width - 14, 26, "n", "end") if note else ""
    return left + right
