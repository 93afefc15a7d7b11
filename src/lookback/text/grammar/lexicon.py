"""The words of the grammar: tables read once, forms made, lists ready to draw from."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, zip_longest
from typing import Generic, NamedTuple, TypeVar

from lookback.text.grammar import english, french, tables

T = TypeVar("T")
Leaf = tuple[str, str]  # a part of speech, and a word
Classes = frozenset[str]

SIZES = ("small", "full")
MASCULINE, FEMININE = 0, 1
SLOTS = 1024
EXPONENT = 0.7  # word number r comes 1 / r^0.7 times as often as the first

# Whose, or of what, a noun of a class can be: "the minister of the republic".
OWNERS = {"o": "ic", "q": "c", "k": "p", "d": "ic", "i": "c", "l": "yc", "t": "p",
          "a": "p"}  # fmt: skip
OWNED = frozenset("kltrad")  # what can be "my" and "its"
# What else may follow a noun of a class.
MODIFIERS = {"d": "on", "r": "on", "n": "between", "p": "with", "a": "in", "t": "in",
             "l": "near", "f": "from", "b": "from", "g": "from"}  # fmt: skip


def draw_table(weighted: Sequence[tuple[T, float]]) -> tuple[T, ...]:
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
def places(count: int) -> tuple[int, ...]:
    """A table of the places 0 to count - 1, in which place r - 1 weighs 1 / r^0.7."""
    return draw_table([(place, 1 / (place + 1) ** EXPONENT) for place in range(count)])


class Choices(Generic[T]):
    """Items to draw from, the frequent ones first."""

    def __init__(self, items: Iterable[T]) -> None:
        self.items = tuple(items)
        self.places = places(len(self.items))

    def __bool__(self) -> bool:
        return bool(self.items)

    def draw(self, random: Callable[[], float]) -> T:
        return self.items[self.places[int(random() * SLOTS)]]


class French(NamedTuple):
    """A French word of an expression; positions count from the expression's first."""

    form: str
    tag: str
    sure: tuple[int, ...]
    possible: tuple[int, ...]


class Expression(NamedTuple):
    """Words that go together. `times` names the tenses that it suits."""

    english: tuple[Leaf, ...]
    french: tuple[French, ...]
    times: str = ""


def parse(line: str, times: str = "") -> Expression:
    """Read `on/ADP monday/NOUN = lundi/NOUN:2?1`."""
    left, right = (side.split() for side in line.split("="))
    leaves, words = [], []
    for item in left:
        word, _, tag = item.partition("/")
        leaves.append((tag, word))
    for item in right:
        word, _, positions = item.partition(":")
        form, _, tag = word.partition("/")
        sure, possible = (
            tuple(int(n) - 1 for n in numbers.split(",") if n)
            for numbers in positions.partition("?")[::2]
        )
        words.append(French(form, tag, sure, possible))
    return Expression(tuple(leaves), tuple(words), times)


def couples(text: str, full: bool = False) -> list[tuple[str, str]]:
    """English and French words in turn; those after | only where full."""
    small, _, more = text.partition("|")
    words = (small + more * full).split()
    return list(zip(words[::2], words[1::2], strict=True))


def rows(table: str, full: bool) -> list[list[str]]:
    """The lines of a table, cut into words; those below the dashes only where full."""
    small, _, more = table.strip().partition("------\n")
    return [line.split() for line in (small + more * full).strip().split("\n")]


class Adjective:
    """`french` holds the four forms; before a vowel the masculine may be another."""

    def __init__(self, word: str, forms: str, rank: str, classes: str) -> None:
        self.leaf: Leaf = ("ADJ", word)
        masculine, _, rest = forms.partition("/")
        woman, _, euphonic = rest.partition("/")
        four = french.four_forms(f"{masculine}/{woman}")
        self.french = (f"{masculine}|{euphonic}", *four[1:]) if euphonic else four
        self.rank = int(rank)
        self.classes: Classes = frozenset(classes)


