"""Verification: are a study's stored numbers those that its code gives today?"""

import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lookback.text.corpora import DataError

from .recipe import modules
from .study import DIGITS, chosen, find, folder, label, stored, study

STORED = 10.0 ** (1 - DIGITS)
"""How far a check may be from what is stored, both in itself and as a share.

Two numbers were each rounded to DIGITS significant digits, by at most half a unit of
the last. What double precision rounds on its way is far below: 1e-16 in each of, say,
a million operations.
"""

TOLERANCE = 2.0**-24 * 2**14
"""How far another case may be: what float32 rounds, 2⁻²⁴ each time, in 16,384 sums.

Another processor adds in another order: after a few steps of training, the numbers
agree to this; after hundreds, a training may end elsewhere.
"""


class Difference(NamedTuple):
    """Where a row differs ("lengths.2.bleu"), what is stored there, what came out."""

    where: str
    stored: Any
    found: Any

    def __str__(self) -> str:
        said = f"{self.where}: stored {self.stored!r}, now {self.found!r}"
        both = (self.stored, self.found)
        if not all(isinstance(n, int | float) for n in both):
            return said
        return f"{said} ({self.found - self.stored:+.3g})"


def differences(
    stored: Any,
    found: Any,
    times: Collection[str] = (),
    tolerance: float = TOLERANCE,
    where: str = "",
) -> Iterator[Difference]:
    """All differences of two rows, but for the keys `times` and within a tolerance."""
    if isinstance(stored, dict) and isinstance(found, dict):
        for key in {**stored, **found}:
            if key not in times:
                inside = f"{where}.{key}" if where else key
                yield from differences(
                    stored.get(key), found.get(key), times, tolerance, inside
                )
    elif isinstance(stored, list) and isinstance(found, list):
        if len(stored) != len(found):
            yield Difference(where, stored, found)
            return
        for n, (a, b) in enumerate(zip(stored, found, strict=True)):
            yield from differences(a, b, times, tolerance, f"{where}.{n}")
    elif not _equal(stored, found, tolerance):
        yield Difference(where, stored, found)


def _equal(a: Any, b: Any, tolerance: float) -> bool:
    if isinstance(a, float) or isinstance(b, float):
        numbers = isinstance(a, int | float) and isinstance(b, int | float)
        return numbers and (
            a == b or abs(a - b) <= tolerance * max(1, abs(a)) or a != a != b
        )
    return bool(a == b)


def verify(
    name: str,
    where: Path | None = None,
    *,
    only: str = "",
    say: Callable[[str], None] = print,
) -> int:
    """Measure the runs of a study anew: how many differ. Nothing is written.

    only  those whose label holds these words
    A run that is not stored, or was stored before it changed, counts as different;
    what needs a corpus that is not here is passed over. Both are said.
    """
    this, content = study(name), stored((where or folder()) / f"{name}.json")
    wrong = 0
    for which, setting in chosen(name, only):
        row = find(content, this, which, setting)
        said = f"{name}, {label(this, which, setting)}"
        if row.get("digest") != this.digest(which, setting):
            wrong += 1
            say(f"{said}: not measured since it changed")
            continue
        try:
            found = this.measured(which, setting)
        except DataError as error:
            say(f"{said}: passed over: {error.command}")
            continue
        # As it would be read again: tuples are lists, and keys are words.
        again = json.loads(json.dumps(found))
        smoke = setting is this.experiments[which].smoke
        tolerance = STORED if smoke else TOLERANCE
        apart = [*differences(row["measured"], again, this.times, tolerance)]
        wrong += bool(apart)
        say(f"{said}: {_said(apart)}")
    return wrong


def _said(apart: list[Difference], shown: int = 3) -> str:
    if not apart:
        return "as stored"
    more = f"; {len(apart) - shown} more" if len(apart) > shown else ""
    return "; ".join(map(str, apart[:shown])) + more


def quick(seconds: float, where: Path | None = None) -> list[str]:
    """The studies whose runs took at most so many seconds together when stored."""
    paths = {name: (where or folder()) / f"{name}.json" for name in modules("studies")}
    return [n for n, path in paths.items() if path.exists() and cost(path) <= seconds]


def cost(path: Path) -> float:
    """The seconds of all runs of a file of results."""
    rows = [row for some in stored(path)["results"].values() for row in some]
    return float(sum(row["seconds"] for row in rows))
