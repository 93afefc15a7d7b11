"""Route arrows from box to box: straight, round one corner, or in a curve."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from lookback.figures.diagram_grid import Placed

RADIUS, CLEAR, HEAD = 6.0, 3.5, 7.0
BEND = 26.0  # how tall a curve is, before it runs on straight
TAP = 20.0  # how far under its target a branch leaves the trunk
ARROW = re.compile(r"\s(=>|~>|-/>|/>|\|->|->)\s")

Point = tuple[float, float]


@dataclass(frozen=True)
class Arrow:
    """Hold an arrow `a -> b | c1 label`: its ends, how it runs, colour and label."""

    start: str
    end: str
    how: str
    colour: str = ""
    label: str = ""
    weight: float | None = None


@dataclass(frozen=True)
class Route:
    """Hold the points of a line with round corners, or of one curve."""

    points: tuple[Point, ...]
    curve: bool = False
    dot: bool = False  # the first point is a branching


def arrows(text: str, weights: Mapping[str, float]) -> list[Arrow]:
    """Parse a table of arrows: `a -> b -> c`, each line with options after a bar.

    `->` chooses the way itself; `=>` is the trunk, straight and strong; `~>` a curve;
    `/>` a straight line from corner to corner, `-/>` one from side to side; `|->` runs
    round one corner. Options: a colour, a label.

    weights  "a b" → the width of that arrow
    """
    found = []
    for row in filter(str.strip, text.splitlines()):
        chain, _, options = row.partition(" | ")
        words = options.split()
        colour = next((w for w in words if re.fullmatch("c[0-5]", w)), "")
        label = " ".join(word for word in words if word != colour)
        parts = ARROW.split(chain.strip())
        if len(parts) < 3:
            raise ValueError(f"{row.strip()!r} is no arrow: expected `a -> b`")
        for n in range(0, len(parts) - 2, 2):
            start, how, end = (part.strip() for part in parts[n : n + 3])
            weight = weights.get(f"{start} {end}")
            found.append(Arrow(start, end, how, colour, label, weight))
    return found


def route(arrow: Arrow, a: Placed, b: Placed, trunk: bool) -> Route:
    """Find the way of an arrow between two placed boxes.

    trunk  does a trunk leave the first? Then branches leave with a dot
    Raises ValueError for `=>` between boxes that stand neither in line nor in row.
    """
    how = arrow.how
    if how == "~>":
        fan = arrow.weight is not None
        return Route(_fan(a, b) if fan else _curve(a, b), curve=True)
    if how == "/>":
        return Route(_slanted(a, b))
    if how == "-/>":
        return Route(_from_side_to_side(a, b))
    straight = _straight(a, b)
    if how in ("->", "=>") and straight:
        return Route(straight)
    if how == "=>":
        raise ValueError(f"{arrow.start} => {arrow.end}: they stand not in line")
    if how == "|->" or b.box.role in ("plus", "times"):
        return Route(_up_then_across(a, b))
    return Route(_tap(a, b), dot=trunk)


def _straight(a: Placed, b: Placed) -> tuple[Point, ...]:
    """Draw a line straight up, down or across; () where there is none."""
    left, top, right, bottom = a.edges
    l2, t2, r2, b2 = b.edges
    if b2 <= top or t2 >= bottom:
        x = a.x if a.width <= b.width else b.x  # the middle of the narrower one
        if abs(a.x - b.x) < 1.5:
            x = a.x
        elif not (left + 5 <= x <= right - 5 and l2 + 5 <= x <= r2 - 5):
            return ()
        if b2 <= top:
            return (x, top - CLEAR), (x, b2 + CLEAR)
        return (x, bottom + CLEAR), (x, t2 - CLEAR)
    y = a.y if t2 + 4 <= a.y <= b2 - 4 else b.y
    if abs(a.y - b.y) < 1.5:
        y = a.y
    elif not (top + 4 <= y <= bottom - 4 and t2 + 4 <= y <= b2 - 4):
        return ()
    if l2 >= right:
        return (a.extent[2] + CLEAR, y), (b.extent[0] - CLEAR, y)
    return (a.extent[0] - CLEAR, y), (b.extent[2] + CLEAR, y)


def _up_then_across(a: Placed, b: Placed) -> tuple[Point, ...]:
    """Leave a upright, and enter b from its side."""
    y = a.edges[1] - CLEAR if b.y < a.y else a.edges[3] + CLEAR
    x = b.extent[2] + CLEAR if a.x > b.x else b.extent[0] - CLEAR
    return (a.x, y), (a.x, b.y), (x, b.y)


def _tap(a: Placed, b: Placed) -> tuple[Point, ...]:
    """Branch off the trunk over a, go across under b, and up; or all downwards."""
    if b.edges[3] <= a.edges[1]:
        y = min(b.edges[3] + TAP, a.edges[1] - 4)
        return (a.x, y), (b.x, y), (b.x, b.edges[3] + CLEAR)
    y = max(b.edges[1] - TAP, a.edges[3] + 4)
    return (a.x, y), (b.x, y), (b.x, b.edges[1] - CLEAR)


def _curve(a: Placed, b: Placed) -> tuple[Point, ...]:
    """Curve, upright at both ends: start, two handles, end of the curve and line."""
    up = b.y < a.y
    y1 = a.edges[1] - CLEAR if up else a.edges[3] + CLEAR
    y2 = b.edges[3] + CLEAR if up else b.edges[1] - CLEAR
    bend = y1 + max(-BEND, min(BEND, (y2 - y1) * 0.7))
    middle = (y1 + bend) / 2
    return (a.x, y1), (a.x, middle), (b.x, middle), (b.x, bend), (b.x, y2)


def _fan(a: Placed, b: Placed) -> tuple[Point, ...]:
    """Curve from the middle of a to a place of its own on b."""
    up = b.y < a.y
    y1 = a.edges[1] - CLEAR if up else a.edges[3] + CLEAR
    y2 = b.edges[3] + CLEAR if up else b.edges[1] - CLEAR
    middle = (y1 + y2) / 2
    reach = max(0.0, b.width / 2 - 9)  # a fan does not end in one point
    x2 = b.x + max(-reach, min(reach, (a.x - b.x) * 0.12))
    return (a.x, y1), (a.x, middle), (x2, middle), (x2, y2)


def _slanted(a: Placed, b: Placed) -> tuple[Point, ...]:
    """Go straight from the corner of a that is nearest to b to the near one of b."""
    right, up = b.x > a.x, b.y < a.y
    start = (a.edges[2] if right else a.edges[0], a.edges[1] if up else a.edges[3])
    x = b.edges[0] + 4 if right else b.edges[2] - 4
    y = b.edges[3] + CLEAR if up else b.edges[1] - CLEAR
    return (start[0] + (2 if right else -2), start[1]), (x, y)


def _from_side_to_side(a: Placed, b: Placed) -> tuple[Point, ...]:
    """Go straight from the middle of a side of a to that of the side that faces it."""
    if b.edges[0] < a.edges[2] and a.edges[0] < b.edges[2]:  # one above the other
        up = b.y < a.y
        y = a.edges[1] - CLEAR if up else a.edges[3] + CLEAR
        return (a.x, y), (b.x, b.edges[3] + CLEAR if up else b.edges[1] - CLEAR)
    right = b.x > a.x
    x = a.extent[2] + CLEAR if right else a.extent[0] - CLEAR
    return (x, a.y), (b.extent[0] - CLEAR if right else b.extent[2] + CLEAR, b.y)


def crossed(way: Route, places: Mapping[str, Placed], own: tuple[str, str]) -> str:
    """Find the name of a box that a route runs over; "" where there is none."""
    samples = _samples(way)
    for name, each in places.items():
        left, top, right, bottom = each.extent
        inside = any(left - 1 < x < right + 1 and top - 1 < y < bottom + 1
                     for x, y in samples)  # fmt: skip
        if name not in own and inside:
            return name
    return ""


def _samples(way: Route) -> list[Point]:
    """Take points along a route."""
    steps = [n / 24 for n in range(25)]
    if way.curve:
        p, q, r, s = way.points[:4]
        line = _samples(Route((s, *way.points[4:]))) if len(way.points) > 4 else []
        return line + [
            tuple(
                (1 - t) ** 3 * p[i] + 3 * (1 - t) ** 2 * t * q[i]
                + 3 * (1 - t) * t**2 * r[i] + t**3 * s[i]
                for i in (0, 1)
            )  # type: ignore[misc]
            for t in steps
        ]  # fmt: skip
    return [
        (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]))
        for a, b in zip(way.points, way.points[1:], strict=False)
        for t in steps
    ]
