"""Parts of a figure are measured once for each place, and anew where they have moved.

That figures come out as matplotlib alone would write them is tested in test_svg.
"""

import pytest
from matplotlib.axis import Axis
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.spines import Spine
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator

from lookback.engine import svg
from lookback.engine.unmoved import measured_once

METHODS = (
    (Axis, "_update_ticks"),
    (Axis, "_get_ticklabel_bboxes"),
    (Axis, "get_tightbbox"),
    (Spine, "get_window_extent"),
    (Text, "_get_layout"),
)


class Counted(FixedLocator):
    """Ticks at 1 and 2; how often they were asked for."""

    asked = 0

    def __call__(self):
        self.asked += 1
        return super().__call__()


def test_ticks_are_placed_once_for_each_size_of_the_axes() -> None:
    figure = Figure(layout="constrained")
    axes = figure.add_subplot(title="a title", xlabel="x", xlim=(0, 3))
    locator = Counted([1, 2])
    axes.xaxis.set_major_locator(locator)
    svg._document(figure)
    assert 1 <= locator.asked <= 3  # before the layout, and after each of two passes


def test_what_has_moved_is_measured_anew() -> None:
    figure = Figure()
    renderer = FigureCanvasSVG(figure).figure._get_renderer()
    axes = figure.add_subplot(xlabel="x", ylabel="y")
    with measured_once():
        for axis in (axes.xaxis, axes.yaxis):
            axes.set_position((0.1, 0.1, 0.8, 0.8))
            first = axis.get_tightbbox(renderer)
            assert axis.get_tightbbox(renderer) is first
            axes.set_position((0.15, 0.2, 0.8, 0.8))
            moved = axis.get_tightbbox(renderer)
            by = figure.transFigure.transform((0.05, 0.1))
            assert moved.p0 == pytest.approx(first.p0 + by)
            axes.set_position((0.1, 0.1, 0.8, 0.8))
            again = axis.get_tightbbox(renderer)
            assert again.p0 == pytest.approx(first.p0)
            label = axis.label.get_window_extent(renderer)
            assert (label.p0 >= again.p0 - 1e-6).all()  # it is back, too


def test_another_scale_and_another_word_are_measured_anew() -> None:
    figure = Figure()
    renderer = FigureCanvasSVG(figure).figure._get_renderer()
    axes = figure.add_subplot(ylim=(0, 1))
    with measured_once():
        narrow = axes.yaxis.get_tightbbox(renderer).width
        axes.set_ylim(0, 100_000)
        assert axes.yaxis.get_tightbbox(renderer).width > narrow + 10
        short = axes.title.get_window_extent(renderer).width
        axes.title.set_text("a title")
        assert axes.title.get_window_extent(renderer).width > short + 10


@pytest.mark.parametrize("fails", [False, True])
def test_matplotlib_is_its_own_again_afterwards(fails: bool) -> None:
    before = [vars(kind)[name] for kind, name in METHODS]
    figure = Figure(layout="constrained")
    axes = figure.add_subplot()
    if fails:
        axes.set_title("$\\nonsense$")
        with pytest.raises(ValueError, match="nonsense"):
            svg._document(figure)
    else:
        svg._document(figure)
    assert [vars(kind)[name] for kind, name in METHODS] == before
