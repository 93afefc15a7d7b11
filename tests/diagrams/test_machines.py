"""Hold each drawn machine against its run, name wrong arrows, check where marks are."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from fontTools.ttLib import TTFont
from lxml import etree

from lookback.diagrams import (
    bahdanau,
    bert,
    decoder,
    encoder,
    gpt,
    lstm,
    modern,
    transformer,
)
from lookback.figures import diagram
from lookback.figures.diagram import Diagram, Panel, around, whole
from lookback.figures.diagram_grid import Edges, Layout, Placed
from lookback.figures.diagram_routes import CLEAR, HEAD, TAP, Arrow, Point
from lookback.figures.diagram_text import BOLD, width
from lookback.figures.frames import Frames
from lookback.lstm import GRUCell, LSTMCell, ResetAfterGRUCell

ROOT = Path(__file__).parents[2]
FILES = (ROOT / "src/lookback/diagrams").glob("[a-z]*.py")
MODULES = sorted(p.stem for p in FILES if "def draw()" in p.read_text("utf-8"))
Hold = Callable[[Panel], Panel]


def module(name: str) -> ModuleType:
    return import_module(f"lookback.diagrams.{name}")


PLAIN = (
    "encdec", "grouped", "luong", "multihead", "nplm", "recurrent", "recursive",
    "seq2seq", "training", "transformer", "window", "word2vec",
)  # fmt: skip
PANELS: dict[str, tuple[Callable[[], Panel], Hold]] = {
    **{name: (module(name).panel, module(name).hold) for name in PLAIN},
    "bahdanau": (
        lambda: bahdanau.panel(["a", "b", "c", "</s>"], ["x", "y"], [0.25] * 4),
        bahdanau.hold,
    ),
    "bert": (bert.model, bert.hold_model),
    **{
        f"{side.__name__}, {form}-norm": (
            partial(lambda side, n: side.panels()[n], side, n),
            partial(side.hold, norm_first=bool(n)),
        )
        for side in (encoder, decoder)
        for n, form in enumerate(("post", "pre"))
    },
    "gpt": (gpt.model, gpt.hold_model),
    "gpt, a block": (gpt.block, gpt.hold_block),
    "gru": (lstm.gru, lambda panel: lstm.hold(panel, GRUCell(3, 5))),
    "lstm": (lstm.lstm, lambda panel: lstm.hold(panel, LSTMCell(3, 5))),
    "modern, a layer": (modern.layer, modern.hold_layer),
    "modern, its gate": (modern.gate, modern.hold_gate),
    "transformer, one box": (transformer.box, transformer.hold),
    "transformer, towers": (transformer.towers, transformer.hold),
    "transformer, blocks": (transformer.blocks, transformer.hold),
}


@pytest.mark.parametrize("name", PANELS)
def test_every_arrow_that_is_removed_or_wrong_is_named(name: str) -> None:
    """Remove all true arrows and draw all false ones: one run names them all."""
    make, hold = PANELS[name]
    panel = make()
    claims = panel.claims
    drawn = {(whole(each.start), whole(each.end)) for each in panel.lines}
    true = claims.arrows & drawn | claims.omits
    grouped = claims.arrows - drawn
    pairs = {(a, b) for a in claims.boxes for b in claims.boxes if a != b}
    false = pairs - true - grouped
    arrows = "\n".join(f"{a} -> {b}" for a, b in sorted(false))
    with pytest.raises(ValueError, match="the drawing is not what ran") as error:
        hold(replace(panel, arrows=arrows, omits=""))
    message = str(error.value)
    missing = re.findall(r"(\w+) -> (\w+) is not drawn, but", message)
    wrong = re.findall(r"(\w+) -> (\w+) is drawn, but \w+ does not depend", message)
    assert set(missing) == true and len(missing) == len(true) > 1
    assert set(wrong) == false


def test_boxes_that_are_concatenated_are_held_too() -> None:
    make, hold = PANELS["bahdanau"]
    with pytest.raises(ValueError, match="f2 -> h2 is not drawn, but h2 reads f2"):
        hold(replace(make(), groups=""))


def test_post_norm_is_not_pre_norm() -> None:
    for side in (encoder, decoder):
        for panel, norm_first in zip(side.panels(), (True, False), strict=True):
            with pytest.raises(ValueError, match="the drawing is not what ran"):
                side.hold(panel, norm_first=norm_first)


def test_the_reset_gate_acts_before_the_product() -> None:
    with pytest.raises(ValueError, match=r"past is drawn as an op.*, and has param"):
        lstm.hold(lstm.gru(), ResetAfterGRUCell(3, 5))


def test_a_norm_without_a_box_is_named() -> None:
    panel = transformer.panel()
    boxes = "\n".join(r for r in panel.boxes.splitlines() if " tnrm2 " not in r)
    arrows = panel.arrows.replace("=> tnrm2 ", "").replace("tnrm2 ->", "tsum2 ->")
    with pytest.raises(ValueError, match=r"norm_cross_attention\.g, which lies under"):
        transformer.hold(replace(panel, boxes=boxes, arrows=arrows, groups=""))


@pytest.mark.parametrize("narrow", [False, True])
def test_the_outlines_of_all_depths_are_the_same(narrow: bool) -> None:
    """Compare the outer edges of each depth with those of the whole drawing."""
    whole_drawing = transformer.panel()
    outlines = [e for _, e in whole_drawing._edges(whole_drawing.layout(narrow))]
    encoder_side, decoder_side = outlines[2:]
    one, two, three = transformer.box(), transformer.towers(), transformer.blocks()
    box, towers = (each.layout(narrow).places for each in (one, two))
    assert towers["enc"].edges == pytest.approx(encoder_side)
    assert towers["dec"].edges == pytest.approx(decoder_side)
    assert box["all"].edges == pytest.approx(around([encoder_side, decoder_side]))
    grounds = [edges for _, edges in three._edges(three.layout(narrow))]
    np.testing.assert_allclose(grounds, outlines, atol=2)


def test_a_box_that_covers_too_little_is_named() -> None:
    panel, fewer = transformer.towers(), "att sum1 nrm1 ffn sum2 nrm2"
    with pytest.raises(ValueError, match=r"enc reads e_source\.table, .* under no box"):
        transformer.hold(replace(panel, covers=panel.covers | {"enc": fewer}))


def test_the_zoom_begins_outside_and_ends_with_every_part() -> None:
    zoom = transformer.zoom()
    assert zoom.first == "One box" and len(zoom.chosen) == 4
    last = zoom.frames["All parts"]
    assert repr(last) == repr(transformer.draw())


@pytest.fixture(scope="module")
def fonts() -> dict[bool, set[int]]:
    """Read the characters of the fonts that the site serves: symbols, or not."""
    folder = ROOT / "docs/assets/fonts"
    names = {True: "STIXTwoMath", False: "Roboto-Regular"}
    return {
        symbol: set(TTFont(folder / f"{name}.woff2").getBestCmap())
        for symbol, name in names.items()
    }


@cache
def drawings(name: str) -> list[Diagram]:
    """Draw what a module draws, all frames of a film."""
    before = torch.get_rng_state()
    drawn = module(name).draw()
    assert torch.equal(torch.get_rng_state(), before)
    return [*drawn.frames.values()] if isinstance(drawn, Frames) else [drawn]


@pytest.mark.parametrize("name", MODULES)
def test_each_module_draws_with_the_letters_of_the_site(
    name: str, fonts: dict[bool, set[int]]
) -> None:
    for drawn in drawings(name):
        check_letters(drawn._repr_figure_(), fonts)


def check_letters(markup: str, fonts: dict[bool, set[int]]) -> None:
    tree = etree.fromstring(markup.replace("&nbsp;", " "))
    assert len(tree.findall("{*}svg")) in (1, 2)
    assert "both are compared whenever the site is made" in markup
    for text in tree.iter("{*}text"):
        for each in text.iter():
            symbol = each.get("class") == "y"
            for shown, inside in ((each.text, symbol), (each.tail, False)):
                assert set(map(ord, (shown or "").strip())) <= fonts[inside], shown


@pytest.mark.parametrize("name", MODULES)
def test_each_arrow_goes_from_its_box_to_its_box(name: str) -> None:
    for panel, layout in layouts(name):
        for arrow in panel.lines:
            if drawn := panel._arrow(arrow, layout):
                line, *marks = tree(drawn)
                ends = [
                    diagram._met(layout, arrow.start, starts=True),
                    diagram._met(layout, arrow.end, starts=False),
                ]
                heads = [mark for mark in marks if mark.tag == "path"]
                tip = points(heads[0])[0] if heads else points(line)[-1]
                check_ends(points(line), tip, *ends)
                check_way(arrow, points(line), *ends)
                for dot in (mark for mark in marks if mark.tag == "circle"):
                    at = float(dot.get("cx")), float(dot.get("cy"))
                    assert at == points(line)[0]
                assert bool(heads) == (arrow.weight is None)
                for head in heads:
                    check_head(points(line), *points(head))
                for label in (mark for mark in marks if mark.tag == "text"):
                    check_label(points(line), text_edges(label))


def check_ends(line: list[Point], tip: Point, a: Placed, b: Placed) -> None:
    """Expect a line from beside a, or above its middle, to beside b, over neither."""
    start = line[0]
    if distance(start, a.extent) > CLEAR + 0.6:  # it branches off a trunk
        assert start[0] == pytest.approx(a.x, abs=0.1) and line[1][1] == start[1]
        gaps = distance(start, a.edges), distance((b.x, start[1]), b.edges)
        assert gaps[0] == pytest.approx(4, abs=0.1) or gaps[1] <= TAP + 0.1
    assert distance(tip, b.extent) <= CLEAR + 0.1
    for x, y in samples([*line, tip]):
        for left, top, right, bottom in (a.edges, b.edges):
            assert not (left + 0.1 < x < right - 0.1 and top + 0.1 < y < bottom - 0.1)


def check_way(arrow: Arrow, line: list[Point], a: Placed, b: Placed) -> None:
    """Expect a curve that is upright at its ends, or legs that never turn back."""
    if arrow.how == "~>":
        assert line[0][0] == line[1][0] and line[2][0] == line[3][0]
        aside = line[-1][0] - b.x
        assert abs(aside) < 0.1 or aside * (a.x - b.x) > 0  # of a fan: on its own side
        return
    legs = [np.subtract(end, start) for start, end in pairwise(line)]
    for one, other in pairwise(legs):
        assert one @ other > -0.1 or np.hypot(*other) < 2  # a head hides that much


def check_head(line: list[Point], tip: Point, *corners: Point) -> None:
    """Expect a triangle that goes on where the line ends, in its direction."""
    along = np.subtract(tip, line[-2])
    base, way = np.mean(corners, axis=0), np.subtract(tip, line[-1])
    np.testing.assert_allclose(base, line[-1], atol=0.11)
    assert HEAD - 1.2 < np.hypot(*way) < HEAD + 1.2
    cosine = along @ way / np.hypot(*along) / np.hypot(*way)
    assert cosine == pytest.approx(1, abs=0.01)
    sides = [np.hypot(*np.subtract(tip, corner)) for corner in corners]
    assert sides[0] == pytest.approx(sides[1], abs=0.3)


def check_label(line: list[Point], edges: Edges) -> None:
    """Expect a label near its arrow, and not on it."""
    gaps = [distance(point, edges) for point in samples(line)]
    assert 0 < min(gaps) < 9


@pytest.mark.parametrize("name", MODULES)
def test_each_shape_is_where_its_box_is_and_each_label_free(name: str) -> None:
    for panel, layout in layouts(name):
        root = tree("".join(panel.draw(layout, layout.width)))
        found, inside = set(), []
        for group in root.iter("g"):
            if part := group.get("data-part"):
                placed = layout.places[part.split()[0]]
                found.add(placed.box.name)
                inside += [*group.iter("text")]
                for rect in group.iter("rect"):
                    check_inside(rect_edges(rect), placed.edges, 0.2)
                for text in group.iter("text"):
                    check_inside(text_edges(text), placed.extent, 1)
                for circle in group.iter("circle"):
                    middle = float(circle.get("cx")), float(circle.get("cy"))
                    assert middle == pytest.approx((placed.x, placed.y), abs=0.1)
        assert found == set(layout.places)
        free = [text for text in root.iter("text") if text not in inside]
        texts = {text: text_edges(text) for text in (*inside, *free)}
        for group, edges in panel._edges(layout):
            words = group.label.partition("$")[0]
            for text in (text for text in free if words and text.text == words):
                check_inside(texts[text], edges, 1)
                right = edges[2] - texts[text][2] < texts[text][0] - edges[0]
                assert right == (group.side == "end")
        boxes = [each.edges for each in layout.places.values()]
        for text in free:
            others = [edges for other, edges in texts.items() if other is not text]
            assert not any(meet(texts[text], each) for each in (*boxes, *others))


@pytest.mark.parametrize("name", MODULES)
def test_no_word_is_outside_of_its_drawing(name: str) -> None:
    for drawn in drawings(name):
        for form in drawn.forms():
            root = tree(form)[0]
            whole_form = 0, 0, float(root.get("width")), float(root.get("height"))
            assert root.get("viewBox") == " ".join(f"{e:g}" for e in whole_form)
            for text in root.iter("{*}text"):
                x, y = moved(text)
                left, top, right, bottom = text_edges(text)
                shown = left + x, top + y, right + x, bottom + y
                check_inside(shown, whole_form, 0.5)


def layouts(name: str) -> Iterator[tuple[Panel, Layout]]:
    """Yield the panels of a module's drawings, each as desktops and phones have it."""
    for drawn in drawings(name):
        for panel in drawn.panels:
            yield from ((panel, panel.layout(narrow)) for narrow in (False, True))


