"""Drawings get smaller, and nothing moves by more than a tenth of a point."""

import re
import xml.etree.ElementTree as ET

import pytest

from lookback.engine.lighter import lighten, rename
from lookback.engine.paths import shorter


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


def corners(svg: str) -> set[tuple[float, ...]]:
    """Left, top, right and bottom of all cells of a mesh, wherever it is moved to."""
    mesh = next(g for g in ET.fromstring(svg).iter("g") if g.get("shape-rendering"))
    moved = re.findall(r"-?[\d.]+", mesh.get("transform", "")) or (0, 0, 1, 1)
    (x0, y0), (wide, tall) = map(float, moved[:2]), map(float, moved[2:])
    found = set()
    for d in (cell.get("d", "") for cell in mesh):
        for part in re.findall(r"M[^M]*", d):
            steps = ends(part)
            xs = [round(x0 + wide * x, 1) for x, _ in steps]
            ys = [round(y0 + tall * y, 1) for _, y in steps]
            found.add((min(xs), min(ys), max(xs), max(ys)))
    return found


def mesh(*cells: str, style: str = "fill: blue") -> str:
    parts = "".join(f'<path d="{cell}" style="{style}"/>' for cell in cells)
    return f'<svg><g shape-rendering="crispEdges">{parts}</g></svg>'


def test_cells_tell_their_colour_once_and_their_place_by_column_and_row() -> None:
    cell = "M {0} 1 L {1} 1 L {1} 4 L {0} 4 L {0} 1"
    shares = ("fill: blue; fill-opacity: 0.319149", "fill: none", "fill: blue",
              "fill: red", "fill: blue; fill-opacity: 0.319149")  # fmt: skip
    cells = "".join(
        f'<path d="{cell.format(7 + 2 * i, 9 + 2 * i)}" style="{share}" />'
        for i, share in enumerate(shares)
    )
    group = '<g shape-rendering="crispEdges" clip-path="url(#c)">'
    assert lightened(f"{group}{cells}</g>") == (
        '<g shape-rendering="crispEdges" transform="translate(7 1) scale(2.000 3.000)" '
        'style="fill: blue"><path d="M0 0h1v1h-1M4 0h1v1h-1" '
        'style="fill-opacity: .32" /><path d="M2 0h1v1h-1" />'
        '<path d="M3 0h1v1h-1" style="fill: red" /></g>'
    )


@pytest.mark.parametrize("across", [2.03, 7.2])
@pytest.mark.parametrize("down", [3.37, -6.9])
@pytest.mark.parametrize("upright", [False, True])
def test_cells_stay_where_they_are(across: float, down: float, upright: bool) -> None:
    paths = []
    for x, y in ((4 + across * i, 9 + down * j) for i in range(5) for j in range(3)):
        turns = [(x + across, y), (x + across, y + down), (x, y + down), (x, y)]
        if upright:
            turns[0] = (x, y + down)
            turns[2] = (x + across, y)
        ways = " ".join(f"L {right:.6f} {low:.6f}" for right, low in turns)
        paths.append(f"M {x:.6f} {y:.6f} {ways}")
    before = mesh(*paths)
    root = ET.fromstring(before)
    lighten(root)
    after = ET.tostring(root, encoding="unicode")
    assert "transform" in after and after.count("<path") == 1
    left, right = sorted(corners(before)), sorted(corners(after))
    assert len(left) == len(right) == 15
    for one, other in zip(left, right, strict=True):
        assert one == pytest.approx(other, abs=0.11)


@pytest.mark.parametrize(
    "cells",
    [
        ("M 0 0 L 2 0 L 2 2 L 0 2 L 0 0", "M 2 0 L 5 0 L 5 2 L 2 2 L 2 0"),
        ("M 0 0 L 2 0 L 2 2 L 0 2 L 0 0", "M 2 0 L 4 0 L 4 2 L 2 0"),
        ("M 0 0 L 2 0 L 1 2 L 0 2 L 0 0",),
    ],
)
def test_cells_of_other_shapes_are_told_as_they_are(cells: tuple[str, ...]) -> None:
    assert corners(mesh(*cells)) == corners(lightened_whole(mesh(*cells)))
    assert "transform" not in lightened_whole(mesh(*cells))


