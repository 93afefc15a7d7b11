"""What a shape of a drawing says: where its lines go, and how they are painted."""

import re
import xml.etree.ElementTree as ET

_STEP = re.compile(r"[A-Za-z]|-?\d+(?:\.\d+)?")
_STRAIGHT = re.compile(r"[MLz\d\s.-]*", re.IGNORECASE)
_SHORT = re.compile(r"M[Mhvlz\d .-]*")
_MOVE = re.compile(r"([Mhvl])([^a-zA-Z]*)")
_NUMBER = re.compile(r"-?\d*\.?\d+")
Point = tuple[float, float]
TENTH = 0.05  # points; half of what a coordinate is rounded to


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
            steps.append(f"M{tenths(to[0])} {tenths(to[1])}")
            start = to
        elif closes and found:  # z draws this line
            pass
        else:
            steps.append(_line(to[0] - at[0], to[1] - at[1]))
        at = to
    return "".join(steps).replace(" -", "-")


def ends(path: str) -> list[Point] | None:
    """Where each step of a `shorter` path ends; None of any other.

    >>> ends("M1 2h3.5v-.5l1-2z")
    [(1.0, 2.0), (4.5, 2.0), (4.5, 1.5), (5.5, -0.5)]
    """
    if not _SHORT.fullmatch(path):
        return None
    found: list[Point] = []
    for letter, numbers in _MOVE.findall(path):
        x, y = found[-1] if found and letter != "M" else (0.0, 0.0)
        ways = [float(number) for number in _NUMBER.findall(numbers)]
        right, down = {"h": (*ways, 0.0), "v": (0.0, *ways)}.get(letter, ways)
        found.append((x + right, y + down))
    return found


def _line(right: float, down: float) -> str:
    if abs(down) < TENTH:
        return f"h{tenths(right)}"
    if abs(right) < TENTH:
        return f"v{tenths(down)}"
    return f"l{tenths(right)} {tenths(down)}"


def tenths(number: float) -> str:
    """A place to a tenth of a point.

    >>> [tenths(number) for number in (2.04, -0.04, 10.26, -0.5)]
    ['2', '0', '10.3', '-.5']
    """
    text = re.sub(r"^(-?)0\.", r"\1.", f"{number:.1f}".removesuffix(".0"))
    return "0" if text == "-0" else text


def style_of(element: ET.Element) -> dict[str, str]:
    """What an element's style says, by the names of its properties."""
    parts = (part.partition(":") for part in element.get("style", "").split(";"))
    return {name.strip(): value.strip() for name, _, value in parts if name.strip()}


def set_style(element: ET.Element, style: dict[str, str]) -> None:
    element.attrib.pop("style", None)
    if style:
        element.set("style", "; ".join(f"{k}: {v}" for k, v in style.items()))