def tree(markup: str) -> etree._Element:
    return etree.fromstring(f"<g>{markup.replace('&nbsp;', ' ')}</g>")


def points(path: etree._Element) -> list[Point]:
    found = re.findall(r"(-?[\d.]+) (-?[\d.]+)", path.get("d"))
    return [(float(x), float(y)) for x, y in found]


def samples(line: list[Point]) -> list[Point]:
    return [
        (x + t * (u - x), y + t * (v - y))
        for (x, y), (u, v) in pairwise(line)
        for t in np.linspace(0, 1, 13)
    ]


def distance(point: Point, edges: Edges) -> float:
    """Measure from a point to a rectangle; 0 inside it."""
    (x, y), (left, top, right, bottom) = point, edges
    return float(np.hypot(max(left - x, 0, x - right), max(top - y, 0, y - bottom)))


def rect_edges(rect: etree._Element) -> Edges:
    x, y, wide, high = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
    return x, y, x + wide, y + high


def text_edges(text: etree._Element) -> Edges:
    """Measure an SVG text as it is set, in the fonts of the site."""
    size, x, y = (float(text.get(key)) for key in ("font-size", "x", "y"))
    bold = BOLD if text.get("font-weight") else 1
    wide = width(text.text or "", size) * bold
    for run in text:
        symbol, own = run.get("class") == "y", float(run.get("font-size", size))
        shown = (run.text or "").replace("\u0303", "")  # a tilde has no width
        wide += width(shown, own, "symbols" if symbol else "words")
        wide += float(run.get("dx", 0)) + width(run.tail or "", size) * bold
    anchors = (text.get("class") or "").split()
    left = x - wide * (0 if "start" in anchors else 1 if "end" in anchors else 0.5)
    return left, y - 0.75 * size, left + wide, y + 0.2 * size


def moved(text: etree._Element) -> Point:
    """Return how far the panels around a text move it."""
    ways = [each.get("transform") or "" for each in text.iterancestors()]
    found = [re.findall(r"translate\((\S+) (\S+)\)", way) for way in ways]
    return sum(float(x) for [(x, _)] in filter(None, found)), sum(
        float(y) for [(_, y)] in filter(None, found)
    )


def check_inside(edges: Edges, outer: Edges, by: float) -> None:
    assert all(a >= b - by for a, b in zip(edges[:2], outer[:2], strict=True)), edges
    assert all(a <= b + by for a, b in zip(edges[2:], outer[2:], strict=True)), edges


def meet(one: Edges, other: Edges) -> bool:
    return (
        one[0] < other[2] - 1 and other[0] < one[2] - 1
        and one[1] < other[3] - 1 and other[1] < one[3] - 1
    )  # fmt: skip


def test_the_trained_weights_are_drawn() -> None:
    markup = bahdanau.draw()._repr_figure_()
    assert ">.99</text>" in markup and "noir" in markup
