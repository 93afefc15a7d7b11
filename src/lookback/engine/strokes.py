"""Ticks, the lines of a grid and marks of a drawing: what they share is told once."""

import re
import xml.etree.ElementTree as ET

from .paths import set_style, style_of, tenths

_AXIS = re.compile(r"-[xy]tick_")
_TICK = re.compile(r"M0 0([hv]-?[\d.]+)")
_STROKE = re.compile(r"M-?[\d.]+[ -][\d.]+[hv]-?[\d.]+")


def gather_ticks(root: ET.Element) -> None:
    """The ticks of an axis that keep a name, one group each: they get one for all."""
    for parent in list(root.iter()):
        first, axis = None, ""
        for child in list(parent):
            found = _AXIS.search(child.get("id", ""))
            if first is not None and found and found[0] == axis:
                first.extend(list(child))
                parent.remove(child)
            else:
                first, axis = child, found[0] if found else ""


def join_strokes(root: ET.Element) -> None:
    """Ticks, and the lines of a grid: those of one look become one path.

    Only while nothing is drawn between them that they could cover.
    """
    ticks = {
        f"#{shape.get('id')}": (found[1], shape.get("style", ""))
        for defs in root.iter("defs")
        for shape in defs
        if (found := _TICK.fullmatch(shape.get("d", "")))
    }
    for parent in [group for group in root.iter() if group.tag in ("g", "svg")]:
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
        x, y = (tenths(float(element.get(name, "0"))) for name in "xy")
        return {"d": f"M{x} {y}{step}", "style": style}
    if element.tag == "path" and _STROKE.fullmatch(element.get("d", "")):
        return (
            dict(element.attrib) if "fill: none" in element.get("style", "") else None
        )
    return None


def share_marks(root: ET.Element) -> None:
    """What all marks of one shape are painted with is told where the shape is."""
    for shape in [shape for defs in root.iter("defs") for shape in defs]:
        name = f"#{shape.get('id')}"
        marks = [mark for mark in root.iter("use") if mark.get("href") == name]
        if len({mark.get("style") for mark in marks}) == 1:
            set_style(shape, style_of(marks[0]) | style_of(shape))
            for mark in marks:
                mark.attrib.pop("style", None)