class Noun:
    """A noun or a name: forms by number, gender, classes, adjectives by rank.

    proper   a name; article  one that takes an article in French: countries
    """

    proper = article = False

    def __init__(
        self, word: str, forms: str, gender: str, classes: str, *place: str
    ) -> None:
        single, _, many = word.partition("/")
        self.mass = many == "-"
        self.leaves = (("NOUN", single), ("NOUN", many or english.plural(single)))
        one, _, several = forms.partition("/")
        self.french = (one, several or french.plural(one))
        self.gender = FEMININE if gender == "f" else MASCULINE
        self.classes: Classes = frozenset(classes)
        self.place = (("ADP", place[0]), place[1]) if place else None
        self.adjectives: list[Choices[Adjective]] = []
        self.adjective_sets: list[tuple[tuple[Choices[Adjective], ...], ...]] = []
        self.owners = frozenset("".join(OWNERS.get(c, "") for c in classes))
        kinds = [MODIFIERS[c] for c in classes if c in MODIFIERS]
        person = "she" if self.gender == FEMININE else "he"
        self.pronoun = person if "p" in classes else "it"  # for one of it, in English
        self.ownable = not OWNED.isdisjoint(self.classes)
        self.modifiers = tuple(dict.fromkeys(["of"] * bool(self.owners) + kinds))

    @classmethod
    def name(cls, classes: str, word: str, form: str, gender: str = "m") -> "Noun":
        """Countries take an article in French; people and cities take none."""
        noun = cls(f"{word}/-", form, gender, classes)
        noun.leaves = (("PROPN", word), ("PROPN", word))
        noun.proper, noun.article = True, classes == "c"
        return noun

    def combine_adjectives(self, adjectives: Iterable[Adjective]) -> None:
        """Take from `adjectives` those that suit, by rank, and ways to combine them."""
        fit = [a for a in adjectives if not a.classes.isdisjoint(self.classes)]
        ranked = [
            Choices(a for a in fit if max(a.rank, 1) == rank) for rank in range(1, 6)
        ]
        self.adjectives = [choices for choices in ranked if choices]
        self.adjective_sets = [
            tuple(combinations(self.adjectives, number)) for number in range(4)
        ]


class Verb:
    """A verb: English forms, French conjugation, classes of subject and object."""

    def __init__(
        self, word: str, infinitive: str, subjects: str, objects: str = "", *marks: str
    ) -> None:
        base, *odd = word.split("/")
        past = odd[0] if odd else english.past(base)
        self.base: Leaf = ("VERB", base)
        self.present = tuple(
            ("VERB", english.third_person(base) if slot == 1 else base)
            for slot in range(5)
        )
        self.past: tuple[Leaf, ...] = (("VERB", past),) * 5
        self.participle: Leaf = ("VERB", odd[1] if len(odd) > 1 else past)
        self.with_be = infinitive.endswith("+")
        self.french = conjugation(infinitive.removesuffix("+"))
        self.subjects, self.objects = frozenset(subjects), frozenset(objects)
        self.state, self.passive = "s" in "".join(marks), "x" not in "".join(marks)
        self.wanted = "u" not in "".join(marks)
        self.negatable = "y" not in "".join(marks)


class Conjugation:
    """The French forms of a verb; tenses by person, participle by gender, number."""

    def __init__(self, infinitive: str) -> None:
        parts = PRINCIPAL_PARTS.get(infinitive)
        self.infinitive = infinitive
        self.present = tuple(parts[1:6]) if parts else french.present(infinitive)
        self.imperfect = french.imperfect(self.present[2])
        if infinitive == "être":
            self.imperfect = french.imperfect("étons")
        stem = parts[6] if parts else infinitive.removesuffix("e")
        self.future = french.future(stem)
        ending = {"er": "é", "ir": "i", "re": "u"}[infinitive[-2:]]
        done = parts[7] if parts else infinitive[:-2] + ending
        self.participle = french.participle(done)


PRINCIPAL_PARTS = {
    parts[0]: parts for parts in map(str.split, tables.IRREGULAR.strip().splitlines())
}
conjugation = cache(Conjugation)


