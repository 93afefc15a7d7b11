"""Matplotlib's SVG tree made small: what repeats is said once, what holds is not said.

A raw line chart is 60 KB of <g>, repeated styles and six decimals; a tidy one is a
tenth of that and draws the same picture. Used by svg.py alone.
"""

from __future__ import annotations

import re
from collections import Counter
from xml.etree.ElementTree import Element

from .svgwords import Style, read_style, round_attributes

# What the root says, or what CSS says where nobody does. All of them are inherited.
INHERITED = {
    "fill": "currentColor",
    "fill-opacity": "1",
    "stroke": "none",
    "stroke-opacity": "1",
    "stroke-width": "1",
    "stroke-linecap": "butt",
    "stroke-linejoin": "round",
    "stroke-dasharray": "none",
    "stroke-dashoffset": "0",
    "stroke-miterlimit": "4",
    "text-anchor": "start",
    "font-family": "Roboto",
    "font-style": "normal",
    "font-weight": "400",
    "font-size": "",
}
ROOT = "fill:currentColor;stroke-linejoin:round;font-family:Roboto,sans-serif"
HREF = "{http://www.w3.org/1999/xlink}href"
REFERENCE = re.compile(r"(?:(?<=url\(#)|(?<=^#))[^)]+")


def tidy(root: Element, prefix: str, colours: dict[str, str]) -> Element:
    """A new <svg>: shared definitions first, then the drawing, ids from the prefix."""
    styles: dict[Element, Style] = {}
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        if HREF in element.attrib:
            element.attrib["href"] = element.attrib.pop(HREF)
        if element.attrib.get("id", "").startswith("QuadMesh"):  # no seams in heat maps
            element.attrib["shape-rendering"] = "crispEdges"
        styles[element] = read_style(element, colours)
        round_attributes(element)
    shared = _take_definitions(root)
    new = Element("svg", xmlns="http://www.w3.org/2000/svg")
    new.attrib["viewBox"] = root.attrib["viewBox"]
    drawing = Element("g")
    drawing.extend(root)
    styles[drawing] = {}
    _say_once(drawing, shared, styles)
    _hoist(drawing, styles)
    _join_cells(drawing, styles)
    sizes = Counter(e["font-size"] for e in styles.values() if "font-size" in e)
    size = sizes.most_common(1)[0][0] if sizes else "12px"
    new.attrib["style"] = f"{ROOT};font-size:{size}"
    _prune(drawing, INHERITED | {"font-size": size}, styles)
    new.extend(_flatten(drawing))
    _number_ids(new, shared, prefix)
    return new


def _take_definitions(root: Element) -> dict[str, Element]:
    """Remove <defs>, <style>, <metadata>; what was defined, by id, in order."""
    shared: dict[str, Element] = {}
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == "defs":
                shared |= {e.attrib["id"]: e for e in child if "id" in e.attrib}
            if child.tag in {"defs", "metadata", "style"}:
                parent.remove(child)
    return shared


def _say_once(
    drawing: Element, shared: dict[str, Element], styles: dict[Element, Style]
) -> None:
    """What all uses of an outline say, the outline says, and they no longer do."""
    users: dict[str, list[Style]] = {}
    for element in drawing.iter("use"):
        users.setdefault(element.attrib["href"][1:], []).append(styles[element])
    for name, element in shared.items():
        element.attrib.pop("id", None)
        said, own, moved = users.get(name, []), styles[element], dict[str, str]()
        for prop in INHERITED if said else ():
            values = {style.get(prop, "") for style in said}
            if len(values) == 1 and "" not in values:
                own[prop] = moved[prop] = values.pop()
                for style in said:
                    del style[prop]
        # Said in full: what stands around a use may say something else.
        _prune(element, INHERITED | dict.fromkeys(moved, ""), styles)


def _hoist(element: Element, styles: dict[Element, Style]) -> None:
    """What all children of a group say, the group says."""
    for child in element:
        _hoist(child, styles)
    if len(element) < 2 or element.tag not in {"g", "text"}:
        return
    said = [styles[child] for child in element]
    for prop, value in list(said[0].items()):
        if prop in INHERITED and all(s.get(prop) == value for s in said):
            styles[element][prop] = value
            for style in said:
                del style[prop]
    clips = {child.attrib.get("clip-path", "") for child in element}
    still = all("transform" not in e.attrib for e in (element, *element))
    if len(clips) == 1 and "" not in clips and still:
        element.attrib.setdefault("clip-path", *clips)
        for child in element:
            del child.attrib["clip-path"]


def _join_cells(drawing: Element, styles: dict[Element, Style]) -> None:
    """Cells of a heat map that look alike become one path: they never overlap."""
    for mesh in list(drawing.iter()):
        if "shape-rendering" not in mesh.attrib:
            continue
        first: dict[tuple[str, ...], Element] = {}
        for cell in [child for child in mesh if "d" in child.attrib]:
            path = re.sub(r"V[-\d.]+$", "", cell.attrib["d"])  # a fill closes itself
            look = (*map(str, styles[cell].items()), cell.get("clip-path", ""))
            if look in first:
                first[look].attrib["d"] += path
                mesh.remove(cell)
            else:
                first[look] = cell
                cell.attrib["d"] = path


def _prune(element: Element, inherited: Style, styles: dict[Element, Style]) -> None:
    """Write the styles back, without what the element would inherit anyway."""
    own = styles[element]
    needed = {k: v for k, v in own.items() if inherited.get(k) != v}
    if needed:
        element.attrib["style"] = ";".join(f"{k}:{v}" for k, v in needed.items())
    passed_on = inherited | {k: v for k, v in own.items() if k in INHERITED}
    for child in list(element):
        _prune(child, passed_on, styles)
    if element.tag == "path" and passed_on["fill"] == passed_on["stroke"] == "none":
        element.tag = "g"  # draws nothing: an empty group, which goes


def _flatten(group: Element) -> list[Element]:
    """The children of a group, with the groups in it that say nothing dissolved."""
    flat: list[Element] = []
    for child in group:
        child.attrib.pop("id", None)
        if child.tag != "g":
            flat.append(child)
            continue
        inner = _flatten(child)
        del child[:]
        if not child.attrib:
            flat.extend(inner)
        elif inner:
            child.extend(inner)
            flat.append(_merged(child) if len(inner) == 1 else child)
    return flat


def _merged(group: Element) -> Element:
    """A group of one path or text becomes that element, when nothing is said twice."""
    child = group[0]
    if child.tag not in {"path", "text"} or set(group.attrib) & set(child.attrib):
        return group
    child.attrib |= group.attrib
    return child


def _number_ids(root: Element, shared: dict[str, Element], prefix: str) -> None:
    """Put in front of the drawing the definitions it refers to, as prefix-1, -2, …"""
    names: dict[str, str] = {}

    def rename(match: re.Match[str]) -> str:
        return names.setdefault(match[0], f"{prefix}-{len(names) + 1}")

    definitions = Element("defs")
    waiting = [root]
    for tree in waiting:
        before = len(names)
        for element in tree.iter():
            for name in ("href", "clip-path", "style"):
                if name in element.attrib:
                    value = element.attrib[name]
                    element.attrib[name] = REFERENCE.sub(rename, value)
        for old, new in list(names.items())[before:]:
            shared[old].attrib = {"id": new, **shared[old].attrib}
            definitions.append(shared[old])
            waiting.append(shared[old])
    if len(definitions):
        root.insert(0, definitions)
