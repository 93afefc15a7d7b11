"""Assign colours by name: a series looks the same in every figure of a page.

A page runs in a process of its own, so that names begin anew with each page. In a
notebook they last as long as its kernel.
"""

from collections.abc import Iterable

from matplotlib import rcParams

MARKERS = "osD^vP"
_places: dict[str, int] = {}  # name → its place among colours, markers and dashes


def places(names: Iterable[str]) -> dict[str, int]:
    """Assign each name a place in the cycle of colours: the one it had, or a free one.

    A name keeps the place that it got in the first figure. New ones get the first that
    no name of the page has, then the first that no name of this figure has. Names of
    one figure never share a place while there are places left.
    """
    names, many = list(names), len(colours())
    taken: dict[str, int] = {}
    for name in (n for n in names if n in _places):
        if _places[name] not in taken.values():
            taken[name] = _places[name]
    for name in names:
        if name not in taken:
            taken[name] = _free(taken, many) if name or taken else 0
            if name:
                _places.setdefault(name, taken[name])
    return {name: taken[name] for name in names}


def colours() -> list[str]:
    """List the colours of the style, in their order."""
    return [entry["color"] for entry in rcParams["axes.prop_cycle"]]


def forget() -> None:
    """Forget all names."""
    _places.clear()


def _free(taken: dict[str, int], many: int) -> int:
    here = {place % many for place in taken.values()}
    page = here | {place % many for place in _places.values()}
    for used in (page, here):
        for place in range(many):
            if place not in used:
                return place
    return len(taken)
