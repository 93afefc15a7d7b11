"""One element of matplotlib's SVG in few words: two decimals, short paths, palette.

Used by svgtree.py alone.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

Style = dict[str, str]

NUMBER = re.compile(r"(?<![\w#])(?:-?\d*\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+|-0(?!\S))")


def read_style(element: Element, colours: dict[str, str]) -> Style:
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


def round_attributes(element: Element) -> None:
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
    for command, rest in re.findall(r"([MLHVCSQTAZz])([-+.\de\s]*)", path):
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
