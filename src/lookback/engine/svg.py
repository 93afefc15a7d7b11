"""Adapt matplotlib's figures to the book: inline SVG in the page's palette and font.

The style file paints with sentinel colours. Here each becomes currentColor or a CSS
variable, so that one drawing serves the light and the dark page. Text stays text.
Matplotlib is imported inside the functions: most of those who import us never draw.
"""

from __future__ import annotations

import io
import os
import re
import xml.etree.ElementTree as ET
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .output import Output, printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = Path(__file__).with_name("figures.mplstyle")
COLOURS = {
    "#1d2027": "currentColor",
    "#000000": "currentColor",
    "#ffffff": "var(--lb-paper)",
    "#fcfdfe": "var(--lb-paper)",
    "#66696f": "var(--lb-muted)",
    "#d5d7da": "var(--lb-grid)",
    "#1766ad": "var(--lb-c0)",
    "#c0500f": "var(--lb-c1)",
    "#15785a": "var(--lb-c2)",
    "#9a3a86": "var(--lb-c3)",
    "#8b6a0b": "var(--lb-c4)",
    "#53606d": "var(--lb-c5)",
    "#a8690a": "var(--lb-gold)",
}
SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
UNWANTED = (f"{SVG}metadata", f"{SVG}style")  # the style is for all SVG of a page
COLOUR = re.compile(r"#[0-9A-Fa-f]{6}\b")
PX_PER_UNIT = 4 / 3  # a unit of matplotlib's SVG is 1/72 in, a CSS pixel 1/96 in
STEPS = 48  # of the colour map: matplotlib draws a colour bar of 50 steps as pixels
LARGEST = 1.15  # of a drawing's own size, on a desktop: its text is as large as ours
SMALLEST = 0.7  # a figure shrinks to this and then scrolls: its text stays legible
SMALLEST_MAP = 0.9  # so does one whose rows are touched


def use_style() -> None:
    """Set the book's rcParams, fonts and colour map for every figure of this process.

    Roboto comes from the package whose files the site serves, and from nowhere else,
    so that text is measured with the font that the reader will see.
    """
    import matplotlib
    from matplotlib import font_manager, style
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    if not os.environ.get("MPLBACKEND", "").startswith("module://"):  # a notebook's own
        matplotlib.use("agg")
    fonts = font_manager.fontManager
    fonts.ttflist = [font for font in fonts.ttflist if font.name != "Roboto"]
    folder = Path(import_module("font_roboto").font_directory)
    for name in ("Regular", "Italic", "Bold", "BoldItalic"):
        fonts.addfont(folder / f"Roboto-{name}.ttf")
    style.use(["default", STYLE])
    first = to_rgb(matplotlib.rcParams["patch.facecolor"])
    ends = [(*first, 0), (*first, 1)]
    fade = LinearSegmentedColormap.from_list("lookback", ends, N=STEPS)
    matplotlib.colormaps.register(fade, force=True)
    matplotlib.rcParams["image.cmap"] = "lookback"


def drawn(figure: Any, *, prefix: str) -> Output:
    """Convert a figure to an output: its SVG element, and its numbers.

    prefix   begins every id, so that figures of one page do not meet; unique per page
    A figure may have `numbers`, HTML, and `live`, the module that moves it. One that
    has `frames` is a sequence of figures: see Frames in figures.frames. One that has
    `still` is a figure that scripts go on with: see Live in figures.live. A diagram
    writes its own HTML.
    Raises ValueError for pictures of pixels.
    """
    if hasattr(figure, "still"):
        still = drawn(figure.still, prefix=prefix)
        return Output("live", parts=(still,), settings=figure.settings())
    if hasattr(figure, "_repr_figure_"):
        return Output("diagram", figure._repr_figure_())
    if hasattr(figure, "frames"):
        frames = enumerate(figure.frames.values())
        parts = (drawn(frame, prefix=f"{prefix}s{i}") for i, frame in frames)
        names = ("chosen", "first", "scroll")
        settings = {name: getattr(figure, name) for name in names}
        settings["labels"] = [*figure.frames]
        return Output("frames", parts=tuple(parts), settings=settings)
    numbers, script = (getattr(figure, name, "") for name in ("numbers", "live"))
    least = SMALLEST_MAP if script else SMALLEST
    svg = adapt(_document(figure), prefix=prefix, least=least)
    return Output("svg", svg, numbers, script)


def _document(figure: Figure) -> str:
    """Save the figure as an SVG document, with the same ids in each process."""
    import matplotlib

    stream = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "lookback", "svg.fonttype": "none"}):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return printable(stream.getvalue().decode())


def adapt(svg: str, *, prefix: str, least: float = SMALLEST) -> str:
    """Turn matplotlib's SVG document into an element of the book's pages.

    prefix  begins every id;  least  the share of its own size below which it scrolls
    """
    root = ET.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in UNWANTED:
                parent.remove(child)
    for element in root.iter():
        _adapt_element(element, prefix)
    width = float(root.attrib["viewBox"].split()[2]) * PX_PER_UNIT
    sizes = f"width:{LARGEST * width:.0f}px;max-width:100%"
    sizes += f";min-width:{least * width:.0f}px"
    root.attrib = {
        "xmlns": SVG[1:-1],
        "viewBox": root.attrib["viewBox"],
        "style": f"{sizes};fill:currentColor;stroke-linejoin:round",
    }
    return ET.tostring(root, encoding="unicode").strip()


def _adapt_element(element: ET.Element, prefix: str) -> None:
    """Replace sentinel colours by the palette's, and put the prefix before ids."""
    element.tag = element.tag.removeprefix(SVG)
    if element.tag == "image":
        raise ValueError(
            "the figure holds a picture made of pixels (imshow, or rasterized=True), "
            "which cannot follow the palette: draw with pcolormesh or figures.heatmap"
        )
    if element.tag == "tspan":
        element.tail = None  # each is at its own place: a line break would be a space
    elif len(element) and element.tag == "text":
        element.text = None
    attributes = element.attrib
    if HREF in attributes:
        attributes["href"] = attributes.pop(HREF)
    if attributes.get("id", "").startswith("QuadMesh"):  # no seams in heat maps
        attributes["shape-rendering"] = "crispEdges"
    for name, value in attributes.items():
        if name == "id":
            value = f"{prefix}-{value}"
        elif name == "href":
            value = value.replace("#", f"#{prefix}-")
        elif name in ("style", "fill", "stroke"):
            value = COLOUR.sub(lambda c: COLOURS.get(c[0].lower(), c[0]), value)
        attributes[name] = value.replace("url(#", f"url(#{prefix}-")
