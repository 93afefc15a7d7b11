"""The sizes of words and fonts, measured once: matplotlib measures anew in each figure.

A layout asks for the size of each label about ten times, and each time matplotlib finds
the font and reads its tables. The answer depends on the words and the font alone.
Matplotlib is imported here: `svg` imports this module when it draws.
"""

from typing import Any

from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.font_manager import FontProperties, fontManager, get_font

Size = tuple[float, float, float]

_measure: Any = RendererSVG.get_text_width_height_descent
_sizes: dict[Any, Size] = {}
_heights: dict[int, Size] = {}


def measure_once() -> None:
    """Measure each text for SVG once from now on; earlier measurements are dropped."""
    _sizes.clear()
    _heights.clear()
    RendererSVG.get_text_width_height_descent = _size  # type: ignore[method-assign]
    RendererSVG._get_font_height_metrics = _height  # type: ignore[attr-defined]


def _size(self: RendererSVG, s: str, prop: FontProperties, ismath: Any) -> Size:
    """Width, height and descent of a line, in points."""
    key = s, hash(prop), ismath
    if key not in _sizes:
        _sizes[key] = _measure(self, s, prop, ismath)
    return _sizes[key]


def _height(self: RendererSVG, prop: FontProperties) -> Size:
    """Ascent, descent and line gap of a font in points, as `Text` finds them."""
    key = hash(prop)
    if key not in _heights:
        font: Any = get_font(fontManager._find_fonts_by_props(prop))
        table, head = font.get_sfnt_table("OS/2"), font.get_sfnt_table("head")
        scale = 1 / head["unitsPerEm"] * prop.get_size_in_points()
        _heights[key] = (
            table["sTypoAscender"] * scale,
            -table["sTypoDescender"] * scale,
            table["sTypoLineGap"] * scale,
        )
    return _heights[key]
