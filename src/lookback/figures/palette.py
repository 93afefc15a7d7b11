"""Assign colours by name: a series looks the same in every figure of a page.

A system of the book (SYSTEMS) has one colour on all pages. A page runs in a process of
its own, so that names begin anew with each page. In a notebook they last as long as its
kernel.
"""

from collections.abc import Iterable

from matplotlib import rcParams

MARKERS = "osD^vPX"  # one more than colours, so that what shares one differs
SYSTEMS = {  # name, up to a comma → its place; language models, then translators
    "trigrams": 5, "NPLM": 4, "RNN": 3, "LSTM": 2, "GRU": 1, "GPT": 0, "BERT": 9,
    "phrases": 5, "encoder–decoder": 4, "deep LSTM": 3, "RNNsearch": 1, "Luong": 2,
    "Luong's dot product": 2, "Transformer": 0,
    "skip-gram": 1, "word2vec": 1, "GloVe": 2,
}  # fmt: skip
_places: dict[str, int] = {}  # name → its place among colours, markers and dashes


def places(names: Iterable[str]) -> dict[str, int]:
    """Assign each name a place in the cycle of colours: the one it had, or a free one.

    A system of the book has its own. Any other name keeps the place that it got in the
    first figure. New ones get the first that no name of the page has, then the first
    that no name of this figure has. Names of one figure never share a place while there
    are places left.
    """
    names, many = list(names), len(colours())
    taken: dict[str, int] = {}
    for name in names:
        place = SYSTEMS.get(name.partition(",")[0], _places.get(name))
        if place is not None and place not in taken.values():
            taken[name] = place
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
