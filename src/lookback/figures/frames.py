"""Draw a figure in steps: a slider, or chosen steps side by side without a script."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from matplotlib.figure import Figure

from lookback.figures.diagram import Diagram

MOST = 12  # frames: a page has to carry them all
Drawn = Figure | Diagram
Draw = Callable[[Any], Drawn]


class Frames:
    """Hold figures of one thing, one after another.

    frames   label → Figure or Diagram
    chosen   the labels of those that stand side by side on paper and without script
    first    the label of the one that the slider begins with
    scroll   do the frames follow the page as it is scrolled, where motion is welcome?
    """

    def __init__(
        self,
        frames: Mapping[str, Drawn],
        chosen: Sequence[str],
        first: str,
        *,
        scroll: bool = False,
    ) -> None:
        self.frames, self.chosen, self.first = dict(frames), tuple(chosen), first
        self.scroll = scroll

    def __repr__(self) -> str:
        return f"<{len(self.frames)} frames: {', '.join(self.frames)}>"

    def _ipython_display_(self) -> None:
        """Display the chosen frames in a notebook, one under another."""
        display = import_module("IPython.display").display
        for label in self.chosen:
            named = {"text/markdown": f"**{label}**", "text/plain": label}
            display(named, raw=True)
            display(self.frames[label])


def frames(
    draw: Draw | Mapping[str, Drawn],
    steps: Mapping[str, Any] | Iterable[Any] = (),
    *,
    chosen: Sequence[str] = (),
    first: str = "",
    scroll: bool = False,
) -> Frames:
    """Draw a figure for each step, shown one after another.

    draw    (step) → Figure; or label → Figure, and then no steps
    steps   label → what draw gets; or a row of those, each its own label
    chosen  labels of the frames that are shown without script and on paper; without
            it the first, the one in the middle and the last
    first   the label that the slider begins with; without it the last
    scroll  the frames follow the page as it is scrolled, until the slider is moved
    Raises ValueError for less than two frames or more than 12, and for a chosen or
    first label that is none.
    """
    if callable(draw):
        named = steps if isinstance(steps, Mapping) else {str(s): s for s in steps}
        drawn = {str(name): draw(step) for name, step in named.items()}
    else:
        drawn = {str(name): figure for name, figure in draw.items()}
    if not 2 <= len(drawn) <= MOST:
        raise ValueError(f"there are {len(drawn)} frames: expected 2 to {MOST}")
    labels = [*drawn]
    picked = chosen or [labels[0], labels[len(labels) // 2], labels[-1]]
    for label in picked:
        if label not in drawn:
            raise ValueError(f"chosen holds {label!r}: expected some of {labels}")
    if first and first not in drawn:
        raise ValueError(f"first is {first!r}: expected one of {labels}")
    ordered = [label for label in labels if label in picked]
    return Frames(drawn, ordered, first or labels[-1], scroll=scroll)
