"""Figures as inline SVG: the palette, the text, the ids, the bytes."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import matplotlib
import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure

from lookback.engine import svg, textsize
from lookback.figures import alignment, bars, curves, frames
from lookback.figures.marks import GOLD

NS = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def style():
    """The book's style, and everything as it was afterwards."""
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


def tree(text: str) -> ET.Element:
    return ET.fromstring(text)


def test_a_line_chart_is_one_element_that_leaves_the_page_alone() -> None:
    text = svg.to_svg(lines(), prefix="a")
    assert text.startswith("<svg ") and text.endswith("</svg>")
    for unwanted in ("<?xml", "<!", "<style", "<metadata", "xlink", "Matplotlib"):
        assert unwanted not in text


def test_a_line_chart_weighs_at_most_3_kb_compressed() -> None:
    assert len(gzip.compress(svg.to_svg(lines(), prefix="a").encode(), 6)) <= 3 * 1024


def test_no_sentinel_colour_remains() -> None:
    figure = lines()
    axes = figure.axes[0]
    axes.axhline(3, color="black")
    axes.axhspan(1, 2, hatch="//", facecolor="white")
    axes.legend(["one"], frameon=True)
    text = svg.to_svg(figure, prefix="a")
    assert not re.search(r"#[0-9a-f]{6}\b", text, re.IGNORECASE)
    for name in ("c0", "c1", "c2", "c3", "c4", "grid", "muted", "paper"):
        assert f"var(--lb-{name})" in text
    assert "currentColor" in text


def test_every_colour_of_the_style_file_is_a_sentinel() -> None:
    written = re.findall(r"\b[0-9a-f]{6}\b", svg.STYLE.read_text())
    assert {f"#{colour}" for colour in written} == set(svg.COLOURS) - {
        "#000000",
        "#ffffff",
        GOLD,  # of a mark in a map, which no style has a setting for
    }
    cycle = [entry["color"] for entry in matplotlib.rcParams["axes.prop_cycle"]]
    assert [svg.COLOURS[f"#{c.lstrip('#')}"] for c in cycle] == [
        f"var(--lb-c{i})" for i in range(6)
    ]


def test_the_size_is_a_width_that_css_may_change() -> None:
    root = tree(svg.to_svg(lines(), prefix="a"))
    assert "width" not in root.attrib and "height" not in root.attrib
    width = float(root.attrib["viewBox"].split()[2])
    assert width == pytest.approx(5.4 * 72, abs=8)
    assert f"width:{width * 4 / 3:.0f}px;max-width:100%" in root.attrib["style"]


def test_text_stays_text_in_the_served_font() -> None:
    root = tree(svg.to_svg(lines(), prefix="a"))
    texts = {"".join(element.itertext()) for element in root.iter(f"{NS}text")}
    assert {"order", "perplexity", "a < b & c", "100"} <= texts
    styles = [element.get("style", "") for element in root.iter()][1:]
    assert "font-family:'Roboto'" in root.attrib["style"]
    assert not any("font-family" in style for style in styles)
    found = font_manager.findfont("Roboto", fallback_to_default=False)
    assert "font_roboto" in found


def test_exponents_are_text_too() -> None:
    figure = Figure()
    figure.add_subplot().set_xlabel("$10^{-3}$")
    root = tree(svg.to_svg(figure, prefix="a"))
    assert "10−3" in {"".join(t.itertext()) for t in root.iter(f"{NS}text")}


def test_every_id_begins_with_the_prefix_and_every_reference_holds() -> None:
    text = svg.to_svg(lines(), prefix="fig-1")
    ids = re.findall(r'\bid="([^"]+)"', text)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    assert len(ids) == len(set(ids)) and used and used <= set(ids)
    assert all(name.startswith("fig-1-") for name in ids)


def test_two_figures_on_one_page_share_no_id() -> None:
    ids = [
        set(re.findall(r'\bid="([^"]+)"', svg.to_svg(lines(), prefix=prefix)))
        for prefix in ("a", "b")
    ]
    assert ids[0] and not ids[0] & ids[1]


def test_a_heat_map_fades_one_colour_of_the_palette() -> None:
    root = tree(svg.to_svg(heat(), prefix="h"))
    meshes = [
        group
        for group in root.iter(f"{NS}g")
        if group.get("shape-rendering") == "crispEdges"
    ]
    assert all(mesh.get("style") == "fill: var(--lb-c0)" for mesh in meshes)
    styles = [path.get("style", "") for mesh in meshes for path in mesh]
    assert root.find(f".//{NS}linearGradient") is not None  # the bar, no pixels
    assert not any(
        "fill: none" in style for style in styles
    )  # a share of 0 is left out
    fades = [re.search(r"fill-opacity: ([\d.]+)", style) for style in styles[:5]]
    shares = [float(fade[1]) if fade else 1.0 for fade in fades]
    assert shares == pytest.approx([0.5, 0.25, 1, 0.1, 0.9], abs=0.03)


