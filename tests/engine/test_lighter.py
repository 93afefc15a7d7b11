"""Drawings get smaller, and nothing moves by more than a tenth of a point."""

import re
import xml.etree.ElementTree as ET

import pytest

from lookback.engine.lighter import lighten, shorter


def ends(path: str) -> list[tuple[float, float]]:
    """Where each step of a path ends, whatever letters it is written in."""
    at, start, found = (0.0, 0.0), (0.0, 0.0), []
    for letter, numbers in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        values = [float(n) for n in re.findall(r"-?[\d.]+", numbers)]
        if letter in "zZ":
            at = start
        elif letter in "hv":
            at = (
                at[0] + values[0] * (letter == "h"),
                at[1] + values[0] * (letter == "v"),
            )
        elif letter == "l":
            at = at[0] + values[0], at[1] + values[1]
        else:
            at = values[0], values[1]
        start = at if letter == "M" else start
        found.append(at)
    return found


@pytest.mark.parametrize(
    "path",
    [
        "M 1 2 L 4.52 2 L 4.52 3.25 L 1 3.25 L 1 2 z",
        "M 0 0 L 0 2",
        "M 10.26 -3 L -7.5 8.33 L 2 2 M 5 5 L 6 6 ",
        "M 0.04 0.04 L 100.04 0.04 L 0.04 0.04 ",
    ],
)
def test_a_path_goes_where_it_went(path: str) -> None:
    before, after = ends(path), ends(shorter(path))
    assert len(shorter(path)) < len(path)
    kept = [p for p in before if any(abs(p[0] - q[0]) + abs(p[1] - q[1]) < 0.11
                                     for q in after)]  # fmt: skip
    assert kept == before
    assert all(abs(a - b) < 0.06 for a, b in zip(after[-1], before[-1], strict=True))


def test_a_curve_stays_as_it_is() -> None:
    assert shorter("M 0 0 C 1 1 2 2 3 3.123") == "M 0 0 C 1 1 2 2 3 3.123"


def test_what_nobody_sees_or_names_goes() -> None:
    root = ET.fromstring(
        """<svg><defs>
        </defs><g id="f1-figure_1"><g id="f1-line2d_9" /><g id="f1-axes_1">
        <path id="f1-shape" d="M 0 0 L 0 2"/><use href="#f1-shape" />
        <g id="f1-text_4"><text transform="rotate(-0 1 2)" id="f1-t">a b</text></g>
        <g shape-rendering="crispEdges"><path d="M 0 0 L 1 0" /></g>
        </g></g></svg>"""
    )
    lighten(root)
    assert ET.tostring(root, encoding="unicode") == (
        '<svg><g id="f1-axes_1"><path id="f1-shape" d="M0 0v2" />'
        '<use href="#f1-shape" /><text>a b</text>'
        '<g shape-rendering="crispEdges"><path d="M0 0h1" /></g></g></svg>'
    )


def lightened(inside: str) -> str:
    """The inside of a drawing, made lighter."""
    root = ET.fromstring(f"<svg>{inside}</svg>")
    lighten(root)
    return ET.tostring(root, encoding="unicode").removeprefix("<svg>")[: -len("</svg>")]


def test_a_chart_needs_no_names_of_its_parts() -> None:
    assert lightened('<g id="f1-axes_1"><text>a</text></g>') == "<text>a</text>"


TICK = '<defs><path id="t" d="M 0 0 L 0 3" style="stroke: red" /></defs>'
GRID = "<path d='M 0 {0} L 9 {0}' style='fill: none; stroke: grey' />"


def test_ticks_and_grid_lines_of_one_look_become_one_path() -> None:
    ticks = (
        '<use x="1" y="5" href="#t" /><text>1</text><use x="2.04" y="5" href="#t" />'
    )
    grid = GRID.format(1) + GRID.format(2).replace("grey", "red") + GRID.format(3)
    assert lightened(f'<g clip-path="url(#c)">{TICK}{ticks}{grid}</g>') == (
        '<g clip-path="url(#c)"><path d="M1 5v3M2 5v3" style="stroke: red" />'
        '<text>1</text><path d="M0 1h9M0 3h9" style="fill: none; stroke: grey" />'
        '<path d="M0 2h9" style="fill: none; stroke: red" /></g>'
    )


def test_a_line_stays_over_what_was_drawn_before_it() -> None:
    bar = '<path d="M 0 0 L 1 0 L 1 1 z" style="fill: blue" />'
    found = lightened(f'<g x="1">{GRID.format(1)}{bar}{GRID.format(2)}</g>')
    assert [part.split('"')[0] for part in found.split(' d="')[1:]] == [
        "M0 1h9",
        "M0 0h1v1z",
        "M0 2h9",
    ]


def test_what_is_filled_is_no_line_of_a_grid() -> None:
    lines = "".join(GRID.format(y).replace("none", "blue") for y in (1, 2))
    assert lightened(f'<g x="1">{lines}</g>').count("<path") == 2


def test_cells_tell_their_common_colour_once_and_their_share_shortly() -> None:
    cell = "M 0 0 L 2 0 L 2 2 L 0 2 L 0 0"
    assert lightened(
        '<g shape-rendering="crispEdges" clip-path="url(#c)">'
        f'<path d="{cell}" style="fill: blue; fill-opacity: 0.319149" />'
        f'<path d="{cell}" style="fill: none" />'
        f'<path d="{cell}" style="fill: blue" /><path d="{cell}" style="fill: red" />'
        "</g>"
    ) == (
        '<g shape-rendering="crispEdges" style="fill: blue">'
        '<path d="M0 0h2v2h-2" style="fill-opacity: .32" />'
        '<path d="M0 0h2v2h-2" /><path d="M0 0h2v2h-2" style="fill: red" /></g>'
    )


def test_the_type_of_most_words_is_told_once() -> None:
    styles = ["font-size: 9px; text-anchor: start", "font-size: 9px; text-anchor: end",
              "font-size: 12px; fill: red"]  # fmt: skip
    root = ET.fromstring(
        "<svg style='fill:blue'>"
        + "".join(f"<text style='{style}'>a</text>" for style in styles)
        + "</svg>"
    )
    lighten(root)
    assert root.get("style") == "fill:blue;font-size:9px"
    assert [text.get("style") for text in root] == [
        None,
        "text-anchor: end",
        "font-size: 12px; fill: red",
    ]


def test_what_is_turned_stays_turned() -> None:
    root = ET.fromstring('<svg><text transform="rotate(-50 1 2)">a</text></svg>')
    lighten(root)
    assert root[0].get("transform") == "rotate(-50 1 2)"
