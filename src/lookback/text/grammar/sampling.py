"""Random choices: of words, the first of a list most often, and of lengths."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T")

SLOTS = 1024
EXPONENT = 0.7  # word number r comes 1 / r^0.7 times as often as the first
SHORTEST, LONGEST = 3, 70
WIDEST = 2.0  # a wider log-normal would almost always fall outside


def fill(weighted: Sequence[tuple[T, float]]) -> tuple[T, ...]:
    """A table in which an item has slots in proportion to its weight, one at least.

    A draw is then `table[int(random() * SLOTS)]`.
    """
    total = sum(weight for _, weight in weighted)
    spare, reached = SLOTS - len(weighted), 0.0
    table: list[T] = []
    for rank, (item, weight) in enumerate(weighted, 1):
        reached += weight / total * spare
        table += [item] * (rank + round(reached) - len(table))
    return tuple(table)


@cache
def places(count: int, exponent: float) -> tuple[int, ...]:
    """A table of the places 0 to count - 1, in which place r - 1 weighs 1 / r^exponent.

    Lists of the same length share it.
    """
    return fill([(place, 1 / (place + 1) ** exponent) for place in range(count)])


class Choices(Generic[T]):
    """Items to draw from, the frequent ones first."""

    __slots__ = ("items", "places")

    def __init__(self, items: Sequence[T], exponent: float = EXPONENT) -> None:
        self.items = tuple(items)
        self.places = places(len(self.items), exponent)

    def __bool__(self) -> bool:
        return bool(self.items)

    def draw(self, random: Callable[[], float]) -> T:
        return self.items[self.places[int(random() * SLOTS)]]


@dataclass(frozen=True)
class Lengths:
    """How many words the English sentences have, the final mark counted.

    Most lengths are log-normal, which is natural but starves long sentences; so a
    share of them is uniform between `low` and `high`.

    mean, spread   of the logarithm of the length
    uniform        the share, 0 to 1, that is uniform from `low` to `high` instead
    shortest, longest   no length is outside
    """

    mean: float = 2.2
    spread: float = 0.5
    uniform: float = 0.1
    low: int = 12
    high: int = 66
    shortest: int = SHORTEST
    longest: int = LONGEST

    def __post_init__(self) -> None:
        ordered = SHORTEST <= self.shortest <= self.longest <= LONGEST
        if not ordered:
            raise ValueError(
                f"lengths lie between {SHORTEST} and {LONGEST} words, "
                f"got {self.shortest} to {self.longest}"
            )
        if not self.shortest <= self.low <= self.high <= self.longest:
            raise ValueError(
                f"the uniform lengths {self.low} to {self.high} must lie between "
                f"{self.shortest} and {self.longest}"
            )
        if not (0 <= self.uniform <= 1 and 0 <= self.spread <= WIDEST):
            raise ValueError(
                f"uniform must lie between 0 and 1 and spread between 0 and {WIDEST}, "
                f"got {self.uniform} and {self.spread}"
            )
        if not math.log(self.shortest) <= self.mean <= math.log(self.longest):
            raise ValueError(
                f"mean is of the logarithm of a length, got {self.mean}, that is "
                f"{math.exp(min(self.mean, 700)):.3g} words"
            )

    def draw(self, random: Random) -> int:
        """One length. What falls outside is drawn again, never cut."""
        if random.random() < self.uniform:
            return self.low + int(random.random() * (self.high - self.low + 1))
        while True:
            length = round(math.exp(random.gauss(self.mean, self.spread)))
            if self.shortest <= length <= self.longest:
                return length
