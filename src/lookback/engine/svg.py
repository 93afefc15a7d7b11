"""Figures as inline SVG that follows the page: its palette, its font, its width.

The style file paints with sentinel colours. Here each becomes currentColor or a CSS
variable, so that one drawing serves the light and the dark page. Text stays text.
Matplotlib is imported inside the functions: most of those who import us never draw.
"""

from __future__ import annotations

import io
import json
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .lighter import lighten, rename

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
PLACES = ("d", "transform", "x", "y", "width", "height", "points")
LONG = re.compile(r"-?\d*\.\d+(?:e-?\d+)?|-?\d+e-?\d+")  # more digits than one can see
_FINE = re.compile(r"scale|matrix|[CQ]")  # factors, and the curves of small marks
COLOUR = re.compile(r"#[0-9A-Fa-f]{6}\b")
PX_PER_UNIT = 4 / 3  # a unit of matplotlib's SVG is 1/72 in, a CSS pixel 1/96 in
FADE = 48  # steps of the colour map: from 50 matplotlib draws colour bars as pixels
SMALLEST = 0.7  # a figure shrinks to this and then scrolls: its text stays legible
SMALLEST_NARROW = 0.9  # so does one that was drawn for a phone
PLAIN: dict[Any, Any] = {
    "svg.hashsalt": "lookback",
    "svg.fonttype": "none",
    "figure.constrained_layout.use": False,
}
FITS_A_PHONE = 362  # px: a figure so small is the same on all screens
NEARLY = 480  # px: and one so small is, if a phone's is not much taller: panels stacked


def use_style() -> None:
    """Make every figure of this process one of the book's, before a page draws.

    Roboto comes from the package whose files the site serves, and from nowhere else,
    so that text is measured with the font that the reader will see.
    """
    import matplotlib
    from matplotlib import font_manager, style
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    from .textsize import measure_once

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
    fade = LinearSegmentedColormap.from_list("lookback", ends, N=FADE)
    matplotlib.colormaps.register(fade, force=True)
    matplotlib.rcParams["image.cmap"] = "lookback"
    measure_once()


def to_svg(figure: Figure, *, prefix: str) -> str:
    """The figure as one <svg> element; the same figure gives the same bytes.

    prefix   begins every id, so that figures of one page do not meet; unique per page
    Raises ValueError for a prefix that cannot begin an id, and for pictures of pixels.
    """
    return adapt(_document(figure), prefix=prefix)


def parts_of(figure: Any) -> dict[str, str]:
    """What a figure brings to a page: its drawings, as SVG documents, and its numbers.

    A figure may have `narrow()`, the same for a phone; `numbers`, HTML; `live`, the
    module that moves it. One that has `frames` is a sequence of figures: see Frames in
    figures.frames. Of a small figure one drawing serves all screens.
    One that has `still` is a figure that scripts go on with: see Live in figures.live.
    """
    if hasattr(figure, "still"):
        return parts_of(figure.still) | {"asks": json.dumps(figure.asks())}
    if hasattr(figure, "frames"):
        shown = [
            {"label": label, "svg": _document(frame), "chosen": label in figure.chosen}
            | _beside(frame)
            for label, frame in figure.frames.items()
        ]
        return {"frames": json.dumps(shown)}
    parts, narrow = {"svg": _document(figure)}, getattr(figure, "narrow", None)
    if narrow and _size(parts["svg"])[0] > FITS_A_PHONE:
        parts |= _forms(parts["svg"], _document(narrow()))
    return parts | _beside(figure)


def _beside(figure: Any) -> dict[str, str]:
    """What a drawing brings along: its numbers, and the module that moves it."""
    named = {name: getattr(figure, name, "") for name in ("numbers", "live")}
    return {name: value for name, value in named.items() if value}


def adapted(parts: Mapping[str, str], *, prefix: str) -> dict[str, str]:
    """The parts of a figure with its drawings as elements of the book's pages."""
    found = dict(parts)
    if "frames" in found:
        frames = json.loads(found["frames"])
        for i, frame in enumerate(frames):
            frame["svg"] = adapt(frame["svg"], prefix=f"{prefix}s{i}", narrow=True)
        return {"frames": json.dumps(frames)}
    small = _size(found["svg"])[0] <= FITS_A_PHONE
    found["svg"] = adapt(found["svg"], prefix=prefix, narrow=small)
    if "narrow" in found:
        found["narrow"] = adapt(found["narrow"], prefix=f"{prefix}n", narrow=True)
    return found


