"""Draw a measure over the length of the sentences, one curve per system."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from lookback.figures.curves import curves
from lookback.figures.drawing import Drawing


def by_length(
    edges: Sequence[int],
    series: Mapping[str, ArrayLike],
    *,
    ylabel: str,
    bands: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    open_end: bool = False,
) -> Drawing:
    """Draw one curve per name, with a point for each range of lengths.

    edges   n + 1 whole numbers, increasing: range i holds the lengths from edges[i] up
            to edges[i + 1] - 1, and is written so under its point
    series  name → (n,) numbers, the first for the shortest; NaN without a sentence
    open_end  does the last range hold all that are longer, too? It is then "21–"
    bands   name → (lower, upper), each (n,): a shaded band around that curve
    Raises ValueError for edges that do not increase, and as `curves` does.
    """
    if len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise ValueError(f"edges are {list(edges)}: expected numbers that increase")
    ranges = [*map(_range, edges[:-1], edges[1:])]
    if open_end:
        ranges[-1] = f"{edges[-2]}–"
    return curves(
        np.arange(len(ranges)),
        series,
        xlabel="length of the source, in words",
        ylabel=ylabel,
        ticks=ranges,
        bands=bands,
    )


def _range(first: int, end: int) -> str:
    return f"{first}" if end - first == 1 else f"{first}–{end - 1}"
