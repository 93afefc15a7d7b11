"""Diagrams of machines, drawn from tables: what there is, where, and what reads what.

A `Panel` is one drawing; a `Diagram` holds one or several, and shows itself as SVG in
two variants, wide and for a phone. Whether it tells the truth is not known here: the
`claims` of a diagram are held against a run of the machine, in `lookback.measure`.
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from lookback.figures import diagram_glyphs as glyphs
from lookback.figures.diagram_grid import (
    MARGIN,
    NOTES,
    Box,
    Layout,
    Placed,
    place,
    table,
)
from lookback.figures.diagram_routes import Arrow, arrows, crossed, route
from lookback.figures.diagram_style import STYLE
from lookback.figures.diagram_text import most_common_type, number, plain

WIDE, NARROW = 640.0, 332.0  # the most that a variant may be
HEAD, BETWEEN = 44.0, 18.0

Pair = tuple[str, str]
Edges = tuple[float, float, float, float]


@dataclass(frozen=True)
class Claims:
    """What a diagram says, to be held against a run.

    boxes    name → (address, shape, learned); learned is None where nothing is claimed
    arrows   from name to name;  omits  true ones that are left out on purpose
    unboxed  modules with parameters that have no box
    """

    boxes: Mapping[str, tuple[str, str, bool | None]]
    arrows: frozenset[Pair]
    omits: frozenset[Pair]
    unboxed: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One drawing.

    boxes    a row for each: `name | role and options | label | address | shape`.
             Roles: learned, op, plus, times, strip, cells, bar, word; and, for words
             that stand for nothing that runs: note, left (it begins there), name
    links    name → `chapter`, or `chapter#eq-2`, where the reader learns about it
    grid     rows of names and dots, see `diagram_grid.place`; phone: that of a phone
    arrows   see `diagram_routes.arrows`
    groups   `label | names | side | into`: a grey ground under the boxes of these
             names; into: a box that is all of them, concatenated
    omits    `a -> b, c -> d | why`: true arrows that are left out; why is printed
    unboxed  `path, path | why`: modules with parameters that have no box of their own
    says     name without its digits → what it is, for boxes without a label
    numbers  name → the numbers in the cells, or of the bar
    weights  "a b" → the width of the arrow from a to b, between 0 and 1
    """

    boxes: str
    grid: str
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
    gap: float = 24.0
    phone_gap: float = 18.0

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
            {n: (b.address, b.shape, kinds.get(b.role)) for n, b in bound.items()},
            frozenset(p for p in pairs if p[0] in bound and p[1] in bound),
            frozenset(
                (start.strip(), end.strip())
                for each, _ in _reasons(self.omits)
                for start, _, end in [each.partition("->")]
            ),
            frozenset(each for each, _ in _reasons(self.unboxed)),
        )

    @property
    def reasons(self) -> list[str]:
        """Why something is left out, each once."""
        both = _reasons(self.omits) + _reasons(self.unboxed)
        return list(dict.fromkeys(why for _, why in both if why))

    def sentences(self) -> list[str]:
        """What the arrows say, for those who do not see them."""
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
        grid = self.phone if narrow and self.phone else self.grid
        top = HEAD if self.title else MARGIN
        numbers = {n: np.asarray(v, dtype=float) for n, v in self.numbers.items()}
        gap = self.phone_gap if narrow else self.gap
        layout = place(
            self.table, grid, numbers, top=top, gap=gap, cell=12 if narrow else 15
        )
        for group, edges in self._edges(layout):
            reach = edges[2] + (34 if group.side == "right" else 0) + 8
            layout.width = max(layout.width, reach)
            layout.height = max(layout.height, edges[3] + 4)
        return layout

    @cached_property
    def grounds(self) -> list["Group"]:
        """The groups. Raises ValueError for one that names no box."""
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
        """The groups of which something is drawn, each with its edges."""
        found = []
        for group in self.grounds:
            here = [layout.places[n].extent for n in group.names if n in layout.places]
            if here:
                left, top = min(e[0] for e in here), min(e[1] for e in here)
                right, bottom = max(e[2] for e in here), max(e[3] for e in here)
                head = 20 if group.label and group.side not in ("left", "right") else 0
                edges = left - 7, top - 10 - head, right + 7, bottom + 10
                found.append((group, edges))
        return found

    def _most(self, name: str) -> float:
        """The largest number of the boxes whose names differ in their digits alone."""
        stem = name.rstrip("0123456789")
        like = [v for n, v in self.numbers.items() if n.rstrip("0123456789") == stem]
        return max(float(np.abs(np.asarray(each)).max()) for each in like) or 1.0

    def draw(self, layout: Layout, width: float) -> tuple[str, str]:
        """SVG of what is no link, and of what is one."""
        parts = [glyphs.heading(self.title, self.note, width)]
        parts += [glyphs.group(edges, group.label, group.side)
                  for group, edges in self._edges(layout)]  # fmt: skip
        trunks = {a.start for a in self.lines if a.how == "=>"}
        for arrow in self.lines:
            ends = whole(arrow.start), whole(arrow.end)
            if set(ends) <= set(layout.places) and not arrow.unseen:
                a, b = (_met(layout, name) for name in (arrow.start, arrow.end))
                way = route(arrow, a, b, arrow.start in trunks)
                over = crossed(way, layout.places, ends)
                if over:
                    raise ValueError(f"{arrow.start} -> {arrow.end} runs over {over}")
                parts.append(glyphs.arrow(arrow, way))
        links, spoken = [], _spoken(self.table, self.says)
        for name, each in layout.places.items():
            values = self.numbers.get(name)
            drawn = (
                glyphs.glyph(each)
                if values is None
                else glyphs.glyph(each, np.asarray(values), self._most(name))
            )
            if name in self.links:
                target = glyphs.escaped(f"lookback:{self.links[name]}")
                said = glyphs.escaped(spoken[name])
                links.append(f'<a href="{target}" aria-label="{said}">{drawn}</a>')
            else:
                parts.append(drawn)
        return "".join(parts), "".join(links)


