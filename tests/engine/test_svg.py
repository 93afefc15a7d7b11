"""Figures as inline SVG: the palette, the text, the ids, the bytes."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import matplotlib
import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.figure import Figure

from lookback.engine import svg

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


def test_a_line_chart_is_one_small_element() -> None:
    text = svg.to_svg(lines(), prefix="a")
    assert text.startswith("<svg ") and text.endswith("</svg>")
    assert len(text) < 12_000
    for unwanted in ("<?xml", "<!", "<style", "<metadata", "xlink", "matplotlib"):
        assert unwanted not in text
    assert not re.search(r"\d\.\d{3}", text)


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
    assert "font-family:Roboto,sans-serif" in root.attrib["style"]
    assert all("font-family" not in e.get("style", "") for e in list(root.iter())[1:])
    found = font_manager.findfont("Roboto", fallback_to_default=False)
    assert "font_roboto" in found


def test_exponents_are_text_too() -> None:
    figure = Figure()
    figure.add_subplot().set_xlabel("$10^{-3}$")
    root = tree(svg.to_svg(figure, prefix="a"))
    assert "10−3" in {"".join(t.itertext()) for t in root.iter(f"{NS}text")}


def test_every_id_is_used_and_begins_with_the_prefix() -> None:
    text = svg.to_svg(lines(), prefix="fig-1")
    ids = re.findall(r'\bid="([^"]+)"', text)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', text))
    assert sorted(ids) == sorted(used) and len(ids) == len(set(ids)) > 0
    assert all(name.startswith("fig-1-") for name in ids)


def test_two_figures_on_one_page_share_no_id() -> None:
    ids = [
        set(re.findall(r'\bid="([^"]+)"', svg.to_svg(lines(), prefix=prefix)))
        for prefix in ("a", "b")
    ]
    assert ids[0] and not ids[0] & ids[1]


def test_a_heat_map_fades_one_colour_of_the_palette() -> None:
    root = tree(svg.to_svg(heat(), prefix="h"))
    cells = [
        group.get("style", "") + ";" + path.get("style", "")
        for group in root.iter(f"{NS}g")
        if group.get("shape-rendering") == "crispEdges"
        for path in group
    ]
    assert all("fill:var(--lb-c0)" in style for style in cells)
    fades = [re.search(r"fill-opacity:([\d.]+)", style) for style in cells]
    shares = [float(fade[1]) if fade else 1.0 for fade in fades]
    assert len(shares) > 40  # the bar's steps are drawn too, not painted as pixels
    assert shares[:5] == pytest.approx([0.5, 0.25, 1, 0.1, 0.9], abs=0.03)  # no 0


def test_pixels_are_refused() -> None:
    figure = Figure()
    figure.add_subplot().imshow([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="pcolormesh"):
        svg.to_svg(figure, prefix="a")


@pytest.mark.parametrize("prefix", ["", "1a", "a b", 'a"'])
def test_a_prefix_that_cannot_begin_an_id_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="prefix"):
        svg.to_svg(lines(), prefix=prefix)


def test_what_is_said_twice_is_said_once_and_means_the_same() -> None:
    """A group's children, each with its own style, keep what each said."""
    raw = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g id="g">'
        '<path d="M 0.004 1.006 L 0.004 5 L 3 5" style="fill: none; stroke: #1766ad"/>'
        '<path d="M 1 1 L 2 2 L 3 1 z" style="fill: #c0500f; stroke: #1766ad"/>'
        '<path d="M 1 1 L 2 2" style="fill: none"/></g></svg>'
    )
    root = tree(svg.adapt(raw, prefix="a"))
    first, second = root.iter(f"{NS}path")
    assert first.get("d") == "M0 1.01V5H3"
    assert second.get("d") == "M1 1 2 2 3 1z"
    assert first.get("style") == "fill:none;stroke:var(--lb-c0)"
    assert second.get("style") == "fill:var(--lb-c1);stroke:var(--lb-c0)"


