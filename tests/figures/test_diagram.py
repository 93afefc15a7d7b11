"""A diagram: read from its tables, placed, and refused where it would look wrong."""

import re
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from lookback.figures.diagram import Diagram, Panel
from lookback.figures.diagram_letters import SYMBOLS, WORDS, width
from lookback.figures.diagram_style import STYLE
from lookback.figures.diagram_text import lines, plain

DOCS = Path(__file__).parents[2] / "docs"
PANEL = Panel(
    boxes="""
     x   | word    | $x$ | .(x)  | B n
     f   | learned | f   | f     | B k
     sum | plus    |     | ./add | B n
     y   | name    | $y$
    """,
    grid="""
     | 40 120
     y .
     sum .
     . f
     +20
     x .
    """,
    arrows="x => sum => y\n x -> f -> sum",
    omits="f -> x | what is never so",
    links={"f": "encoder#eq-2"},
)


def test_what_it_claims() -> None:
    claims = PANEL.claims
    assert claims.boxes["f"] == ("f", "B k", True)
    assert claims.boxes["sum"] == ("./add", "B n", False)
    assert claims.boxes["x"][2] is None
    assert claims.arrows == {("x", "sum"), ("x", "f"), ("f", "sum")}
    assert claims.omits == {("f", "x")}


def test_it_says_its_arrows_and_what_it_leaves_out() -> None:
    markup = Diagram(PANEL, about=("a.b:C",), left="the rest")._repr_figure_()
    assert "<li>x → sum, f</li>" in markup
    assert "Not drawn: what is never so; the rest." in markup
    assert markup.count('href="lookback:encoder#eq-2"') == 2  # wide, and on a phone
    assert "lookback:" not in Diagram(PANEL)._repr_html_()
    assert "<style>" in Diagram(PANEL)._repr_html_()


def test_the_size_of_most_words_is_told_once() -> None:
    wide = Diagram(PANEL).svg(False)
    assert re.findall(r'<(svg|text|tspan) [^>]*?font-size="([\d.]+)"', wide) == [
        ("svg", "15.5"),  # of x and y, whose symbols are larger still
        ("tspan", "18.3"),
        ("tspan", "18.3"),
        ("text", "14"),  # of f
    ]


def test_equal_diagrams_are_equal_bytes() -> None:
    assert Diagram(PANEL)._repr_figure_() == Diagram(replace(PANEL))._repr_figure_()


@pytest.mark.parametrize(
    ("field", "old", "new", "message"),
    [
        ("boxes", "learned", "learnt", "box f has the role 'learnt'"),
        ("boxes", "| f     |", "|       |", "box f has no address"),
        ("boxes", "$x$", "$☃$", r"no '☃' \(SNOWMAN\)"),
        ("boxes", "| f   |", "| →   |", "write it between \\$ signs"),
        ("boxes", "$x$", "$x", r"a \$ is missing"),
        ("grid", ". f", ". .", "the grid leaves out the box f"),
        ("grid", "y .", "q .", "the grid has q, which is no box"),
        ("grid", "y .", "x .", "the grid has x twice"),
        ("grid", ". f", "f .", "runs over f"),
        ("grid", "| 40 120", "| 40 700", "is 7.. px wide, above 640"),
        ("arrows", "f -> sum", "g -> sum", "an arrow names g, which is no box"),
        ("arrows", "x -> f -> sum", "x f", "is no arrow"),
    ],
)
def test_what_would_look_wrong_is_refused(field, old, new, message) -> None:
    assert old in getattr(PANEL, field)
    wrong = replace(PANEL, **{field: getattr(PANEL, field).replace(old, new, 1)})
    with pytest.raises(ValueError, match=message):
        Diagram(wrong)._repr_figure_()


def test_boxes_that_touch_are_refused() -> None:
    near = PANEL.grid.replace("sum .\n     . f", "sum f").replace("120", "55")
    with pytest.raises(ValueError, match=r"sum and f are -\d+ px apart: give their"):
        Diagram(replace(PANEL, grid=near))._repr_figure_()


def test_letters_are_those_of_the_fonts() -> None:
    roboto = Path(find_spec("font_roboto").submodule_search_locations[0])
    stix = Path(find_spec("ziamath").submodule_search_locations[0])
    for table, source, cut in (
        (WORDS, roboto / "files/Roboto-Regular.ttf", "Roboto-Regular"),
        (SYMBOLS, stix / "fonts/STIXTwoMath-Regular.ttf", "STIXTwoMath"),
    ):
        font = TTFont(source)
        names, unit = font.getBestCmap(), font["head"].unitsPerEm
        served = TTFont(DOCS / f"assets/fonts/{cut}.woff2").getBestCmap()
        for wide, letters in table.items():
            for letter in letters:
                real = font["hmtx"][names[ord(letter)]][0] * 1000 / unit
                assert real - 0.5 <= wide < real + 21, letter
                assert ord(letter) in served, letter


def test_scripts_stand_under_each_other_and_can_be_said() -> None:
    (line,) = lines("$W_i^Q$", 14)
    _, low, high = line.runs
    assert low.up < 0 < high.up
    assert high.by == pytest.approx(-low.wide(False), abs=0.1)
    assert plain("$h_{12}$, the / state") == "h 12, the, state"
    assert width("ab", 10) == 11.4


def test_the_site_and_notebooks_have_one_style() -> None:
    assert STYLE in (DOCS / "assets/diagram.css").read_text(encoding="utf-8")
    used = set(re.findall(r"\.lb-diagram \.(\w+)", STYLE))
    assert {"a", "b", "k", "v", "g", "e", "faint"} <= used
