"""Draw angles as hands on clocks, with their sines and cosines."""

from collections.abc import Mapping
from math import cos, sin

import numpy as np
from matplotlib import rcParams
from matplotlib.patches import Circle

from lookback.figures.drawing import Drawing
from lookback.figures.numbers import chart_numbers

CLOCK, UNDER = 1.05, 0.45  # inches of a clock, and of the words under it
REACH = 1.15  # of a clock's axes, its radius being 1


def clocks(angles: Mapping[str, float]) -> Drawing:
    """Draw a clock for each name, its hand turned so far from noon.

    angles  name → radians, clockwise: the hand ends at (sine, cosine)
    Raises ValueError where there is no angle, or one that is no number.
    """
    if not angles:
        raise ValueError("angles are empty: expected at least one")
    for name, angle in angles.items():
        if not np.isfinite(angle):
            raise ValueError(f"the angle of {name!r} is {angle}: expected a number")
    down = -(-len(angles) // 4)
    across = -(-len(angles) // down)
    size = (across * CLOCK, down * (CLOCK + UNDER) + 0.3)
    figure = Drawing(size, layout="constrained")
    grid = [*figure.subplots(down, across, squeeze=False).flat]
    colour = rcParams["axes.prop_cycle"].by_key()["color"][0]
    for axes, (name, angle) in zip(grid, angles.items(), strict=False):
        axes.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal")
        axes.set_axis_off()
        axes.add_patch(Circle((0, 0), 1, fill=False, color=rcParams["axes.edgecolor"]))
        axes.plot([0, 0], [0.88, 1], color=rcParams["axes.edgecolor"], linewidth=1)
        axes.plot([0, sin(angle)], [0, cos(angle)], color=colour, linewidth=2.4)
        words = f"{name}\n{sin(angle):.2f}, {cos(angle):.2f}".replace("-", "−")
        axes.text(0, -1.2, words, ha="center", va="top")
    for axes in grid[len(angles) :]:
        axes.remove()
    values = {
        "sine": [*map(sin, angles.values())],
        "cosine": [*map(cos, angles.values())],
    }
    figure.numbers = chart_numbers([*angles], "", values)
    return figure
