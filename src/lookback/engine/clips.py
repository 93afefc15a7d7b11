"""What lies inside its clip anyway needs none: most lines, all bars, all grids."""

import re
import xml.etree.ElementTree as ET

from .paths import Point, ends, style_of

_CLIP = re.compile(r"url\(#(.+)\)")
MARK = 4.5  # points; half of the largest mark of a curve

Box = tuple[float, float, float, float]


def unclip(root: ET.Element) -> None:
    """Take the clips from what they would not cut, but for the caps of thin lines."""
    boxes = {
        clip.get("id", ""): _box(shape)
        for clip in root.iter("clipPath")
        for shape in clip
        if shape.tag == "rect"
    }
    for element in root.iter():
        name = _CLIP.fullmatch(element.get("clip-path", ""))
        box = boxes.get(name[1]) if name else None
        if box and all(_inside(part, box) for part in list(element) or [element]):
            del element.attrib["clip-path"]


def _box(rect: ET.Element) -> Box:
    x, y, wide, tall = (float(rect.get(k, "0")) for k in ("x", "y", "width", "height"))
    return x, y, x + wide, y + tall


def _inside(shape: ET.Element, box: Box) -> bool:
    """Is all that is drawn in the box? False where that is not plain to see."""
    places: list[Point] | None = None
    if "transform" in shape.attrib:
        return False
    if shape.tag == "use":
        places, edge = [(float(shape.get("x", "0")), float(shape.get("y", "0")))], MARK
    elif shape.tag == "path":
        places, edge = ends(shape.get("d", "")), _edge(shape)
    left, top, right, bottom = box
    return bool(places) and all(
        left + edge - 0.11 <= x <= right - edge + 0.11
        and top + edge - 0.11 <= y <= bottom - edge + 0.11
        for x, y in places or ()
    )


def _edge(shape: ET.Element) -> float:
    """How far a shape's line reaches over its places; 0 for the lines of a grid."""
    style, steps = style_of(shape), set(re.findall("[a-z]", shape.get("d", "")))
    if "stroke" not in style or ("fill" in style and steps <= {"h", "v"}):
        return 0.0
    return float(style.get("stroke-width", "1")) / 2
