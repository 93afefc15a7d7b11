"""Drawings without what nobody sees: names that nobody uses, empty groups, long paths.

A chapter has some twenty drawings, each in two widths; what matplotlib writes around
their lines is half of them. What has one look is told once: words in a group, ticks and
lines of a grid in a path, the cells of a map in one for each share of its colour.
"""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import groupby
from string import ascii_lowercase

from .cells import lighten_cells
from .clips import unclip
from .paths import set_style, shorter, style_of
from .strokes import gather_ticks, join_strokes, share_marks

USED = re.compile(r"-(?:axes|gold|legend|xtick|ytick|patch)_\d*")
"""Parts of a map that docs/live/map.js and figures.css find by their names."""

_LEVEL = re.compile(r"rotate\(-?0 [^)]*\)")
_TURNED = re.compile(r"(rotate\(\S+) (\S+) (\S+)\)")
_SHARE = re.compile(r"(?<=opacity: )0?(\.\d+)")
_POINTER = re.compile(r"(?<=#)[^)]+")


def lighten(root: ET.Element) -> None:
    """Make a drawing smaller in place; it looks the same to a tenth of a point."""
    for element in root.iter():
        if "d" in element.attrib:
            element.set("d", shorter(element.get("d", "")))
        if "opacity" in element.get("style", ""):
            element.set("style", _SHARE.sub(_hundredths, element.get("style", "")))
        if _LEVEL.fullmatch(element.get("transform", "")):
            del element.attrib["transform"]
        if turned := _TURNED.fullmatch(element.get("transform", "")):
            _place_once(element, turned)
        if element.tag not in ("text", "tspan", "title", "desc"):
            element.text = None
        element.tail = None
    meshes = [group for group in root.iter() if group.get("shape-rendering")]
    for mesh in meshes:
        lighten_cells(mesh)
    _unname(root, bool(meshes))
    _unwrap(root)
    _remove_unseen(root)
    gather_ticks(root)
    join_strokes(root)
    share_marks(root)
    unclip(root)
    _unname(root, bool(meshes))
    _unwrap(root)
    _share_type(root)
    _group_words(root)


def rename(root: ET.Element, prefix: str) -> None:
    """What is pointed at gets a short name: matplotlib's are sums of what they name."""
    linked = _linked(root)
    named = [element for element in root.iter() if element.get("id") in linked]
    short = {
        element.get("id", ""): f"{prefix}-{ascii_lowercase[i % 26]}{i // 26 or ''}"
        for i, element in enumerate(named)
    }
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "id":
                element.set(key, short.get(value, value))
            elif key == "href" or "url(#" in value:
                name = _POINTER.search(value)
                if name and name[0] in short:
                    element.set(key, value.replace(name[0], short[name[0]]))


def _place_once(element: ET.Element, turned: re.Match[str]) -> None:
    """Words that are turned about the place where they begin tell it once."""
    angle, *place = turned.groups()
    if [element.get("x"), element.get("y")] == place and not len(element):
        element.set("transform", f"translate({' '.join(place)}) {angle})")
        del element.attrib["x"], element.attrib["y"]


def _hundredths(share: re.Match[str]) -> str:
    """A share of one to two digits: the colour maps have 48 steps."""
    return f"{float(share[1]):.2f}".removeprefix("0")


def _unname(root: ET.Element, is_map: bool) -> None:
    """Only what is pointed at keeps its name, and what the script of maps looks for."""
    kept = _linked(root)
    if is_map:
        kept |= _looked_for(root)
    for parent in list(root.iter()):
        for element in list(parent):
            name = element.get("id", "")
            if not name or name in kept:
                continue
            if parent.tag == "defs":
                parent.remove(element)
            else:
                del element.attrib["id"]


def _linked(root: ET.Element) -> set[str]:
    found: set[str] = set()
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "href" or "url(#" in value:
                found.update(_POINTER.findall(value))
    return found


def _looked_for(root: ET.Element) -> set[str]:
    """Names of USED in a map: of the patches only the ground of each panel."""
    names = [element.get("id", "") for element in root.iter()]
    found = {name for name in names if USED.search(name) and "-patch_" not in name}
    for panel in root.iter():
        if "-axes_" in panel.get("id", ""):
            inside = (element.get("id", "") for element in panel.iter())
            found |= {next((name for name in inside if "-patch_" in name), "")}
    return found


def _remove_unseen(root: ET.Element) -> None:
    """A shape with neither colour nor line goes, if the script of maps needs it not."""
    for parent in list(root.iter()):
        for shape in list(parent):
            style = style_of(shape)
            bare = style.get("fill") == "none" and "stroke" not in style
            named = parent.get("id") or shape.get("id")
            if shape.tag == "path" and bare and not named:
                parent.remove(shape)


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


def _share_type(root: ET.Element) -> None:
    """The type that most words are set in is told once, for the whole drawing."""
    words = [(element, style_of(element)) for element in root.iter("text")]
    shared = {}
    for name in ("font-family", "font-size"):
        values = Counter(style.get(name, "") for _, style in words)
        if values and "" not in values:
            shared[name] = values.most_common(1)[0][0]
    for element, style in words:
        for name, value in {**shared, "text-anchor": "start"}.items():
            if style.get(name) == value:
                del style[name]
        set_style(element, style)
    told = [f"{name}:{value}" for name, value in shared.items()]
    if told:
        root.set("style", ";".join([*filter(None, [root.get("style")]), *told]))


def _group_words(root: ET.Element) -> None:
    """Words of one look that follow each other tell it once, as a group."""
    for parent in [group for group in root.iter() if group.tag in ("g", "svg")]:
        children: list[ET.Element] = []
        for look, run in groupby(parent, lambda c: c.tag == "text" and c.get("style")):
            words = list(run)
            if look and len(words) > 1:
                for word in words:
                    del word.attrib["style"]
                group = ET.Element("g", style=look)
                group.extend(words)
                words = [group]
            children += words
        parent[:] = children