def bar(shares: list[float], *, upright: bool = False) -> ET.Element:
    """The mesh of a colour bar with these shares of blue, made lighter."""
    cells = ""
    for i, share in enumerate(shares):
        x, y = (0, 90 - 2 * i) if upright else (2 * i, 0)
        cells += (
            f'<path d="M {x} {y} L {x + 2} {y} L {x + 2} {y - 2} L {x} {y - 2} '
            f'L {x} {y}" style="fill: blue; fill-opacity: {share:.6f}" />'
        )
    group = f'<g id="f-QuadMesh_1" shape-rendering="crispEdges">{cells}</g>'
    return ET.fromstring(f"<svg>{lightened(group)}</svg>")[0]


STEPS = [(i + 0.5) / 48 for i in range(48)]


@pytest.mark.parametrize("upright", [False, True])
def test_the_bar_of_a_map_is_one_shape_that_fades(upright: bool) -> None:
    mesh = bar(STEPS, upright=upright)
    fade, shape = mesh[0][0], mesh[1]
    assert mesh.get("style") == "fill: blue" and len(mesh) == 2
    assert shape.attrib == {
        "d": "M0 0h1v48h-1" if upright else "M0 0h48v1h-48",
        "style": f"fill: url(#{fade.get('id')})",
    }
    assert "scale(2.000 -2.000)" in mesh.get("transform", "")
    way = {"x2": "0", "y2": "1"} if upright else {}
    assert fade.attrib == {"id": "f-QuadMesh_1-fade", **way}
    assert [stop.attrib for stop in fade] == [
        {"stop-color": "blue", "stop-opacity": "0"},
        {"offset": "1", "stop-color": "blue"},
    ]


@pytest.mark.parametrize("shares", [STEPS[:30], STEPS[::-1], [s**2 for s in STEPS]])
def test_a_row_that_fades_otherwise_stays_as_it_is(shares: list[float]) -> None:
    assert "url" not in ET.tostring(bar(shares), encoding="unicode")


def test_cells_with_frames_are_not_stretched() -> None:
    cell = "M 0 0 L 2 0 L 2 2 L 0 2 L 0 0"
    framed = mesh(cell, style="fill: blue; stroke: red")
    assert "transform" not in lightened_whole(framed)


def lightened_whole(svg: str) -> str:
    root = ET.fromstring(svg)
    lighten(root)
    return ET.tostring(root, encoding="unicode")


def test_a_shape_without_colour_and_line_goes_but_not_the_ground_of_a_map() -> None:
    bare = '<path d="M 0 0 L 1 0" style="fill: none" />'
    line = '<path d="M 0 0 L 1 0" style="fill: none; stroke: red" />'
    assert lightened(bare + line).count("<path") == 1
    ground = (
        f'<g id="f-axes_1"><g id="f-patch_2">{bare}</g><g id="f-patch_3">{line}</g>'
    )
    cells = f'<g shape-rendering="crispEdges">{line}</g></g>'
    found = ET.fromstring(f"<svg>{lightened(ground + cells)}</svg>")
    assert [e.get("id") for e in found.iter() if e.get("id")] == [
        "f-axes_1",
        "f-patch_2",
    ]
    assert len(found[0][0]) == 1


def test_the_ticks_of_an_axis_are_one_group_with_its_words_in_their_order() -> None:
    ticks = "".join(
        f'<g id="f-{axis}tick_{i}"><text style="fill: red">{word}</text></g>'
        for axis, words in (("x", "abc"), ("y", "de"))
        for i, word in enumerate(words, 1)
    )
    cells = '<g shape-rendering="crispEdges"><path d="M 0 0 L 1 0" /></g>'
    assert lightened(f"{ticks}<text>f</text>{cells}").startswith(
        '<g id="f-xtick_1"><g style="fill: red"><text>a</text><text>b</text>'
        '<text>c</text></g></g><g id="f-ytick_1"><g style="fill: red">'
        "<text>d</text><text>e</text></g></g><text>f</text>"
    )


