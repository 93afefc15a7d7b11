"""A running table: systems of one kind; each chapter shows those up to its own time."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from .old_study import Case, Cases, Row, results
from .recipe import known


class System(NamedTuple):
    """A line of the table.

    chapter  where the system is explained;  name  what its cases are called
    make     seed → its case. What makes it is imported there and not before: the page
             of a chapter does not depend on the ideas of later ones.
    seeds    how many it has
    """

    chapter: str
    name: str
    make: Callable[[int], Case]
    seeds: int = 3

    @property
    def labels(self) -> list[str]:
        """Those of the cases of its seeds."""
        return [f"{self.name}, seed {seed}" for seed in range(self.seeds)]


class RunningTable:
    """Systems in the order of history, and what the study `name` measured of them.

    kind  what a system is called where one is missing: "translator"
    """

    def __init__(self, name: str, kind: str, systems: Iterable[System]) -> None:
        self.name, self.kind = name, kind
        self.systems = {system.name: system for system in systems}

    def cases(self) -> Cases:
        """All seeds of all systems, each made when it is needed."""
        return Cases(
            {
                label: partial(system.make, seed)
                for system in self.systems.values()
                for seed, label in enumerate(system.labels)
            }
        )

    def until(self, chapter: str | None = None) -> list[System]:
        """The systems of chapters up to that one; None: all.

        Raises `ValueError` for a chapter without a system.
        """
        every = list(self.systems.values())
        chapters = list(dict.fromkeys(system.chapter for system in every))
        if chapter is not None:
            known(f"chapter with a {self.kind}", chapter, chapters)
            chapters = chapters[: chapters.index(chapter) + 1]
        return [system for system in every if system.chapter in chapters]

    def rows(self, name: str) -> list[Row]:
        """All that was measured of a system, a row for each seed."""
        system = self.systems[known(self.kind, name, self.systems)]
        measured = results(self.name, cases=system.labels)
        return [measured[label] for label in system.labels]


def mean(rows: Iterable[Row], key: str) -> float:
    """Of a number of each row."""
    return float(np.mean([row[key] for row in rows]))


def spread(rows: Iterable[Row], key: str) -> float:
    """The standard deviation of a number over the rows, as a sample; of one row 0."""
    values = [row[key] for row in rows]
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def plus_minus(mean: float, spread: float, seeds: int) -> str:
    """The mean, with its spread where there is more than one seed.

    >>> plus_minus(96.54, 0.52, 3), plus_minus(96.54, 0, 1)
    ('96.5 ± 0.5', '96.5')
    """
    return f"{mean:.1f}" + (f" ± {spread:.1f}" if seeds > 1 else "")
