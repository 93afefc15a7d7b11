"""Draws the card that shared links show: assets/card.png.

Run `python docs/assets/card.py` and commit what it writes. It holds the site's mark,
its name and what it is; the font comes from the package font-roboto (extra `test`).
"""

from importlib.util import find_spec
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

PLACE = Path(__file__).with_name("card.png")
SIZE = 1200, 630  # pixels, as those who show shared links ask for
PAPER, INK, MUTED, LINK = "#fcfcfa", "#1e2124", "#5a5f66", "#0b5876"
LINES = "The history of attention", "as a program"
BELOW = "Each idea explained, written in code,", "run, and tested against its paper"
WORDS = 3.5, 9.1, 14.8, 20.5  # where the four words of the mark stand, of 24


def roboto(style: str) -> FontProperties:
    """A face of Roboto. Raises ValueError where its package is not installed."""
    spec = find_spec("font_roboto")
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(
            "the card needs the package font-roboto, which is not installed:"
            " pip install 'lookback-attention[test]'"
        )
    folder = Path(spec.submodule_search_locations[0])
    return FontProperties(fname=str(folder / f"files/Roboto-{style}.ttf"))


def card() -> Figure:
    """The mark on the left, words to its right: the last word looks back at three."""
    figure = Figure(figsize=(SIZE[0] / 100, SIZE[1] / 100), dpi=100, facecolor=PAPER)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, SIZE[0]), ylim=(SIZE[1], 0))
    axes.set_axis_off()
    _mark(axes, left=70, top=165, scale=12)
    for y, text in zip((250, 322), LINES, strict=True):
        axes.text(420, y, text, fontproperties=roboto("Bold"), size=43, color=INK)
    axes.text(420, 160, "Lookback", fontproperties=roboto("Bold"), size=34, color=LINK)
    style = {"fontproperties": roboto("Regular"), "size": 21, "color": MUTED}
    for y, text in zip((400, 440), BELOW, strict=True):
        axes.text(420, y, text, **style)
    return figure


def _mark(axes, left: float, top: float, scale: float) -> None:
    """The mark of overrides/partials/logo.html: the nearer the word, the heavier."""
    moves = [Outline.MOVETO, Outline.CURVE4, Outline.CURVE4, Outline.CURVE4]
    for word, height, width in zip(
        WORDS[:3], (-1, 4.5, 9.5), (1.2, 1.7, 2.2), strict=True
    ):
        points = [(20.5, 15.5), (20.5, height), (word, height), (word, 15.5)]
        placed = [(left + scale * x, top + scale * y) for x, y in points]
        arc = PathPatch(Outline(placed, moves), fill=False, edgecolor=INK)
        arc.set(linewidth=0.72 * scale * width, capstyle="round")
        axes.add_patch(arc)
    xs = [left + scale * x for x in WORDS]
    axes.scatter(xs, [top + scale * 20] * 4, s=(0.72 * scale * 3.6) ** 2, color=INK)


if __name__ == "__main__":
    drawn = card()
    FigureCanvasAgg(drawn).print_png(PLACE, metadata={"Software": None})
    print(f"{PLACE.name}: {PLACE.stat().st_size:,} bytes")