def test_words_of_one_look_are_a_group_and_others_stay_alone() -> None:
    looks = ["a: 1", "a: 1", "b: 2", "a: 1"]
    words = "".join(f'<text style="{look}">x</text>' for look in looks)
    assert lightened(f"{words}<text>y</text><text>z</text>") == (
        '<g style="a: 1"><text>x</text><text>x</text></g><text style="b: 2">x</text>'
        '<text style="a: 1">x</text><text>y</text><text>z</text>'
    )


def test_marks_of_one_paint_tell_it_where_their_shape_is() -> None:
    shape = '<defs><path id="m" d="M 0 0 L 1 1" style="stroke: red" /></defs>'
    mark = '<use x="{0}" href="#m" style="fill: {1}; stroke: red" />'
    assert lightened(shape + mark.format(1, "blue") + mark.format(2, "blue")) == (
        '<defs><path id="m" d="M0 0l1 1" style="fill: blue; stroke: red" /></defs>'
        '<use x="1" href="#m" /><use x="2" href="#m" />'
    )
    assert lightened(shape + mark.format(1, "blue") + mark.format(2, "red")).count(
        "fill"
    ) == 2  # fmt: skip


CLIP = (
    '<defs><clipPath id="c"><rect x="1" y="1" width="8" height="8" /></clipPath></defs>'
)


@pytest.mark.parametrize(
    ("shape", "cuts"),
    [
        ('<path d="M 1 1 L 9 1" style="fill: none; stroke: red" />', False),
        ('<path d="M 1 1 L 9.3 1" style="fill: none; stroke: red" />', True),
        ('<path d="M 1 0.7 L 1 9" style="fill: none; stroke: red" />', True),
        ('<path d="M 2 9 L 4 9 L 4 5 L 2 5 z" style="fill: red" />', False),
        ('<path d="M 2 9.2 L 4 9.2 L 4 5 L 2 5 z" style="fill: red" />', True),
        ('<path d="M 2 2 L 3 8" style="fill: none; stroke: red" />', False),
        ('<path d="M 2 2 L 3 8.8" style="fill: none; stroke: red" />', True),
        ('<path d="M 2 2 C 2 3 4 5 6 6" style="fill: red" />', True),
        ('<path d="M 2 2 L 3 3" transform="scale(9)" style="fill: red" />', True),
    ],
)
def test_a_clip_stays_where_it_cuts(shape: str, cuts: bool) -> None:
    found = lightened(CLIP + shape.replace("<path", '<path clip-path="url(#c)"'))
    assert ("clip" in found) == cuts


def test_marks_in_the_middle_need_no_clip_and_one_at_the_edge_does() -> None:
    shape = '<defs><path id="m" d="M 0 0 L 1 1" style="stroke: red" /></defs>'
    for x, cuts in ((70, False), (79, True)):
        marks = f'<use x="9" y="9" href="#m" /><use x="{x}" y="9" href="#m" />'
        clip = CLIP.replace('"8"', '"80"')
        found = lightened(f'{clip}{shape}<g clip-path="url(#c)">{marks}</g>')
        assert ("clip" in found) == cuts


def test_names_get_short_and_lead_where_they_led() -> None:
    root = ET.fromstring(
        '<svg><clipPath id="p-long9"/><path id="p-m8133" clip-path="url(#p-long9)"/>'
        '<use href="#p-m8133"/><g id="p-axes_1"/><use href="#elsewhere"/></svg>'
    )
    rename(root, "p")
    assert ET.tostring(root, encoding="unicode") == (
        '<svg><clipPath id="p-a" /><path id="p-b" clip-path="url(#p-a)" />'
        '<use href="#p-b" /><g id="p-axes_1" /><use href="#elsewhere" /></svg>'
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


@pytest.mark.parametrize("y", ["2", "3"])
def test_what_is_turned_where_it_begins_tells_the_place_once(y: str) -> None:
    root = ET.fromstring(
        f'<svg><text x="1.5" y="{y}" transform="rotate(-50 1.5 2)">a</text></svg>'
    )
    before = {"x": "1.5", "y": "3", "transform": "rotate(-50 1.5 2)"}
    lighten(root)
    once = {"transform": "translate(1.5 2) rotate(-50)"}
    assert root[0].attrib == (once if y == "2" else before)