def _forms(wide: str, narrow: str) -> dict[str, str]:
    """Two drawings of a figure; the phone's alone, where it serves as well."""
    (width, height), (_, tall) = _size(wide), _size(narrow)
    if width <= NEARLY and tall <= 1.3 * height:
        return {"svg": narrow}
    return {"svg": wide, "narrow": narrow}


def _size(document: str) -> tuple[float, float]:
    """Width and height of a drawing as matplotlib wrote it, in CSS pixels."""
    found = re.search(r'viewBox="\S+ \S+ (\S+) ([^"]+)"', document)
    assert found, "matplotlib writes a viewBox"
    return float(found[1]) * PX_PER_UNIT, float(found[2]) * PX_PER_UNIT


def _document(figure: Figure) -> str:
    """The figure laid out and written, as `savefig` alone would do it.

    To place a figure, `savefig` draws it once more and throws the drawing away; to lay
    it out and to measure it is enough.
    """
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG, RendererSVG

    from .unmoved import measured_once

    stream = io.BytesIO()
    canvas, layout, dpi = figure.canvas, figure.get_layout_engine(), figure.dpi
    with matplotlib.rc_context(PLAIN), measured_once():
        try:
            FigureCanvasSVG(figure)  # it becomes the figure's canvas
            figure.dpi = FigureCanvasSVG.fixed_dpi
            if layout is not None and figure.axes:
                layout.execute(figure)
            figure.set_layout_engine(None)
            renderer: Any = RendererSVG(*figure.bbox.size, io.StringIO())  # type: ignore[no-untyped-call]
            edge = matplotlib.rcParams["savefig.pad_inches"]
            box = figure.get_tightbbox(renderer).padded(edge)
            figure.savefig(
                stream, format="svg", bbox_inches=box, metadata={"Date": None}
            )
        finally:
            figure.set_layout_engine(layout)
            figure.set_canvas(canvas)
            figure.dpi = dpi
    return stream.getvalue().decode()


def adapt(svg: str, *, prefix: str, narrow: bool = False) -> str:
    """Matplotlib's SVG document as an element of the book's pages. See to_svg."""
    if not re.fullmatch(r"[A-Za-z][\w-]*", prefix):
        raise ValueError(
            f"prefix {prefix!r} cannot begin an id: expected a letter, then letters, "
            "digits, '-' or '_'"
        )
    root = ET.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in UNWANTED:
                parent.remove(child)
    for element in root.iter():
        _adapt_element(element, prefix)
    width = float(root.attrib["viewBox"].split()[2]) * PX_PER_UNIT
    least = (SMALLEST_NARROW if narrow else SMALLEST) * width
    size = f"width:{width:.0f}px;max-width:100%;min-width:{least:.0f}px"
    root.attrib = {
        "xmlns": SVG[1:-1],
        "viewBox": LONG.sub(_shorter, root.attrib["viewBox"]),
        "style": f"{size};fill:currentColor;stroke-linejoin:round",
    }
    lighten(root)
    rename(root, prefix)
    return ET.tostring(root, encoding="unicode").strip()


def _shorter(number: re.Match[str]) -> str:
    """To a tenth of a point: an eighth of a pixel."""
    text = f"{float(number[0]):.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _adapt_element(element: ET.Element, prefix: str) -> None:
    """Colours of the palette, and ids that begin with the prefix."""
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
        if name in PLACES and not _FINE.search(value):
            value = LONG.sub(_shorter, value)
        if name == "id":
            value = f"{prefix}-{value}"
        elif name == "href":
            value = value.replace("#", f"#{prefix}-")
        elif name in ("style", "fill", "stroke"):
            value = COLOUR.sub(lambda c: COLOURS.get(c[0].lower(), c[0]), value)
        attributes[name] = value.replace("url(#", f"url(#{prefix}-")
