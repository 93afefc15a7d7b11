"""Draw diagrams of machines as SVG, from tables of boxes, places and arrows.

A `Panel` is one drawing; a `Diagram` holds one or several. What does not fit on a phone
is drawn twice, wide and narrow, and the style sheet shows one. Whether a diagram tells
the truth is not known here: `lookback.measure` holds its `claims` against a run.
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from lookback.figures import diagram_glyphs as glyphs
from lookback.figures.diagram_grid import (
    GAP,
    MARGIN,
    NARROW,
    NOTES,
    WIDE,
    Box,
    Edges,
    Layout,
    Placed,
    measured,
    narrowed,
    parse,
    place,
    table,
)
from lookback.figures.diagram_routes import Arrow, arrows, crossed, route
from lookback.figures.diagram_text import number, plain

STYLE = Path(__file__).with_name("diagram.css")
"""How a diagram looks: a site serves it, and a notebook gets it inline."""
HEAD, BETWEEN, NARROW_GAP = 44.0, 18.0, 18.0

Pair = tuple[str, str]


@dataclass(frozen=True)
class Claims:
    """Hold what a diagram says, to be compared with a run.

    boxes    name → (address, shape, learned, the addresses that it covers); learned is
             None where nothing is claimed
    arrows   from name to name;  omits  true ones that are left out on purpose
    unboxed  modules with parameters that have no box
    """

    boxes: Mapping[str, tuple[str, str, bool | None, tuple[str, ...]]]
    arrows: frozenset[Pair]
    omits: frozenset[Pair]
    unboxed: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Describe one drawing.

    boxes    a row for each: `name | role and options | label | address | shape`.
             Roles: learned, op, plus, times, strip, bars, word; and, for words that
             stand for nothing that runs: note, left (it begins there), name
    links    name → `chapter`, or `chapter#eq-2`, where the reader learns about it
    grid     rows of names and dots, see `diagram_grid.parse`
    phone    the grid of a phone, where the one that `diagram_grid.narrowed` makes of
             the wide one is not good enough
    arrows   see `diagram_routes.arrows`
    groups   `label | names | end | into`: a grey ground under the boxes of these
             names; end: its label is on the right; into: a box that is all of them,
             concatenated
    omits    `a -> b, c -> d | why`: true arrows that are left out; why is printed
    unboxed  `path, path | why`: modules with parameters that have no box of their own
    says     name without its digits → what it is, for boxes without a label
    numbers  name → the numbers of its bars
    weights  "a b" → the width of the arrow from a to b, between 0 and 1
    over     a finer panel of the same machine, instead of a grid: each box stands where
             that panel has one of this name, or covers several
    covers   name → the names in `over` on whose ground the box stands
    """

    boxes: str
    grid: str = ""
    arrows: str = ""
    phone: str = ""
    title: str = ""
    note: str = ""
    groups: str = ""
    omits: str = ""
    unboxed: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, ArrayLike] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    gap: float = GAP
    over: "Panel | None" = None
    covers: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def table(self) -> dict[str, Box]:
        return table(self.boxes)

    @cached_property
    def lines(self) -> list[Arrow]:
        found = arrows(self.arrows, self.weights)
        unknown = [
            name
            for arrow in found
            for name in (arrow.start, arrow.end)
            if whole(name) not in self.table
        ]
        if unknown:
            raise ValueError(f"an arrow names {unknown[0]}, which is no box")
        return found

    @cached_property
    def claims(self) -> Claims:
        bound = {n: box for n, box in self.table.items() if box.role not in NOTES}
        kinds = {"learned": True, "op": False, "plus": False, "times": False}
        pairs = [(whole(a.start), whole(a.end)) for a in self.lines]
        pairs += [(name, group.into) for group in self.grounds for name in group.names]
        return Claims(
            {
                n: (b.address, b.shape, kinds.get(b.role), self._covered(n))
                for n, b in bound.items()
            },
            frozenset(p for p in pairs if p[0] in bound and p[1] in bound),
            frozenset(
                (start.strip(), end.strip())
                for each, _ in _reasons(self.omits)
                for start, _, end in [each.partition("->")]
            ),
            frozenset(each for each, _ in _reasons(self.unboxed)),
        )

    def _covered(self, name: str) -> tuple[str, ...]:
        if not self.over or name not in self.covers:
            return ()
        return tuple(self.over.table[n].address for n in self.covers[name].split())

    @property
    def reasons(self) -> list[str]:
        """List why arrows and modules are left out, each reason once."""
        both = _reasons(self.omits) + _reasons(self.unboxed)
        return list(dict.fromkeys(why for _, why in both if why))

    def sentences(self) -> list[str]:
        """List the arrows in words, for a screen reader."""
        names = _spoken(self.table, self.says)
        goes: dict[str, list[str]] = {}
        for arrow in self.lines:
            goes.setdefault(whole(arrow.start), []).append(names[whole(arrow.end)])
        for group in self.grounds:
            for name in group.names if group.into else ():
                goes.setdefault(name, []).append(names[group.into])
        goes = {start: list(dict.fromkeys(ends)) for start, ends in goes.items()}
        return [f"{names[start]} → {', '.join(ends)}" for start, ends in goes.items()]

    def layout(self, narrow: bool) -> Layout:
        """Place the boxes, and make room for the groups around them."""
        if self.over:
            return self._placed_over(self.over, self.over.layout(narrow))
        numbers = {n: np.asarray(v, dtype=float) for n, v in self.numbers.items()}
        grid = parse(self.phone if narrow and self.phone else self.grid)
        if narrow and not self.phone:
            grid = narrowed(grid, self.table, numbers)
        gap = min(self.gap, NARROW_GAP) if narrow else self.gap
        top = HEAD if self.title else MARGIN
        layout = place(self.table, grid, numbers, top=top, gap=gap, narrow=narrow)
        for _, edges in self._edges(layout):
            layout.width = max(layout.width, edges[2] + 8)
            layout.height = max(layout.height, edges[3] + 4)
        return layout

    def _placed_over(self, over: "Panel", finer: Layout) -> Layout:
        """Place each box where the finer panel has what it stands for.

        A box that covers others takes their ground, with that of their groups.
        """
        layout = Layout({}, finer.width, finer.height)
        grounds = over._edges(finer)
        for name, box in self.table.items():
            each = measured(box, {})
            if name in self.covers:
                inside = set(self.covers[name].split())
                edges = [finer.places[part].extent for part in inside]
                edges += [e for group, e in grounds if inside.issuperset(group.names)]
                left, top, right, bottom = around(edges)
                each.width, each.height = right - left, bottom - top
                each.x, each.y = (left + right) / 2, (top + bottom) / 2
            else:
                each.x, each.y = finer.places[name].x, finer.places[name].y
            layout.places[name] = each
        layout.finer = finer.places
        return layout

    @cached_property
    def grounds(self) -> list["Group"]:
        """Parse the groups. Raises ValueError for one that names no box."""
        found = []
        for row in filter(str.strip, self.groups.splitlines()):
            cells = [cell.strip() for cell in row.split("|")]
            label, names, side, into = (*cells, "", "")[:4]
            found.append(Group(label, tuple(names.split()), side, into))
            unknown = [n for n in (*names.split(), into) if n and n not in self.table]
            if unknown:
                raise ValueError(f"a group names {unknown[0]}, which is no box")
        return found

    def _edges(self, layout: Layout) -> list[tuple["Group", Edges]]:
        """Find the groups of which something is drawn, each with its edges.

        A group with others inside it goes closely around their grounds.
        """
        found: list[tuple[Group, Edges]] = []
        for group in self.grounds:
            here = [layout.places[n].extent for n in group.names if n in layout.places]
            if here:
                inside = [
                    edges
                    for other, edges in found
                    if set(other.names) < set(group.names)
                ]
                left, top, right, bottom = around(here + inside)
                head = 20 if group.label else 0
                if inside:
                    edges = left, top - 4 - head, right, bottom + 6
                else:
                    edges = left - 7, top - 10 - head, right + 7, bottom + 10
                found.append((group, edges))
        return found

    def draw(self, layout: Layout, width: float) -> tuple[str, str]:
        """Write the SVG of what is no link, and of what is one."""
        parts = [glyphs.heading(self.title, self.note, width)]
        parts += [glyphs.group(edges, group.label, group.side)
                  for group, edges in reversed(self._edges(layout))]  # fmt: skip
        parts += [self._arrow(arrow, layout) for arrow in self.lines]
        links, spoken = [], _spoken(self.table, self.says)
        for name, each in layout.places.items():
            values = self.numbers.get(name)
            drawn = glyphs.glyph(each, None if values is None else np.asarray(values))
            drawn = f'<g data-part="{_part(name)}">{drawn}</g>'
            if name in self.links:
                target = html.escape(f"lookback:{self.links[name]}")
                label = html.escape(spoken[name])
                links.append(f'<a href="{target}" aria-label="{label}">{drawn}</a>')
            else:
                parts.append(drawn)
        return "".join(parts), "".join(links)

    def _arrow(self, arrow: Arrow, layout: Layout) -> str:
        """Draw an arrow whose ends are there. Raises ValueError if it crosses a box."""
        ends = whole(arrow.start), whole(arrow.end)
        if not set(ends) <= set(layout.places):
            return ""
        a = _met(layout, arrow.start, starts=True)
        b = _met(layout, arrow.end, starts=False)
        trunk = any(e.how == "=>" and e.start == arrow.start for e in self.lines)
        way = route(arrow, a, b, trunk)
        over = crossed(way, layout.places, ends)
        if over:
            raise ValueError(f"{arrow.start} -> {arrow.end} runs over {over}")
        return glyphs.arrow(arrow, way)