@dataclass(frozen=True)
class Group:
    """Boxes on one grey ground; `into`: the box that they are together, if any."""

    label: str
    names: tuple[str, ...]
    side: str
    into: str


def whole(name: str) -> str:
    """The box of which `alpha.2` is a cell."""
    return name.partition(".")[0]


def _met(layout: Layout, name: str) -> Placed:
    """The box, or the cell, that an arrow meets."""
    box, _, cell = name.partition(".")
    each = layout.places[box]
    return each.part(int(cell)) if cell else each


def _reasons(text: str) -> list[tuple[str, str]]:
    """`a, b | why` → (a, why), (b, why)."""
    return [
        (each.strip(), row.partition("|")[2].strip())
        for row in text.splitlines()
        for each in row.partition("|")[0].split(",")
        if each.strip()
    ]


def _spoken(boxes: Mapping[str, Box], says: Mapping[str, str]) -> dict[str, str]:
    """A name for each box that can be said; equal ones are numbered."""
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
    """Panels beside each other, or one under the other where there is no room.

    panels  what is drawn
    about   what it was held against, as source links `module:Name`
    left    what else is left out, in words, printed under the drawing
    scale   of the drawing, which holds no text then
    stack   one panel under the other on wide screens, too
    """

    def __init__(
        self,
        *panels: Panel,
        about: Sequence[str] = (),
        left: str = "",
        stack: bool = False,
        scale: float = 1.0,
    ) -> None:
        if not panels:
            raise ValueError("a diagram needs a panel")
        self.panels, self.about, self.left, self.stack = panels, about, left, stack
        self.scale = scale

    def svg(self, narrow: bool) -> str:
        """One variant as an <svg> element. Raises ValueError where it is too wide."""
        most = NARROW if narrow else WIDE
        layouts = [panel.layout(narrow) for panel in self.panels]
        beside = not self.stack and not narrow
        across = sum(each.width for each in layouts) + BETWEEN * (len(layouts) - 1)
        beside = beside and across <= most
        wide = across if beside else max(each.width for each in layouts)
        if wide > most:
            kind = "phone" if narrow else "wide"
            raise ValueError(
                f"the {kind} variant is {wide:.0f} px wide, above {most:.0f}"
            )
        tall = max(each.height for each in layouts)
        x = y = 0.0
        hidden, links = [], []
        for panel, each in zip(self.panels, layouts, strict=True):
            width = each.width if beside else wide
            move = f' transform="translate({number(x)} {number(y)})"' if x or y else ""
            height = tall if beside else each.height
            ground = (
                f'<rect width="{number(width)}" height="{number(height)}" rx="8" '
                'class="g"/>'
                if len(self.panels) > 1
                else ""
            )
            drawn, linked = panel.draw(each, width)
            hidden.append(f"<g{move}>{ground}{drawn}</g>")
            links.append(f"<g{move}>{linked}</g>" if linked else "")
            x, y = (x + width + BETWEEN, y) if beside else (x, y + height + BETWEEN)
        height = tall if beside else y - BETWEEN
        size = f"{number(wide)} {number(height)}"
        name = "narrow" if narrow else "wide"
        body = f'<g aria-hidden="true">{"".join(hidden)}</g>{"".join(links)}'
        type_, body = most_common_type(body)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="lb-diagram-{name}"{type_} '
            f'width="{number(wide * self.scale)}" '
            f'height="{number(height * self.scale)}" viewBox="0 0 {size}">{body}</svg>'
        )

    def _repr_figure_(self) -> str:
        """HTML for a page: the engine resolves its links and adds the words for it."""
        said = [s for panel in self.panels for s in panel.sentences()]
        items = "".join(f"<li>{html.escape(each, quote=False)}</li>" for each in said)
        return (
            f'<div class="lb-diagram">{self.svg(False)}{self.svg(True)}'
            f'<ul class="lb-unseen" data-search-exclude="">{items}</ul>'
            f"{self._key()}</div>"
        )

    def _key(self) -> str:
        """What the drawing was held against, and what it leaves out."""
        links = ", ".join(
            f'<a href="lookback:source:{html.escape(each)}"><code>'
            f"{html.escape(each.partition(':')[2])}</code></a>"
            for each in self.about
        )
        why = [each for panel in self.panels for each in panel.reasons]
        why = list(dict.fromkeys([*why, *([self.left] if self.left else [])]))
        first = f"Held against a run of {links}." if links else ""
        rest = f" Not drawn: {html.escape('; '.join(why), quote=False)}." if why else ""
        text = (first + rest).strip()
        return f'<p class="lb-diagram-key">{text}</p>' if text else ""

    def _repr_html_(self) -> str:
        """HTML for a notebook: with its own style, and no links."""
        inside = _without_links(self._repr_figure_())
        ground = "container-type:inline-size"
        return f'<style>{STYLE}</style><div style="{ground}">{inside}</div>'

    def __repr__(self) -> str:
        said = [s for panel in self.panels for s in panel.sentences()]
        return "\n".join(said)


def _without_links(markup: str) -> str:
    return re.sub(r'<a href="lookback:[^>]*>(.*?)</a>', r"\1", markup)
