"""A running table: systems of one kind; each chapter shows those up to its own time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .recipe import check_choice
from .study import Experiment, Row, Setting, results


class System(NamedTuple):
    """A line of the table.

    chapter    where the system is explained;  name  what it is called
    arguments  setting, without the name → arguments of the table's experiment. What
               makes a system is imported there and not before: the page of a chapter
               does not depend on the ideas of later ones.
    settings   those in which it is measured: seeds, or texts and seeds
    """

    chapter: str
    name: str
    arguments: Callable[..., Mapping[str, Any]]
    settings: Sequence[Setting] = ({"seed": 0}, {"seed": 1}, {"seed": 2})


class RunningTable:
    """Systems in the order of history, and what the study `name` measured of them.

    kind  what a system is called where one is missing: "translator"
    """

    def __init__(self, name: str, kind: str, systems: Iterable[System]) -> None:
        self.name, self.kind = name, kind
        self.systems = {system.name: system for system in systems}

    def experiment(self, run: Callable[..., Row], smoke: Setting) -> Experiment:
        """All systems in all their settings."""
        settings = [
            {"system": system.name, **setting}
            for system in self.systems.values()
            for setting in system.settings
        ]

        def arguments(system: str, **setting: Any) -> Mapping[str, Any]:
            return self.systems[system].arguments(**setting)

        return Experiment(run, settings, smoke, arguments)

    def until(self, chapter: str | None = None) -> list[System]:
        """The systems of chapters up to that one; None: all.

        Raises `ValueError` for a chapter without a system.
        """
        every = list(self.systems.values())
        chapters = list(dict.fromkeys(system.chapter for system in every))
        if chapter is not None:
            check_choice(f"chapter with a {self.kind}", chapter, chapters)
            chapters = chapters[: chapters.index(chapter) + 1]
        return [system for system in every if system.chapter in chapters]

    def rows(self, system: str, **setting: Any) -> list[Row]:
        """All that was measured of a system, a row for each seed."""
        check_choice(self.kind, system, self.systems)
        return results(self.name)["systems"].rows(system=system, **setting)


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
