"""Matplotlib's SVG tree made small: what repeats is said once, what holds is not said.

A raw line chart is 60 KB of <g>, repeated styles and six decimals; a tidy one is a
tenth of that and draws the same picture. Used by svg.py alone.
"""

from __future__ import annotations

import re
from collections import Counter
from xml.etree.ElementTree import Element

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
NUMBER = re.compile(r"-?\d*\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+|-0(?!\S)")
Style = dict[str, str]


def tidy(root: Element, prefix: str, colours: dict[str, str]) -> Element:
    """A new <svg>: shared definitions first, then the drawing, ids from the prefix."""
    styles: dict[Element, Style] = {}
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        if HREF in element.attrib:
            element.attrib["href"] = element.attrib.pop(HREF)
        if element.attrib.get("id", "").startswith("QuadMesh"):  # no seams in heat maps
            element.attrib["shape-rendering"] = "crispEdges"
        styles[element] = _read_style(element, colours)
        _round_attributes(element)
    shared = _take_definitions(root)
    new = Element("svg", xmlns="http://www.w3.org/2000/svg")
    new.attrib["viewBox"] = root.attrib["viewBox"]
    drawing = Element("g")
    drawing.extend(root)
    styles[drawing] = {}
    _leave_to_uses(drawing, shared, styles)
    _hoist(drawing, styles)
    _join_cells(drawing, styles)
    sizes = Counter(e["font-size"] for e in styles.values() if "font-size" in e)
    size = sizes.most_common(1)[0][0] if sizes else "12px"
    new.attrib["style"] = f"{ROOT};font-size:{size}"
    _prune(drawing, INHERITED | {"font-size": size}, styles)
    new.extend(_flatten(drawing))
    _number_ids(new, shared, prefix)
    return new


def _read_style(element: Element, colours: dict[str, str]) -> Style:
    """Take the style off the element: palette colours, two decimals, fonts in parts."""
    pairs = (item.split(":", 1) for item in element.attrib.pop("style", "").split(";"))
    style = {pair[0].strip(): pair[1].strip() for pair in pairs if len(pair) == 2}
    for name in ("fill", "stroke"):
        if name in element.attrib:  # hatches say it so
            style[name] = element.attrib.pop(name)
    if "font" in style:  # matplotlib before 3.10 uses the shorthand
        words, size, family = re.split(r"([\d.]+px) ", style.pop("font"), maxsplit=1)
        style |= {"font-size": size, "font-family": family}
        for word in words.split():
            slanted = word in {"italic", "oblique"}
            style["font-style" if slanted else "font-weight"] = word
    if style.get("font-family", "").startswith("'Roboto'"):
        style["font-family"] = "Roboto"
    if style.get("font-weight") in {"normal", "bold"}:
        style["font-weight"] = {"normal": "400", "bold": "700"}[style["font-weight"]]
    if style.get("stroke", "none") == "none" and element.tag != "g":
        style = {k: v for k, v in style.items() if not k.startswith("stroke-")}
    return {k: colours.get(v.lower(), _two_decimals(v)) for k, v in style.items()}


def _two_decimals(text: str) -> str:
    def short(match: re.Match[str]) -> str:
        number = f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
        number = re.sub(r"^(-?)0(?=\.)", r"\1", number)
        return "0" if number == "-0" else number

    return NUMBER.sub(short, text)


def _round_attributes(element: Element) -> None:
    attributes = element.attrib
    for name, value in attributes.items():
        if name not in {"id", "href", "clip-path", "d"}:
            attributes[name] = _two_decimals(value)
    if "d" in attributes:
        attributes["d"] = _short_path(attributes["d"])
    if attributes.get("transform", "").startswith(("rotate(0 ", "rotate(-0 ")):
        del attributes["transform"]
    if element.tag not in {"text", "tspan"} or len(element):
        element.text = None
    element.tail = None


def _short_path(path: str) -> str:
    """Two decimals; H and V where a line is straight; no letter that repeats."""
    out = ""
    x, y, letter = "", "", ""
    for command, rest in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        numbers = _two_decimals(rest).split()
        name = command
        if command == "L" and numbers[1] == y:
            name, short = "H", numbers[:1]
        elif command == "L" and numbers[0] == x:
            name, short = "V", numbers[1:]
        else:
            short = numbers
        repeats = name == letter or (name == "L" and letter == "M")
        out += (" " if repeats else name) + " ".join(short)
        letter = name
        if numbers:
            x, y = numbers[-2:]
    return out.replace(" -", "-")


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


def _leave_to_uses(
    drawing: Element, shared: dict[str, Element], styles: dict[Element, Style]
) -> None:
    """A marker's outline is said by the marker and by each use of it: the use stays."""
    users: dict[str, list[Style]] = {}
    for element in drawing.iter("use"):
        users.setdefault(element.attrib["href"][1:], []).append(styles[element])
    for name, element in shared.items():
        element.attrib.pop("id", None)
        for prop, value in list(styles[element].items()):
            said = users.get(name, [])
            if said and all(style.get(prop) == value for style in said):
                del styles[element][prop]
        _prune(element, INHERITED, styles)


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
        for cell in list(mesh):
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
