"""What has not moved is not measured again: the parts of a figure, while it is written.

To lay a figure out, to measure and to draw it, matplotlib asks each axis many times for
its ticks and for the boxes of their labels: for the axis, its spine, its label and the
title. The answers depend on where the axes are and on what they show. They are worked
out once for each place, by the methods of matplotlib that are named in `measured_once`.
Matplotlib is imported here: `svg` imports this module when it draws.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from matplotlib.axis import Axis
from matplotlib.spines import Spine
from matplotlib.text import Text

Sees = Callable[[Any], tuple[Any, ...]]


@contextmanager
def measured_once() -> Iterator[None]:
    """Inside, nothing of a figure may change but the places of its axes.

    What was measured at the last place is forgotten as soon as the axes have moved, so
    that the parts which measuring puts in their places are never those of another one.
    """
    kept: dict[Any, tuple[Any, dict[Any, Any]]] = {}

    def once(kind: type, name: str, sees: Sees) -> Any:
        """In place of a method, one that answers again when it sees something new."""
        method = getattr(kind, name)

        def remembered(self: Any, *args: Any, **kwargs: Any) -> Any:
            seen, asked = sees(self), (name, kwargs.get("for_layout_only"))
            then, answers = kept.get((self, sees), (None, {}))
            if seen != then:
                answers = {}
                kept[self, sees] = seen, answers
            if asked not in answers:
                answers[asked] = method(self, *args, **kwargs)
            return answers[asked]

        return mock.patch.object(kind, name, remembered)

    with (
        once(Axis, "_update_ticks", _size),
        once(Axis, "_get_ticklabel_bboxes", _place),
        once(Axis, "get_tightbbox", _place),
        once(Spine, "get_window_extent", _place),
        once(Text, "_get_layout", _words),
    ):
        yield


def _place(part: Any) -> tuple[bytes, bytes]:
    """Where the axes of an axis or a spine are, and the ends of their scales."""
    axes = part.axes
    return axes.bbox.get_points().tobytes(), axes.viewLim.get_points().tobytes()


def _size(axis: Any) -> tuple[float, float, bytes]:
    """How large its axes are, which decides how many ticks it has; and the ends.

    Axes that only move keep their ticks: their size is then the same but for rounding.
    """
    (left, bottom), (right, top) = axis.axes.bbox.get_points()
    ends = axis.axes.viewLim.get_points().tobytes()
    return round(right - left, 6), round(top - bottom, 6), ends


def _words(text: Any) -> tuple[str, float]:
    """What may change of a text besides its place."""
    return text.get_text(), text.get_rotation()
