"""Test inline SVG: palette, text, ids, parts of a page, repeated bytes."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.figure import Figure

from lookback.engine import svg
from lookback.engine.output import Output
from lookback.figures import alignment, frames
from lookback.figures.diagram import STYLE as DIAGRAM_CSS
from lookback.figures.diagram import Diagram, Panel
from lookback.figures.marks import GOLD

NS = "{http://www.w3.org/2000/svg}"
ASSETS = Path(__file__).parents[2] / "docs/assets"


@pytest.fixture(autouse=True)
def style():
    """Set the book's style for one test, and restore fonts and colour maps."""
    fonts = list(font_manager.fontManager.ttflist)
    with matplotlib.rc_context():
        svg.use_style()
        yield
    font_manager.fontManager.ttflist = fonts
    matplotlib.colormaps.unregister("lookback")


def lines() -> Figure:
    figure = Figure()
    axes = figure.add_subplot()
    for k in range(1, 6):
        axes.plot(np.arange(1, 9), 100 / np.arange(1, 9) / k, marker="o", ls="--")
    axes.set(xlabel="order", ylabel="perplexity", title="a < b & c")
    return figure


def heat() -> Figure:
    figure = Figure(figsize=(4, 3))
    axes = figure.add_subplot()
    mesh = axes.pcolormesh([[0.0, 0.5], [0.25, 1.0], [0.1, 0.9]], vmin=0, vmax=1)
    figure.colorbar(mesh)
    return figure


def drawn(figure: Figure, *, prefix: str) -> str:
    return svg.drawn(figure, prefix=prefix).text


def tree(text: str) -> ET.Element:
    return ET.fromstring(text)


def test_no_sentinel_colour_remains() -> None:
    figure = lines()
    axes = figure.axes[0]
    axes.axhline(3, color="black")
    axes.axhspan(1, 2, hatch="//", facecolor="white")
    axes.legend(["one"], frameon=True)
    text = drawn(figure, prefix="a")
    assert not re.search(r"#[0-9a-f]{6}\b", text, re.IGNORECASE)
    for name in ("c0", "c1", "c2", "c3", "c4", "grid", "muted", "paper"):
        assert f"var(--lb-{name})" in text
    assert "currentColor" in text


def test_every_colour_of_the_style_file_is_a_sentinel() -> None:
    written = re.findall(r"\b[0-9a-f]{6}\b", svg.STYLE.read_text())
    assert {f"#{colour}" for colour in written} == set(svg.COLOURS) - {
        "#000000",
        "#ffffff",
        GOLD,  # of a mark in a map, which no style has a context for
    }
    cycle = [entry["color"] for entry in matplotlib.rcParams["axes.prop_cycle"]]
    assert [svg.COLOURS[f"#{c.lstrip('#')}"] for c in cycle] == [
        f"var(--lb-c{i})" for i in range(6)
    ]


def test_the_mark_of_a_gold_link_is_the_palettes_gold() -> None:
    figure = alignment([[0.5, 1]], source=["a", "b"], target=["c"], gold={(1, 0)})
    text = drawn(figure, prefix="a")
    assert "var(--lb-gold)" in text and GOLD not in text


COLOURED = re.compile(r"(--[\w-]+): (#[0-9a-f]{3,6});")


def palettes() -> tuple[dict[str, str], dict[str, str]]:
    """Read the light palette and the dark one from the style sheets of the site."""
    sheets = [*ASSETS.glob("*.css"), DIAGRAM_CSS]
    found: tuple[list, list] = ([], [])
    for sheet in sheets:
        if sheet.stem != "print":  # what paper has instead
            light, _, dark = sheet.read_text("utf-8").partition("/* Dark.")
            dark, _, rest = dark.partition("\n}\n")
            found[0].extend(COLOURED.findall(light + rest))
            found[1].extend(COLOURED.findall(dark))
    for palette in found:  # each colour has one place
        names = [name for name, _ in palette]
        assert sorted(names) == sorted(set(names))
    return dict(found[0]), dict(found[1])


def contrast(one: str, other: str) -> float:
    """Compute the contrast of two colours as WCAG 2 defines it."""
    bright = []
    for colour in (one, other):
        parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(
            parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4
        )
        bright.append(float(linear @ [0.2126, 0.7152, 0.0722]))
    return (max(bright) + 0.05) / (min(bright) + 0.05)


def test_each_colour_stands_once_in_each_palette_and_can_be_read() -> None:
    light, dark = palettes()
    assert light.keys() == dark.keys()
    used = {c[4:-1] for c in svg.COLOURS.values() if c != "currentColor"}
    assert used <= light.keys()
    for palette in (light, dark):
        paper, panel = palette["--lb-paper"], palette["--lb-panel"]
        for name, colour in palette.items():
            least = 3.0 if name == "--lb-edge" else 4.5
            if name not in ("--lb-paper", "--lb-panel", "--lb-rule", "--lb-grid"):
                assert contrast(colour, paper) >= least, name
            if name.startswith("--md-code"):
                assert contrast(colour, panel) >= least, name


def test_paper_changes_neutral_colours_alone() -> None:
    changed = dict(COLOURED.findall((ASSETS / "print.css").read_text("utf-8")))
    names = ("paper", "panel", "ink", "muted", "rule", "grid")
    assert changed.keys() == {f"--lb-{name}" for name in names}
    for ink in ("--lb-ink", "--lb-muted"):
        assert contrast(changed[ink], "#ffffff") >= 4.5


