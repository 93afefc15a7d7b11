"""The words of the grammar: tables read once, forms made, lists ready to draw from."""

from collections.abc import Callable, Iterable
from functools import cache, cached_property
from itertools import zip_longest

from lookback.text.grammar import expressions
from lookback.text.grammar.adjectives import ADJECTIVES
from lookback.text.grammar.entries import Adjective, Classes, Noun, Verb
from lookback.text.grammar.expressions import Expression
from lookback.text.grammar.nouns import CITIES, COUNTRIES, NOUNS, PEOPLE
from lookback.text.grammar.sampling import Choices
from lookback.text.grammar.verbs import (
    GIVING,
    INTRANSITIVE,
    MOTION,
    SAYING,
    TRANSITIVE,
)

SIZES = ("small", "full")


def rows(table: str, full: bool) -> list[list[str]]:
    """The lines of a table, cut into words; the second half only when full."""
    small, _, more = table.strip().partition("------\n")
    return [line.split() for line in (small + more * full).strip().split("\n")]


class Frames:
    """Verbs of one frame, to draw from by the classes of subject and of object."""

    def __init__(self, verbs: Iterable[Verb]) -> None:
        self.verbs = tuple(verbs)
        self.found: dict[tuple[Classes | None, Classes | None], Choices[Verb]] = {}

    def suiting(self, subject: Classes | None, object: Classes | None) -> Choices[Verb]:
        """Verbs that take this subject and this object; None takes all."""
        key = (subject, object)
        if key not in self.found:
            self.found[key] = Choices([
                verb for verb in self.verbs
                if (subject is None or not verb.subjects.isdisjoint(subject))
                and (object is None or not verb.objects.isdisjoint(object))
            ])  # fmt: skip
        return self.found[key]


class Lexicon:
    """All words of one size."""

    def __init__(self, size: str) -> None:
        full = size == "full"
        self.adjectives = [Adjective(*row) for row in rows(ADJECTIVES, full)]
        self.common = [Noun(*row) for row in rows(NOUNS, full)]
        self.people = [Noun.name("p", *row) for row in rows(PEOPLE, full)]
        self.countries = [Noun.name("c", *row) for row in rows(COUNTRIES, full)]
        self.cities = [Noun.name("y", *row) for row in rows(CITIES, full)]
        for noun in self.common:
            noun.combine_adjectives(self.adjectives)
        self.transitive = Frames(Verb(*row) for row in rows(TRANSITIVE, full))
        self.actions = Frames(v for v in self.transitive.verbs if not v.state)
        self.intransitive = Frames(self._without_object(INTRANSITIVE, full))
        self.motion = Frames(self._without_object(MOTION, full))
        self.giving = Frames(Verb(*row) for row in rows(GIVING, full))
        self.saying = Frames(self._without_object(SAYING, full))
        self.times = [Choices(each) for each in expressions.times(full)]
        self.numbers = Choices(expressions.numbers(full))
        self.full = full
        self._nouns: dict[tuple[str, Classes], Choices[Noun]] = {}
        self._passives: dict[Classes, Choices[Verb]] = {}
        self._predicative: dict[Classes, Choices[Adjective]] = {}

    @staticmethod
    def _without_object(table: str, full: bool) -> list[Verb]:
        return [
            Verb(word, form, subjects, "", *marks)
            for word, form, subjects, *marks in rows(table, full)
        ]

    def nouns(self, kind: str, classes: Classes) -> Choices[Noun]:
        """Words of `kind` (common, people, cities, …) that are of one of `classes`."""
        key = (kind, classes)
        if key not in self._nouns:
            words: list[Noun] = getattr(self, kind)
            self._nouns[key] = Choices(
                [noun for noun in words if not noun.classes.isdisjoint(classes)]
            )
        return self._nouns[key]

    def passives(self, classes: Classes) -> Choices[Verb]:
        """Verbs whose object is of `classes`, and which can be passive."""
        if classes not in self._passives:
            suiting = self.transitive.suiting(None, classes).items
            self._passives[classes] = Choices([v for v in suiting if v.passive])
        return self._passives[classes]

    def predicative(self, classes: Classes) -> Choices[Adjective]:
        """Adjectives that can follow *is*: qualities, not origin or field."""
        if classes not in self._predicative:
            self._predicative[classes] = Choices([
                a for a in self.adjectives
                if 1 <= a.rank <= 3 and not a.classes.isdisjoint(classes)
            ])  # fmt: skip
        return self._predicative[classes]

    def time(self, random: Callable[[], float]) -> Expression:
        """An expression of time; one in three is a whole date or a year."""
        kind = self.times[0] if random() < 0.67 else self.times[1]
        return kind.draw(random)

    @cached_property
    def names(self) -> list[Noun]:
        """People, countries and cities, the frequent ones of each first."""
        lists = zip_longest(self.people, self.countries, self.cities)
        return [name for names in lists for name in names if name]


@cache
def lexicon(size: str) -> Lexicon:
    """The words of `size`: "small" or "full"."""
    if size not in SIZES:
        raise ValueError(f"a size is one of {SIZES}, got {size!r}")
    return Lexicon(size)
