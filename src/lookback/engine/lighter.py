"""Drawings without what nobody sees: names that nobody uses, empty groups, long paths.

A chapter has some twenty drawings, each in two widths; what matplotlib writes around
their lines is a third of them.
"""

import re
import xml.etree.ElementTree as ET

USED = re.compile(r"(?:-(?:axes|gold|legend|xtick|patch)_\d*)")
"""Parts of a drawing that docs/live/map.js finds by their names."""

_LEVEL = re.compile(r"rotate\(-?0 [^)]*\)")
_STEP = re.compile(r"[A-Za-z]|-?\d+(?:\.\d+)?")
_STRAIGHT = re.compile(r"[MLz\d\s.-]*", re.IGNORECASE)
TENTH = 0.05  # points; half of what a coordinate is rounded to


def lighten(root: ET.Element) -> None:
    """Make a drawing smaller in place; it looks the same to a tenth of a point."""
    markup = ET.tostring(root, encoding="unicode")
    linked = set(re.findall(r'(?:href="#|url\(#)([^")]+)', markup))
    for element in root.iter():
        name = element.get("id", "")
        if name and name not in linked and not USED.search(name):
            del element.attrib["id"]
        if _LEVEL.fullmatch(element.get("transform", "")):
            del element.attrib["transform"]
        if "d" in element.attrib:
            element.set("d", shorter(element.get("d", "")))
        if element.tag not in ("text", "tspan", "title", "desc"):
            element.text = None
        element.tail = None
    _unwrap(root)


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