@dataclass(frozen=True)
class Group:
    """Hold boxes on one grey ground; `into`: the box that they are together, if any."""

    label: str
    names: tuple[str, ...]
    side: str
    into: str


def around(edges: Sequence[Edges]) -> Edges:
    """Find the edges of all of these together."""
    left, top, right, bottom = zip(*edges, strict=True)
    return min(left), min(top), max(right), max(bottom)


def whole(name: str) -> str:
    """Return the box of which `alpha.2` is a cell."""
    return name.partition(".")[0]


def _part(name: str) -> str:
    """Name a box for formulas: `h2` alone, and as one of all `h`."""
    stem = name.rstrip("0123456789")
    return name if stem == name else f"{name} {stem}"


def _met(layout: Layout, name: str, *, starts: bool) -> Placed:
    """Find the box, or the cell, that an arrow meets.

    `box.part`: above a part that the box covers, or where it ends, at its height.
    """
    box, _, cell = name.partition(".")
    each = layout.places[box]
    if part := layout.finer.get(cell):
        if starts:
            return Placed(each.box, part.width, each.height, [], x=part.x, y=each.y)
        return Placed(each.box, each.width, part.height, [], x=each.x, y=part.y)
    return each.part(int(cell)) if cell else each


def _reasons(text: str) -> list[tuple[str, str]]:
    """Parse `a, b | why` into (a, why), (b, why)."""
    return [
        (each.strip(), row.partition("|")[2].strip())
        for row in text.splitlines()
        for each in row.partition("|")[0].split(",")
        if each.strip()
    ]


