"""Drawings without what nobody sees: names that nobody uses, empty groups, long paths.

A chapter has some twenty drawings, each in two widths; what matplotlib writes around
their lines is half of them.
"""

import re
import xml.etree.ElementTree as ET
from collections import Counter

USED = re.compile(r"(?:-(?:axes|gold|legend|xtick|patch)_\d*)")
"""Parts of a map that docs/live/map.js finds by their names."""

_LEVEL = re.compile(r"rotate\(-?0 [^)]*\)")
_STEP = re.compile(r"[A-Za-z]|-?\d+(?:\.\d+)?")
_STRAIGHT = re.compile(r"[MLz\d\s.-]*", re.IGNORECASE)
_TICK = re.compile(r"M0 0([hv]-?[\d.]+)")
_STROKE = re.compile(r"M-?[\d.]+[ -][\d.]+[hv]-?[\d.]+")
_SHARE = re.compile(r"(?<=opacity: )0?(\.\d+)")
_CELL = re.compile(r"(M[-\d. ]+(?:[hv]-?[\d.]+){3})[hv]-?[\d.]+")
TENTH = 0.05  # points; half of what a coordinate is rounded to


def lighten(root: ET.Element) -> None:
    """Make a drawing smaller in place; it looks the same to a tenth of a point."""
    for element in root.iter():
        if "d" in element.attrib:
            element.set("d", shorter(element.get("d", "")))
        if "opacity" in element.get("style", ""):
            element.set("style", _SHARE.sub(_hundredths, element.get("style", "")))
        if _LEVEL.fullmatch(element.get("transform", "")):
            del element.attrib["transform"]
        if element.tag not in ("text", "tspan", "title", "desc"):
            element.text = None
        element.tail = None
    meshes = [group for group in root.iter() if group.get("shape-rendering")]
    for mesh in meshes:
        _lighten_mesh(mesh)
    _unname(root, bool(meshes))
    _unwrap(root)
    _join_strokes(root)
    _unname(root, bool(meshes))
    _unwrap(root)
    _share_type(root)


def shorter(path: str) -> str:
    """A path of straight lines, each step from where the last one ended.

    >>> shorter("M 1 2 L 4.5 2 L 4.5 3.25 L 1 3.25 L 1 2 z")
    'M1 2h3.5v1.2h-3.5z'
    """
    if not _STRAIGHT.fullmatch(path):
        return path
    steps: list[str] = []
    command, at, start = "", (0.0, 0.0), (0.0, 0.0)
    found = _STEP.findall(path)
    while found:
        if found[0].isalpha():
            command = found.pop(0).upper()
        if command == "Z":
            if steps[-1] != "z":
                steps.append("z")
            at = start
            continue
        to = round(float(found.pop(0)), 1), round(float(found.pop(0)), 1)
        closes = to == start and (not found or found[0] in "zZ") and len(steps) > 2
        if command == "M":
            steps.append(f"M{_text(to[0])} {_text(to[1])}")
            start = to
        elif closes and found:  # z draws this line
            pass
        else:
            steps.append(_line(to[0] - at[0], to[1] - at[1]))
        at = to
    return "".join(steps).replace(" -", "-")


def _line(right: float, down: float) -> str:
    if abs(down) < TENTH:
        return f"h{_text(right)}"
    if abs(right) < TENTH:
        return f"v{_text(down)}"
    return f"l{_text(right)} {_text(down)}"


def _text(number: float) -> str:
    text = f"{number:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _hundredths(share: re.Match[str]) -> str:
    """A share of one to two digits: the colour maps have 48 steps."""
    return f"{float(share[1]):.2f}".removeprefix("0")


def _lighten_mesh(mesh: ET.Element) -> None:
    """Cells that show something, three sides of each; their common colour told once."""
    mesh.attrib.pop("clip-path", None)
    for cell in list(mesh):
        cell.attrib.pop("clip-path", None)
        if "fill: none" in cell.get("style", ""):
            mesh.remove(cell)
    fills = Counter(_style(cell).get("fill") for cell in mesh)
    common = next((fill for fill, _ in fills.most_common(1) if fill), "")
    if common:
        mesh.set("style", f"fill: {common}")
    for cell in mesh:
        style = _style(cell)
        if "stroke" not in style and (sides := _CELL.fullmatch(cell.get("d", ""))):
            cell.set("d", sides[1])
        if style.get("fill") == common:
            del style["fill"]
        _set_style(cell, style)