def test_the_size_is_a_width_that_css_may_change() -> None:
    root = tree(drawn(lines(), prefix="a"))
    assert "width" not in root.attrib and "height" not in root.attrib
    width = float(root.attrib["viewBox"].split()[2])
    assert width == pytest.approx(4.6 * 72, abs=8)
    px = width * 4 / 3
    sizes = f"width:{1.15 * px:.0f}px;max-width:100%;min-width:{0.7 * px:.0f}px"
    assert sizes in root.attrib["style"]


def test_text_stays_text_in_the_served_font() -> None:
    root = tree(drawn(lines(), prefix="a"))
    texts = {"".join(element.itertext()) for element in root.iter(f"{NS}text")}
    assert {"order", "perplexity", "a < b & c", "100"} <= texts
    fonts = [e.get("style", "") for e in root.iter() if e.tag in (f"{NS}text", "text")]
    assert fonts and all("'Roboto'" in style for style in fonts)
    found = font_manager.findfont("Roboto", fallback_to_default=False)
    assert "font_roboto" in found


def test_a_drawing_leaves_the_page_alone() -> None:
    text = drawn(lines(), prefix="fig-1")
    for unwanted in ("<?xml", "<!", "<style", "<metadata", "xlink", "Matplotlib"):
        assert unwanted not in text
    ids = re.findall(r'\bid="([^"]+)"', text)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    assert len(ids) == len(set(ids)) and used and used <= set(ids)
    assert all(name.startswith("fig-1-") for name in ids)


def test_pixels_are_refused() -> None:
    figure = Figure()
    figure.add_subplot().imshow([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="pcolormesh"):
        drawn(figure, prefix="a")


DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="9pt" viewBox="0 0 9 9"><defs>'
    '<pattern id="h68e27"><rect width="9"/></pattern></defs>'
    '<path d="M 0 0 L 1e-3 2" style="fill: url(#h68e27); stroke: #1766AD"/>'
    '<path id="27e1" clip-path="url(#h68e27)" fill="#1766ad" stroke="#123456"/>'
    '<use xmlns:x="http://www.w3.org/1999/xlink" x:href="#27e1"/>'
    "<text>#1766ad</text></svg>"
)


def test_colours_and_references_change_and_nothing_else() -> None:
    root = tree(svg.adapt(DRAWING, prefix="a"))
    first, second = root.iter(f"{NS}path")
    (use,) = root.iter(f"{NS}use")
    assert first.attrib == {
        "d": "M 0 0 L 1e-3 2",
        "style": "fill: url(#a-h68e27); stroke: var(--lb-c0)",
    }
    assert second.attrib == {
        "id": "a-27e1",
        "clip-path": "url(#a-h68e27)",
        "fill": "var(--lb-c0)",
        "stroke": "#123456",
    }
    assert use.attrib == {"href": "#a-27e1"}
    assert root.findtext(f"{NS}text") == "#1766ad"


def test_a_heat_map_fades_one_colour_of_the_palette() -> None:
    text = drawn(heat(), prefix="h")
    meshes = [
        group
        for group in tree(text).iter(f"{NS}g")
        if group.get("shape-rendering") == "crispEdges"
    ]
    styles = [path.get("style", "") for path in meshes[0]]
    shares = [re.search(r"fill-opacity: ([\d.]+)", style) for style in styles]
    found = [float(share[1]) if share else 1.0 for share in shares[1:]]
    assert "fill: none" in styles[0] or "fill-opacity: 0" in styles[0]
    assert found == pytest.approx([0.5, 0.25, 1, 0.1, 0.9], abs=0.03)
    assert all("var(--lb-c0)" in style for style in styles[1:])
    assert len(meshes) == 2  # the colour bar is cells, too, and no pixels


def test_a_map_names_the_module_that_moves_it() -> None:
    figure = alignment([[0.5, 0.5]], source=["a", "b"], target=["c"])
    output = svg.drawn(figure, prefix="m")
    assert output.script == "map" and "<table" in output.numbers
    assert not svg.drawn(lines(), prefix="a").numbers
    touched = tree(output.text)
    px = float(touched.attrib["viewBox"].split()[2]) * 4 / 3
    assert f"min-width:{0.9 * px:.0f}px" in touched.attrib["style"]  # for fingers


def test_frames_come_with_their_labels_numbers_and_module() -> None:
    def draw(n: float) -> Figure:
        return alignment([[n, 1 - n]], source=["a", "b"], target=["c"])

    shown = frames(draw, [0.25, 0.5], chosen=["0.5"], first="0.25", scroll=True)
    output = svg.drawn(shown, prefix="f1")
    assert output.settings == {
        "labels": ["0.25", "0.5"],
        "chosen": ("0.5",),
        "first": "0.25",
        "scroll": True,
    }
    ids = [{*re.findall(r'\bid="([^"]+)"', frame.text)} for frame in output.parts]
    assert ids[0] and not ids[0] & ids[1]
    first, second = output.parts
    assert first.script == second.script == "map"
    assert ">0.25<" in first.numbers and ">0.25<" not in second.numbers
    one, two = (Diagram(Panel(boxes=f"a | name | {n}", grid="| 60\na")) for n in "12")
    _, second = svg.drawn(frames({"x": one, "y": two}), prefix="f1").parts
    assert second == Output("diagram", two._repr_figure_())