def used_twice(marker: str, first: str, second: str) -> ET.Element:
    """Two uses of a marker in a group, each with its style."""
    raw = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><defs>'
        '<clipPath id="p"><rect x="0.1234" y="0" width="9" height="9"/></clipPath>'
        f'<path id="m" d="M 0 0 L 1 1" style="{marker}"/></defs><g>'
        f'<use href="#m" x="1" clip-path="url(#p)" style="{first}"/>'
        f'<use href="#m" x="2" clip-path="url(#p)" style="{second}"/></g></svg>'
    )
    return tree(svg.adapt(raw, prefix="a"))


def test_what_all_uses_of_a_marker_say_the_marker_says() -> None:
    blue = "stroke: #1766ad"
    root = used_twice(blue, blue, blue)
    group, marker = root.find(f"{NS}g"), root.find(f"{NS}defs/{NS}path")
    assert group is not None and group.attrib == {"clip-path": "url(#a-1)"}
    assert [use.attrib for use in group] == [
        {"href": "#a-2", "x": "1"},
        {"href": "#a-2", "x": "2"},
    ]
    assert marker is not None and marker.get("style") == "stroke:var(--lb-c0)"


def test_what_uses_of_a_marker_do_not_share_they_keep() -> None:
    root = used_twice("", "fill: #1766ad; stroke: none", "stroke: none")
    group, marker = root.find(f"{NS}g"), root.find(f"{NS}defs/{NS}path")
    assert group is not None
    assert [use.get("style") for use in group] == ["fill:var(--lb-c0)", None]
    # In full, though it is what the root says: a group between may say something else.
    assert marker is not None and marker.get("style") == "stroke:none"


def test_an_id_that_looks_like_a_number_stays_one() -> None:
    raw = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><defs>'
        '<pattern id="h68e27"><rect width="9"/></pattern><path id="27e1" d="M 0 0"/>'
        '</defs><path d="M 0 0 L 1e-3 2" style="fill: url(#h68e27)"/>'
        '<use href="#27e1"/></svg>'
    )
    root = tree(svg.adapt(raw, prefix="a"))
    path = root.find(f"{NS}path")
    assert path is not None
    assert (path.get("style"), path.get("d")) == ("fill:url(#a-1)", "M0 0V2")
    assert [e.get("id") for e in root.iter() if "id" in e.attrib] == ["a-1", "a-2"]


def test_the_older_font_shorthand_is_read() -> None:
    raw = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'
        "<text style=\"font: italic 700 12px 'Roboto', sans-serif\">a</text>"
        "<text style=\"font: 9px 'Roboto', sans-serif\">b</text>"
        "<text style=\"font: 9px 'Roboto', sans-serif\">c</text></svg>"
    )
    root = tree(svg.adapt(raw, prefix="a"))
    assert root.attrib["style"].endswith("font-size:9px")
    styles = [text.get("style") for text in root.iter(f"{NS}text")]
    assert styles == ["font-size:12px;font-style:italic;font-weight:700", None, None]


def test_the_figure_says_what_it_shows() -> None:
    alt = 'perplexity "falls" from 5 < 6\nto <3> & it\'s measured'
    page = svg.figure_html(svg.to_svg(lines(), prefix="a"), alt, "A & <b>")
    seen: dict[str, dict[str, str | None]] = {}

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]):
            seen.setdefault(tag, dict(attrs))

    Reader().feed(page)
    assert seen["svg"]["role"] == "img"
    assert seen["svg"]["aria-label"] == " ".join(alt.split())
    assert "data-search-exclude" in seen["svg"]  # ticks are no words to find
    assert seen["figure"] == {"class": "lb-figure"}
    assert seen["div"] == {"class": "lb-scroll", "tabindex": "0"}
    assert page.endswith("<figcaption>A &amp; &lt;b&gt;</figcaption></figure>")
    assert "figcaption" not in svg.figure_html("<svg ></svg>", "alt")


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


def test_importing_us_does_not_import_matplotlib() -> None:
    program = "import sys, lookback.engine.svg; print('matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
