"""Read a diagram from its tables, place it, refuse what would look wrong."""

import re
from dataclasses import replace

import pytest

from lookback.figures.diagram import Diagram, Panel
from lookback.figures.diagram_routes import CLEAR, Arrow, route
from lookback.figures.diagram_text import lines, plain, width

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
    assert claims.boxes["f"] == ("f", "B k", True, ())
    assert claims.boxes["sum"] == ("./add", "B n", False, ())
    assert claims.boxes["x"][2] is None
    assert claims.arrows == {("x", "sum"), ("x", "f"), ("f", "sum")}
    assert claims.omits == {("f", "x")}


def test_it_says_its_arrows_and_what_it_leaves_out() -> None:
    markup = Diagram(PANEL, about=("a.b:C",), left="the rest")._repr_figure_()
    assert "<li>x → sum, f</li>" in markup
    assert "it leaves out: what is never so; the rest." in markup
    assert markup.count('href="lookback:encoder#eq-2"') == 1
    assert "lookback:" not in Diagram(PANEL)._repr_html_()
    assert "<style>" in Diagram(PANEL)._repr_html_()


def test_its_parts_have_the_names_of_their_boxes() -> None:
    numbered = replace(PANEL, **{
        name: getattr(PANEL, name).replace("sum", "s1") for name in ("boxes", "grid")
    }, arrows="x => s1 => y\n x -> f -> s1")  # fmt: skip
    (form,) = Diagram(numbered).forms()
    assert re.findall('<g data-part="([^"]*)">', form) == ["y", "s1 s", "x", "f"]


def test_what_fits_on_a_phone_is_drawn_once() -> None:
    assert len(Diagram(PANEL).forms()) == 1
    beside = Diagram(PANEL, PANEL).forms()
    assert ['class="lb-diagram-narrow"' in form for form in beside] == [False, True]


def test_a_wide_grid_is_narrowed_without_the_names_of_its_rows() -> None:
    boxes = PANEL.boxes + "n | left | a row\n"
    grid = """
     | 14 240 600
     n y .
     . sum .
     . . f
     . x .
    """
    panel = replace(PANEL, boxes=boxes, grid=grid)
    wide, narrow = Diagram(panel).forms()
    assert "a row" in wide and "a row" not in narrow
    layout = panel.layout(narrow=True)
    assert layout.width == pytest.approx(332)
    assert layout.places["f"].edges[2] == pytest.approx(324)
    assert layout.places["sum"].edges[0] == pytest.approx(8)
    own = replace(panel, phone=PANEL.grid)
    assert own.layout(narrow=True).places["f"].x == 120


def test_equal_diagrams_are_equal_bytes() -> None:
    assert Diagram(PANEL)._repr_figure_() == Diagram(replace(PANEL))._repr_figure_()


@pytest.mark.parametrize(
    ("field", "old", "new", "message"),
    [
        ("boxes", "learned", "learnt", "box f has the role 'learnt'"),
        ("boxes", "| f     |", "|       |", "box f has no address"),
        ("boxes", "$x$", "$生$", r"no '生' \(CJK .*751F\)"),
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


def test_scripts_stand_under_each_other_and_can_be_said() -> None:
    (line,) = lines("$W_i^Q$", 14)
    _, low, high = line.runs
    assert low.up < 0 < high.up
    assert high.by == pytest.approx(-low.wide(False), abs=0.1)
    drawn, (after,) = line.svg(0, 0), lines("$x^2$, so", 14)
    steps = [float(dy) for dy in re.findall(r'dy="(\S+)"', drawn)]
    assert steps == pytest.approx([-low.up, low.up - high.up])  # y goes down
    steps = [float(dy) for dy in re.findall(r'dy="(\S+)"', after.svg(0, 0))]
    assert len(steps) == 2 and steps[0] < 0 and sum(steps) == 0  # and back
    assert plain("$h_{12}$, the / state") == "h 12, the, state"


def test_words_are_measured_in_the_font() -> None:
    assert width("MM", 100) == 2 * width("M", 100) > 4 * width("i", 100)
    assert width("i", 2048) == 498  # units of Roboto are 2048 an em


def test_the_cells_of_a_strip_and_the_bars_of_numbers_are_in_their_places() -> None:
    boxes = "s | strip 4 | | s\n a | bars | | a"
    values, weights = [0.25, 0.75, 0.5], {"a.1 s": 0.25, "a.2 s": 0.75}
    panel = Panel(
        boxes=boxes,
        grid="| 100\n s\n +40\n a",
        arrows="a.1 ~> s\n a.2 ~> s",
        numbers={"a": values},
        weights=weights,
    )
    layout = panel.layout(False)
    s, a = layout.places["s"], layout.places["a"]
    drawn = "".join(panel.draw(layout, layout.width))
    cuts = re.findall(r"M([\d.]+) ([\d.]+)v([\d.]+)", drawn)
    left, top, right, bottom = s.edges
    at = [left + n * (right - left) / 4 for n in (1, 2, 3)]
    assert [float(x) for x, _, _ in cuts] == pytest.approx(at, abs=0.1)
    assert {(float(y), float(y) + float(v)) for _, y, v in cuts} == {(top, bottom)}
    rect = r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"'
    bars = [[*map(float, bar)] for bar in re.findall(rect + r' rx="1"', drawn)]
    heights = [height for _, _, _, height in bars]
    assert heights == pytest.approx([54 * value for value in values], abs=0.1)
    assert len({y + height for _, y, _, height in bars}) == 1  # on one ground
    middles = [x + wide / 2 for x, _, wide, _ in bars]
    assert middles == pytest.approx([a.part(n).x for n in (1, 2, 3)], abs=0.1)
    assert middles == sorted(middles)
    number = r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>(\.\d+)<'
    for (x, y, text), bar, value in zip(
        re.findall(number, drawn), bars, values, strict=True
    ):
        assert float(text) == value and bar[1] - 6 < float(y) < bar[1]
        assert float(x) == pytest.approx(bar[0] + bar[2] / 2, abs=0.1)
    widths = [float(wide) for wide in re.findall(r"stroke-width:([\d.]+)", drawn)]
    assert widths == sorted(widths) and len({*widths}) == 2  # the weight's


def test_a_line_from_side_to_side_begins_and_ends_at_the_middle_of_a_side() -> None:
    grid = """
     | 40 200
     a b
     +40
     . c
     +40
     d .
    """
    boxes = "\n".join(f"{name} | op | {name} | {name}" for name in "abcd")
    places = Panel(boxes=boxes, grid=grid, arrows="a -/> c").layout(False).places
    ends = {
        (one, two): route(
            Arrow(one, two, "-/>"), places[one], places[two], False
        ).points
        for one, two in ("ac", "ca", "ad", "da")
    }
    a, c, d = (places[name] for name in "acd")
    assert ends["a", "c"] == ((a.extent[2] + CLEAR, a.y), (c.extent[0] - CLEAR, c.y))
    assert ends["c", "a"] == ends["a", "c"][::-1]
    assert ends["a", "d"] == ((a.x, a.edges[3] + CLEAR), (d.x, d.edges[1] - CLEAR))
    assert ends["d", "a"] == ends["a", "d"][::-1]