def _unname(root: ET.Element, is_map: bool) -> None:
    """Only what is pointed at keeps its name, and what the script of maps looks for."""
    markup = ET.tostring(root, encoding="unicode")
    linked = set(re.findall(r'(?:href="#|url\(#)([^")]+)', markup))
    for parent in list(root.iter()):
        for element in list(parent):
            name = element.get("id", "")
            if not name or name in linked or (is_map and USED.search(name)):
                continue
            if parent.tag == "defs":
                parent.remove(element)
            else:
                del element.attrib["id"]


def _unwrap(parent: ET.Element) -> None:
    """Groups that hold nothing go, and those that say nothing of what they hold."""
    children: list[ET.Element] = []
    for child in list(parent):
        _unwrap(child)
        if child.tag not in ("g", "defs"):
            children.append(child)
        elif len(child) and not child.attrib and child.tag == "g":
            children += list(child)
        elif len(child) or child.get("id"):
            children.append(child)
    parent[:] = children


def _join_strokes(root: ET.Element) -> None:
    """Ticks, and the lines of a grid: those of one look become one path.

    Only while nothing is drawn between them that they could cover.
    """
    ticks = {
        f"#{shape.get('id')}": (found[1], shape.get("style", ""))
        for defs in root.iter("defs")
        for shape in defs
        if (found := _TICK.fullmatch(shape.get("d", "")))
    }
    for parent in list(root.iter("g")):
        first: dict[tuple[tuple[str, str], ...], ET.Element] = {}
        for child in list(parent):
            if child.tag in ("text", "defs"):
                continue
            stroke = _as_stroke(child, ticks)
            if stroke is None:
                first = {}
                continue
            look = tuple(sorted((k, v) for k, v in stroke.items() if k != "d"))
            if look in first:
                first[look].set("d", first[look].get("d", "") + stroke["d"])
                parent.remove(child)
            else:
                child.tag, child.attrib = "path", stroke
                first[look] = child


def _as_stroke(
    element: ET.Element, ticks: dict[str, tuple[str, str]]
) -> dict[str, str] | None:
    """The attributes of a level or upright line as a path; None for anything else."""
    if element.tag == "use" and element.get("href") in ticks:
        step, style = ticks[element.get("href", "")]
        x, y = (_text(float(element.get(name, "0"))) for name in "xy")
        return {"d": f"M{x} {y}{step}", "style": style}
    if element.tag == "path" and _STROKE.fullmatch(element.get("d", "")):
        return (
            dict(element.attrib) if "fill: none" in element.get("style", "") else None
        )
    return None


def _share_type(root: ET.Element) -> None:
    """The type that most words are set in is told once, for the whole drawing."""
    words = [(element, _style(element)) for element in root.iter("text")]
    shared = {}
    for name in ("font-family", "font-size"):
        values = Counter(style.get(name, "") for _, style in words)
        if values and "" not in values:
            shared[name] = values.most_common(1)[0][0]
    for element, style in words:
        for name, value in {**shared, "text-anchor": "start"}.items():
            if style.get(name) == value:
                del style[name]
        _set_style(element, style)
    told = [f"{name}:{value}" for name, value in shared.items()]
    if told:
        root.set("style", ";".join([*filter(None, [root.get("style")]), *told]))


def _style(element: ET.Element) -> dict[str, str]:
    parts = (part.partition(":") for part in element.get("style", "").split(";"))
    return {name.strip(): value.strip() for name, _, value in parts if name.strip()}


def _set_style(element: ET.Element, style: dict[str, str]) -> None:
    element.attrib.pop("style", None)
    if style:
        element.set("style", "; ".join(f"{k}: {v}" for k, v in style.items()))