class Lexicon:
    """All words of one size.

    frames   verbs by what follows them: transitive, intransitive, motion, giving,
             saying; actions are the transitive ones that are no states
    """

    def __init__(self, size: str) -> None:
        full = size == "full"
        self.adjectives = [Adjective(*row) for row in rows(tables.ADJECTIVES, full)]
        common = [Noun(*row) for row in rows(tables.NOUNS, full)]
        people, countries, cities = (
            [Noun.name(classes, *row) for row in rows(table, full)]
            for classes, table in (
                ("p", tables.PEOPLE), ("c", tables.COUNTRIES), ("y", tables.CITIES)
            )
        )  # fmt: skip
        for noun in common:
            noun.combine_adjectives(self.adjectives)
        # people, countries and cities, the frequent ones of each first
        mixed = zip_longest(people, countries, cities)
        names = [name for three in mixed for name in three if name]
        self.nouns_of = {"common": common, "names": names}
        self.all_nouns = [*common, *people, *countries, *cities]
        self.frames = {
            "transitive": [Verb(*row) for row in rows(tables.TRANSITIVE, full)],
            "intransitive": without_object(tables.INTRANSITIVE, full),
            "motion": without_object(tables.MOTION, full),
            "giving": [Verb(*row) for row in rows(tables.GIVING, full)],
            "saying": without_object(tables.SAYING, full),
        }
        self.all_verbs = [verb for verbs in self.frames.values() for verb in verbs]
        transitive = self.frames["transitive"]
        self.frames["actions"] = [verb for verb in transitive if not verb.state]
        self.times = [Choices(short_times(full)), Choices(dates(full))]
        self.numbers = Choices(numbers(full))
        self.kept: dict[tuple[object, ...], Choices[object]] = {}

    def _choices(self, key: tuple[object, ...], items: Iterator[T]) -> Choices[T]:
        """`Choices(items)`, made once for each key."""
        if key not in self.kept:
            self.kept[key] = Choices[object](items)
        return self.kept[key]  # type: ignore[return-value]

    def nouns(self, kind: str, classes: Classes) -> Choices[Noun]:
        """Words of `kind`, common or names, that are of one of `classes`."""
        words = self.nouns_of[kind]
        suiting = (noun for noun in words if not noun.classes.isdisjoint(classes))
        return self._choices((kind, classes), suiting)

    def verbs(
        self, frame: str, subject: Classes | None, object: Classes | None = None
    ) -> Choices[Verb]:
        """Verbs of a frame that take this subject and this object; None takes all."""
        suiting = (
            verb
            for verb in self.frames[frame]
            if (subject is None or not verb.subjects.isdisjoint(subject))
            and (object is None or not verb.objects.isdisjoint(object))
        )
        return self._choices((frame, subject, object), suiting)

    def passives(self, classes: Classes) -> Choices[Verb]:
        """Verbs whose object is of `classes`, and which can be passive."""
        suiting = self.verbs("transitive", None, classes).items
        return self._choices(("passive", classes), (v for v in suiting if v.passive))

    def predicative(self, classes: Classes) -> Choices[Adjective]:
        """Adjectives that can follow *is*: qualities, not origin or field."""
        suiting = (
            a
            for a in self.adjectives
            if 1 <= a.rank <= 3 and not a.classes.isdisjoint(classes)
        )
        return self._choices(("predicative", classes), suiting)

    def time(self, random: Callable[[], float]) -> Expression:
        """An expression of time; one in three is a whole date or a year."""
        return self.times[0 if random() < 0.67 else 1].draw(random)


def without_object(table: str, full: bool) -> list[Verb]:
    return [
        Verb(word, form, subjects, "", *marks)
        for word, form, subjects, *marks in rows(table, full)
    ]


def short_times(full: bool) -> Iterator[Expression]:
    """Yesterday; on monday; in may."""
    for times, *words in rows(tables.ADVERBS_OF_TIME, full):
        yield parse(" ".join(words), times)
    for en, fr in couples(tables.DAYS, full):
        yield parse(f"on/ADP {en}/NOUN = {fr}/NOUN:2?1", "afm")
    for en, fr in couples(tables.MONTHS, full):
        yield parse(f"in/ADP {en}/NOUN = en/ADP:1 {fr}/NOUN:2", "afm")


def dates(full: bool) -> Iterator[Expression]:
    """In nineteen ninety-two; in may nineteen sixty; on the third of may."""
    months = couples(tables.MONTHS, full)
    for en, fr in couples(tables.YEARS, full):
        head = " mille/NUM:{0} neuf/NUM:{0} cent/NUM:{0} " + fr + "/NUM:{1}"
        century = f"nineteen/NUM {en}/NUM"
        yield parse(f"in/ADP {century} = en/ADP:1" + head.format(2, 3), "a")
        for month, mois in months:
            line = f"in/ADP {month}/NOUN {century} = en/ADP:1 {mois}/NOUN:2"
            yield parse(line + head.format(3, 4), "a")
    for month, mois in months:
        for en, fr in couples(tables.ORDINALS, full):
            line = f"on/ADP the/DET {en}/NUM of/ADP {month}/NOUN = "
            yield parse(line + f"le/DET:2?1 {fr}/NUM:3 {mois}/NOUN:5?4", "af")


def numbers(full: bool) -> Iterator[Expression]:
    """Two; three hundred; ten thousand."""
    units = couples(tables.NUMBERS, full)
    for en, fr in units:
        yield parse(f"{en}/NUM = {fr}/NUM:1")
    for many, fois in couples(tables.THOUSANDS):
        for en, fr in units[:4] if many == "thousand" else units[:3]:
            yield parse(f"{en}/NUM {many}/NUM = {fr}/NUM:1 {fois}/NUM:2")


@cache
def lexicon(size: str) -> Lexicon:
    """The words of `size`: "small" or "full"."""
    if size not in SIZES:
        raise ValueError(f"a size is one of {SIZES}, got {size!r}")
    return Lexicon(size)