def test_pixels_are_refused() -> None:
    figure = Figure()
    figure.add_subplot().imshow([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="pcolormesh"):
        svg.to_svg(figure, prefix="a")


@pytest.mark.parametrize("prefix", ["", "1a", "a b", 'a"'])
def test_a_prefix_that_cannot_begin_an_id_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="prefix"):
        svg.to_svg(lines(), prefix=prefix)


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
        "d": "M0 0v2",
        "style": "fill: url(#a-a); stroke: var(--lb-c0)",
    }
    assert second.attrib == {
        "id": "a-b",
        "clip-path": "url(#a-a)",
        "fill": "var(--lb-c0)",
        "stroke": "#123456",
    }
    assert use.attrib == {"href": "#a-b"}
    assert root.findtext(f"{NS}text") == "#1766ad"


def test_places_are_short() -> None:
    drawing = DRAWING.replace("1e-3", "12.345678").replace("0 0 L", "-0.001 7.1 L")
    (path, _) = tree(svg.adapt(drawing, prefix="a")).iter(f"{NS}path")
    assert path.attrib["d"] == "M0 7.1l12.3-5.1"


def test_a_figure_of_the_book_comes_with_its_parts() -> None:
    figure = curves([1, 2], {"a": [1, 2]}, xlabel="x", ylabel="y", size=(6, 3))
    parts = svg.parts_of(figure)
    assert set(parts) == {"svg", "narrow", "numbers"}
    drawn = svg.adapted(parts, prefix="f1")
    wide, narrow = (tree(drawn[name]) for name in ("svg", "narrow"))
    widths = [float(root.attrib["viewBox"].split()[2]) for root in (wide, narrow)]
    assert widths[1] < 3.5 * 72 < widths[0]
    assert not {e.get("id") for e in wide.iter()} & {
        e.get("id") for e in narrow.iter()
    } - {None}
    assert set(svg.parts_of(lines())) == {"svg"}


@pytest.mark.parametrize(
    ("wide", "narrow", "forms"),
    [
        ((6.0, 3.0), (3.4, 3.0), {"svg": 6.0, "narrow": 3.4}),
        ((3.7, 3.0), (3.4, 3.0), {"svg": 3.7}),  # it fits a phone as it is
        ((4.9, 3.0), (3.4, 3.8), {"svg": 3.4}),  # a phone's will do for all
        ((4.9, 3.0), (3.4, 4.2), {"svg": 4.9, "narrow": 3.4}),  # its panels are stacked
        ((5.1, 3.0), (3.4, 3.0), {"svg": 5.1, "narrow": 3.4}),
    ],
)
def test_a_small_figure_has_one_drawing_for_all_screens(
    wide: tuple[float, float], narrow: tuple[float, float], forms: dict[str, float]
) -> None:
    def whole(size: tuple[float, float]) -> Figure:
        figure = Figure(figsize=size)
        figure.savefig = lambda *args, **kw: Figure.savefig(  # type: ignore[method-assign]
            figure, *args, **kw | {"bbox_inches": figure.bbox_inches}
        )
        return figure

    figure = whole(wide)
    figure.narrow = lambda: whole(narrow)  # type: ignore[attr-defined]
    parts = svg.parts_of(figure)
    widths = {
        name: float(tree(drawing).attrib["viewBox"].split()[2]) / 72
        for name, drawing in parts.items()
    }
    assert widths == pytest.approx(forms)
    drawn = svg.adapted(parts, prefix="f1")
    least = re.search(r"width:(\d+)px;max-width:100%;min-width:(\d+)px", drawn["svg"])
    assert least
    share = 0.9 if float(least[1]) <= svg.FITS_A_PHONE else 0.7
    assert int(least[2]) == round(share * forms["svg"] * 96)


def test_a_map_names_the_module_that_moves_it() -> None:
    figure = alignment([[0.5, 0.5]], source=["a", "b"], target=["c"])
    assert svg.parts_of(figure)["live"] == "map"


def test_frames_come_with_their_labels() -> None:
    def draw(n: int) -> Figure:
        return curves([1, 2], {"a": [n, 2]}, xlabel="x", ylabel="y")

    parts = svg.parts_of(frames(draw, [1, 2, 3], chosen=["1", "3"]))
    found = json.loads(svg.adapted(parts, prefix="f1")["frames"])
    assert [(f["label"], f["chosen"]) for f in found] == [("1", 1), ("2", 0), ("3", 1)]
    ids = [set(re.findall(r'\bid="([^"]+)"', frame["svg"])) for frame in found]
    assert ids[0] and not ids[0] & ids[1]


