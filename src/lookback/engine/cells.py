"""The cells of a map: told by column and row, a path for each share of its colour."""

import re
import xml.etree.ElementTree as ET
from collections import Counter

from .paths import TENTH, set_style, style_of, tenths

_CELL = re.compile(
    r"M(-?[\d.]+) ?(-?[\d.]+)"  # where it begins; then a side and the next
    r"(?:h(-?[\d.]+)v(-?[\d.]+)h-?[\d.]+|v(-?[\d.]+)h(-?[\d.]+)v-?[\d.]+)[hv]-?[\d.]+"
)
STEPS = 40  # a row of so many cells may be a bar


def lighten_cells(mesh: ET.Element) -> None:
    """Cells that show something; their common colour told once, and each share."""
    mesh.attrib.pop("clip-path", None)
    for cell in mesh:
        cell.attrib.pop("clip-path", None)
    _count_cells(mesh)
    if _fade(mesh):
        return
    looks: dict[str, ET.Element] = {}
    for cell in list(mesh):
        look = cell.get("style", "")
        if "fill: none" in look or look in looks:
            mesh.remove(cell)
        if look in looks:
            looks[look].set("d", looks[look].get("d", "") + cell.get("d", ""))
        else:
            looks[look] = cell
    fills = Counter(style_of(cell).get("fill") for cell in mesh)
    common = next((fill for fill, _ in fills.most_common(1) if fill), "")
    if common:
        mesh.set("style", f"fill: {common}")
    for cell in mesh:
        style = style_of(cell)
        if style.get("fill") == common:
            del style["fill"]
        set_style(cell, style)


def _count_cells(mesh: ET.Element) -> None:
    """Cells of one size and without a frame are told by their column and row."""
    found = [_CELL.fullmatch(cell.get("d", "")) for cell in mesh]
    cells = [tuple(map(float, filter(None, cell.groups()))) for cell in found if cell]
    framed = any("stroke:" in cell.get("style", "") for cell in mesh)
    if not cells or len(cells) < len(mesh) or framed:
        return
    across, down = (3, 2) if found[0] and found[0][5] else (2, 3)
    columns = _even([(cell[0], cell[across]) for cell in cells])
    rows = _even([(cell[1], cell[down]) for cell in cells])
    if columns is None or rows is None:
        return
    (left, wide), (top, tall) = columns, rows
    corner = f"translate({tenths(left)} {tenths(top)})"
    mesh.set("transform", f"{corner} scale({wide:.3f} {tall:.3f})")
    for element, (x, y, *_) in zip(mesh, cells, strict=True):
        column, row = round((x - left) / wide), round((y - top) / tall)
        element.set("d", f"M{column} {row}h1v1h-1")


def _fade(mesh: ET.Element) -> bool:
    """The bar of a map, a row of cells each darker than the last, as one that fades.

    False for any other mesh, which stays as it is.
    """
    styles = [style_of(cell) for cell in mesh]
    shares = [float(style.get("fill-opacity", 1)) for style in styles]
    fills = {style.get("fill", "none") for style in styles} - {"none"}
    rows = {cell.get("d", "").partition("h")[0].split()[-1] for cell in mesh}
    n, even = len(mesh), "transform" in mesh.attrib
    fades = all(
        style.get("fill") == "none" or abs(share - (i + 0.5) / n) < 1.5 / n
        for i, (style, share) in enumerate(zip(styles, shares, strict=True))
    )
    if not even or n < STEPS or len(rows) not in (1, n) or len(fills) != 1 or not fades:
        return False
    upright, fill = len(rows) == n, fills.pop()
    name = f"{mesh.get('id', '')}-fade"
    way = {"x2": "0", "y2": "1"} if upright else {}
    definition = ET.Element("defs")
    fade = ET.SubElement(definition, "linearGradient", {"id": name, **way})
    ET.SubElement(fade, "stop", {"stop-color": fill, "stop-opacity": "0"})
    ET.SubElement(fade, "stop", {"offset": "1", "stop-color": fill})
    shape = f"M0 0h1v{n}h-1" if upright else f"M0 0h{n}v1h-{n}"
    mesh[:] = [definition, ET.Element("path", d=shape, style=f"fill: url(#{name})")]
    mesh.set("style", f"fill: {fill}")
    return True


def _even(sides: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Where the first cell begins, and the way to the next; None if ways differ.

    sides  for each cell: where a side begins, and its length, negative for a way back
    """
    places = sorted({start for start, _ in sides}, reverse=sides[0][1] < 0)
    way = sides[0][1]
    if len(places) > 1:
        way = (places[-1] - places[0]) / (len(places) - 1)
    off = [abs(places[0] + i * way - place) for i, place in enumerate(places)]
    off += [abs(length - way) for _, length in sides]
    if max(off) > 2 * TENTH + 1e-6:  # both ends were rounded
        return None
    return places[0], way
