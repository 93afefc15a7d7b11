"""A figure that can draw itself again for a phone, and tells the numbers it shows."""

import textwrap
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec

from matplotlib import rcParams
from matplotlib.figure import Figure

P = ParamSpec("P")
WIDTH = 3.4  # inches of a phone's page: 326 px
LETTERS = 46  # of the type of figures in one line of such a page
_narrow: ContextVar[bool] = ContextVar("narrow", default=False)


class Drawing(Figure):
    """A matplotlib figure, and what a page needs beside the picture.

    narrow   () → the same figure, as wide as a phone; None where there is none
    numbers  what is drawn, as HTML tables; "" where it would be too long
    live     the module of docs/live that moves it; "" for none
    """

    narrow: "Callable[[], Drawing] | None" = None
    numbers: str = ""
    live: str = ""


def drawing(function: Callable[P, Drawing]) -> Callable[P, Drawing]:
    """A function whose figure can be asked for its narrow form."""

    @wraps(function)
    def draw(*args: P.args, **kwargs: P.kwargs) -> Drawing:
        held = [_hold(value) for value in args]
        named = {name: _hold(value) for name, value in kwargs.items()}
        figure = function(*held, **named)
        if not is_narrow():
            figure.narrow = lambda: narrowly(function, *held, **named)
        return figure

    return draw


def is_narrow() -> bool:
    """Is the figure drawn now one for a phone?"""
    return _narrow.get()


def size_for(size: tuple[float, float] | None) -> tuple[float, float]:
    """Inches of a chart: as asked, or as the style says; on a phone its own width."""
    width, height = size or rcParams["figure.figsize"]
    if not is_narrow():
        return width, height
    return WIDTH, min(max(2.3, height), 3.2)


def wrapped(words: str) -> str:
    """A title or an axis label, in lines as long as a phone's page."""
    return textwrap.fill(words, LETTERS) if is_narrow() else words


def _hold(value: Any) -> Any:
    """What can be read once only is read now."""
    return list(value) if isinstance(value, Iterator) else value


def narrowly(draw: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What this function draws for a phone."""
    token = _narrow.set(True)
    try:
        return draw(*args, **kwargs)
    finally:
        _narrow.reset(token)