def test_each_frame_keeps_its_numbers_and_its_module() -> None:
    def draw(weight: float) -> Figure:
        return alignment([[weight, 1 - weight]], source=["a", "b"], target=["c"])

    maps = svg.parts_of(frames(draw, [0.25, 0.5]))
    first, second = json.loads(svg.adapted(maps, prefix="f1")["frames"])
    assert first["live"] == second["live"] == "map"
    assert ">0.25<" in first["numbers"] and ">0.25<" not in second["numbers"]
    bare = svg.parts_of(frames({"1": Figure(), "2": Figure()}))
    assert all(
        f.keys() == {"label", "svg", "chosen"} for f in json.loads(bare["frames"])
    )


def test_the_bytes_repeat_in_another_process() -> None:
    program = (
        "from lookback.engine import svg; svg.use_style()\n"
        "from matplotlib.figure import Figure\n"
        "f = Figure(); a = f.add_subplot(); a.plot([1, 2], [3, 4], marker='o')\n"
        "a.fill_between([1, 2], [3, 4], hatch='/'); a.set_xlabel('$x^2$')\n"
        "print(svg.to_svg(f, prefix='p'))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1 and next(iter(outputs)).startswith("<svg")


def test_a_figure_is_what_matplotlib_alone_would_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def plain(figure: Figure) -> str:
        stream = io.BytesIO()
        figure.savefig(stream, format="svg", metadata={"Date": None})
        return stream.getvalue().decode()

    def same(text: str) -> list[str]:
        """Without the names of clips, which are drawn from the last of their digits."""
        names = dict.fromkeys(re.findall(r"\bp[0-9a-f]{10}\b", text))
        for n, name in enumerate(names):
            text = text.replace(name, f"clip{n}")
        return text.splitlines()

    def many() -> list[Figure]:
        maths = lines()
        maths.axes[0].set(title="two\nlines", xlabel="$x^2$", yscale="log")
        maths.axes[0].legend(["a", "b"])
        by_hand = Figure(layout="none")
        by_hand.text(0.5, 0.5, "a word", style="italic", weight="bold")
        a_map = alignment([[0.2, 0.8]], source=["a", "b"], target=["c"])
        return [maths, heat(), by_hand, a_map, Figure(), *with_many_ticks()]

    def with_many_ticks() -> list[Figure]:
        small, large = Figure(), Figure()
        axes = small.add_subplot(xscale="log", xlim=(1, 1000), title="small ticks")
        axes.grid(which="both", axis="both")
        axes.tick_params(which="minor", length=4)
        for panel in large.subplots(2, 2).flat:
            panel.plot([1e9, 1.1e9, 3e9], [1e-9, 2e-9, 0], label="large numbers")
            panel.set(title="a title", xlabel="x", ylabel="y")
        large.axes[3].xaxis.tick_top()
        large.axes[2].set_axis_off()
        weights = {name: np.eye(3) * 0.5 for name in ("one", "two", "three")}
        words = ["long words", ".", "that lean"]
        panels = alignment(weights, source=words, target=words)
        long = [f"a label {n}" for n in range(9)]
        values = {"even": np.arange(9), "odd": np.arange(9) / 2}
        columns = bars(long, values, ylabel="y", xlabel="x", fmt="{:.1f}")
        line = curves([1, 10, 100], {"a name": [1, 5, 20]}, xlabel="x", ylabel="y")
        logs = curves(
            [1, 10, 100], {"a name": [1, 5, 20]}, xlabel="x", ylabel="y", log="xy"
        )
        return [small, large, panels, columns, line, logs]

    drawn = [svg._document(figure) for figure in many()]
    monkeypatch.undo()
    monkeypatch.setattr(RendererSVG, "get_text_width_height_descent", textsize._measure)
    monkeypatch.delattr(RendererSVG, "_get_font_height_metrics")
    with matplotlib.rc_context({"svg.hashsalt": "lookback"}):
        for ours, figure in zip(drawn, many(), strict=True):
            assert same(ours) == same(plain(figure))


def test_a_figure_can_be_drawn_again() -> None:
    figure = lines()
    size, dpi, canvas = figure.get_size_inches(), figure.dpi, figure.canvas
    first = svg.to_svg(figure, prefix="a")
    assert figure.get_layout_engine() is not None
    assert (figure.dpi, figure.canvas) == (dpi, canvas)
    assert (figure.get_size_inches() == size).all()
    assert svg.to_svg(figure, prefix="a") == first


def test_importing_us_does_not_import_matplotlib() -> None:
    program = "import sys, lookback.engine.svg; print('matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
