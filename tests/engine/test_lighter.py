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
        </g></g></svg>"""
    )
    lighten(root)
    assert ET.tostring(root, encoding="unicode") == (
        '<svg><g id="f1-axes_1"><path id="f1-shape" d="M0 0v2" />'
        '<use href="#f1-shape" /><text>a b</text></g></svg>'
    )


def test_what_is_turned_stays_turned() -> None:
    root = ET.fromstring('<svg><text transform="rotate(-50 1 2)">a</text></svg>')
    lighten(root)
    assert root[0].get("transform") == "rotate(-50 1 2)"
