"""One adjective, noun or verb: its forms in both languages, its classes."""

from collections.abc import Iterable
from functools import cache
from itertools import combinations

from lookback.text.grammar import english, french
from lookback.text.grammar.expressions import Leaf
from lookback.text.grammar.sampling import Choices
from lookback.text.grammar.verbs import IRREGULAR

Classes = frozenset[str]

MASCULINE, FEMININE = 0, 1
PRINCIPAL_PARTS = {
    parts[0]: parts for parts in map(str.split, IRREGULAR.strip().splitlines())
}
# Whose, or of what, a noun of a class can be: "the minister of the republic".
OWNERS = {"o": "ic", "q": "c", "k": "p", "d": "ic", "i": "c", "l": "yc", "t": "p",
          "a": "p"}  # fmt: skip
OWNED = frozenset("kltrad")  # what can be "my" and "its"
# What else may follow a noun of a class.
MODIFIERS = {"d": "on", "r": "on", "n": "between", "p": "with", "a": "in", "t": "in",
             "l": "near", "f": "from", "b": "from", "g": "from"}  # fmt: skip


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
    """A noun or a name: forms by number, gender, classes, adjectives by rank."""

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
        self.proper = self.article = False
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
        noun.proper, noun.mass, noun.article = True, False, classes == "c"
        return noun

    def combine_adjectives(self, adjectives: Iterable[Adjective]) -> None:
        """Take from `adjectives` those that suit, by rank, and ways to combine them."""
        fit = [a for a in adjectives if not a.classes.isdisjoint(self.classes)]
        ranked = [
            Choices([a for a in fit if max(a.rank, 1) == rank]) for rank in range(1, 6)
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


@cache
def conjugation(infinitive: str) -> Conjugation:
    return Conjugation(infinitive)