def _spoken(boxes: Mapping[str, Box], says: Mapping[str, str]) -> dict[str, str]:
    """Name each box for a screen reader; equal names are numbered."""
    signs = {"plus": "sum", "times": "product"}
    said = {
        n: says.get(n.rstrip("0123456789")) or plain(b.label) or signs.get(b.role, n)
        for n, b in boxes.items()
    }
    every = list(said.values())
    seen: dict[str, int] = {}
    for name, word in said.items():
        if every.count(word) > 1:
            seen[word] = seen.get(word, 0) + 1
            said[name] = f"{word} ({seen[word]})"
    return said


class Diagram:
    """Draw panels beside each other, or one under the other where there is no room.

    panels  what is drawn
    about   what it is checked against, as source links `module:Name`
    left    what else is left out, in words, printed under the drawing
    """

    def __init__(
        self,
        *panels: Panel,
        about: Sequence[str] = (),
        left: str = "",
    ) -> None:
        if not panels:
            raise ValueError("a diagram needs a panel")
        self.panels, self.about, self.left = panels, about, left

    def forms(self) -> list[str]:
        """Draw one <svg> where it fits on a phone, else a wide and a narrow one.

        Raises ValueError where it is too wide for either.
        """
        layouts = [panel.layout(False) for panel in self.panels]
        if len(layouts) == 1 and layouts[0].width <= NARROW:
            return [self._svg(layouts, False, "")]
        across = sum(each.width for each in layouts) + BETWEEN * (len(layouts) - 1)
        narrow = [
            each if each.width <= NARROW else panel.layout(True)
            for panel, each in zip(self.panels, layouts, strict=True)
        ]
        return [
            self._svg(layouts, across <= WIDE, "wide"),
            self._svg(narrow, False, "narrow"),
        ]

    def _svg(self, layouts: Sequence[Layout], beside: bool, form: str) -> str:
        """Write the panels into one <svg>, beside each other or stacked."""
        widths = [each.width for each in layouts]
        wide = sum(widths) + BETWEEN * (len(widths) - 1) if beside else max(widths)
        most = NARROW if form == "narrow" else WIDE
        if round(wide) > most:
            raise ValueError(f"the drawing is {wide:.0f} px wide, above {most:.0f}")
        tall = max(each.height for each in layouts)
        x = y = 0.0
        hidden, links = [], []
        for panel, each in zip(self.panels, layouts, strict=True):
            width, height = (each.width, tall) if beside else (wide, each.height)
            move = f' transform="translate({number(x)} {number(y)})"' if x or y else ""
            several = len(layouts) > 1
            ground = glyphs.rect((0, 0, width, height), 8, "g") if several else ""
            drawn, linked = panel.draw(each, width)
            hidden.append(f"<g{move}>{ground}{drawn}</g>")
            links.append(f"<g{move}>{linked}</g>" if linked else "")
            x, y = (x + width + BETWEEN, y) if beside else (x, y + height + BETWEEN)
        height = tall if beside else y - BETWEEN
        kind = f' class="lb-diagram-{form}"' if form else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg"{kind} '
            f'width="{number(wide)}" height="{number(height)}" '
            f'viewBox="0 0 {number(wide)} {number(height)}">'
            f'<g aria-hidden="true">{"".join(hidden)}</g>{"".join(links)}</svg>'
        )

    def _repr_figure_(self) -> str:
        """Write the HTML of a page: the engine resolves its links."""
        items = "".join(
            f"<li>{html.escape(each, quote=False)}</li>"
            for panel in self.panels
            for each in panel.sentences()
        )
        return (
            f'<div class="lb-diagram">{"".join(self.forms())}'
            f'<ul class="lb-unseen" data-search-exclude="">{items}</ul>'
            f"{self._key()}</div>"
        )

    def _key(self) -> str:
        """Write what the drawing leaves out, and a mark for each run it matches."""
        why = [each for panel in self.panels for each in panel.reasons]
        why = list(dict.fromkeys([*why, *([self.left] if self.left else [])]))
        left = html.escape("; ".join(why), quote=False)
        first = f"To keep it simple, it leaves out: {left}. " if why else ""
        text = (first + " ".join(map(_mark, self.about))).strip()
        return f'<p class="lb-diagram-key">{text}</p>' if text else ""

    def _repr_html_(self) -> str:
        """Write the HTML of a notebook: with its own style, and no links."""
        inside = re.sub(
            r'<a href="lookback:[^>]*>(.*?)</a>', r"\1", self._repr_figure_()
        )
        style = STYLE.read_text(encoding="utf-8")
        ground = "container-type:inline-size"
        return f'<style>{style}</style><div style="{ground}">{inside}</div>'

    def __repr__(self) -> str:
        said = [s for panel in self.panels for s in panel.sentences()]
        return "\n".join(said)


def _mark(source: str) -> str:
    """Write a tick that says what the drawing was compared with, and leads there."""
    name = html.escape(source.partition(":")[2])
    said = f"Drawn as {name} runs: both are compared whenever the site is made"
    return (
        f'<a href="lookback:source:{html.escape(source)}" title="{said}" '
        f'aria-label="{said}">✓</a>'
    )
