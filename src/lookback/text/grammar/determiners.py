"""Articles and other determiners, in both languages."""

from lookback.text.grammar.draft import ME, NEGATED, WE, YOU, Draft, Phrase
from lookback.text.grammar.entries import Noun
from lookback.text.grammar.expressions import Leaf
from lookback.text.grammar.surface import Token

OWNERS = frozenset("pic")
EXCEPTIONS = {"a": ("euro", "uni", "use", "one"), "an": ("honest",)}


class Determiner:
    """English and French; `french` by gender + 2 × number, `|` before a vowel."""

    def __init__(self, english: str, french: str, indefinite: bool = False) -> None:
        self.leaf: Leaf = ("DET", english)
        self.french = tuple(french.split())
        self.indefinite = indefinite

    def lasting(self, denied: bool) -> bool:
        """Whether a later pronoun may mean the noun: not after "every", "not a"."""
        return self.leaf[1] != "every" and not (denied and self.indefinite)


THE = Determiner("the", "le la les les")
A = Determiner("a", "un une des des", indefinite=True)
SOME = Determiner("some", "un une quelques quelques", indefinite=True)
THIS = Determiner("this", "ce|cet cette ces ces")
THESE = Determiner("these", "ce|cet cette ces ces")
EVERY = Determiner("every", "chaque chaque chaque chaque")
SEVERAL = Determiner("several", "plusieurs plusieurs plusieurs plusieurs")
MANY = Determiner("many", "beaucoup beaucoup beaucoup beaucoup")
ALL = Determiner("all", "tout toute tous toutes")
MY = Determiner("my", "mon ma|mon mes mes")
OUR = Determiner("our", "notre notre nos nos")
OWN = {
    pronoun: Determiner(word, french)
    for pronoun, word, french in (
        ("he", "his", "son sa|son ses ses"),
        ("she", "her", "son sa|son ses ses"),
        ("it", "its", "son sa|son ses ses"),
        ("they", "their", "leur leur leurs leurs"),
    )
}

SINGULAR = [THE] * 12 + [A] * 7 + [THIS] * 3 + [EVERY] + [MY]
PLURAL = [THE] * 12 + [THESE] * 3 + [SEVERAL, MANY, SOME] * 2 + [OUR]
MASS = [THE] * 4 + [SOME] * 2 + [THIS, MY]
# Under a negation: no every, several, some, which would mean something else.
DENIED = [THE] * 5 + [A] * 5 + [THIS], [THE] * 5 + [THESE], [THE] * 5 + [THIS]


def pick(draft: Draft, noun: Noun, number: int, denied: bool) -> Determiner:
    """A determiner of one English word for a common noun."""
    kind = 2 if noun.mass else number
    choices = DENIED[kind] if denied else (SINGULAR, PLURAL, MASS)[kind]
    chosen = choices[int(draft.random() * len(choices))]
    return THE if chosen in (MY, OUR) and not noun.ownable else chosen


def owning(draft: Draft) -> tuple[Determiner, Phrase] | None:
    """His, her, its, their, my, our, when the subject of the clause can own things."""
    owner = draft.owner
    if owner is None or owner.slot == YOU or OWNERS.isdisjoint(owner.classes):
        return None
    if owner.slot in (ME, WE):
        return (MY if owner.slot == ME else OUR), owner
    return (OWN[owner.pronoun], owner) if owner.pronoun else None


def article(form: int, positions: tuple[int, ...]) -> Token:
    """A definite article that English does not have: possible links only."""
    return THE.french[form], "DET", (), positions


def determine(draft: Draft, noun: Noun, number: int, n: int, role: int) -> Determiner:
    """Choose a determiner and write it in English; "a" or "an" is settled later."""
    light = noun.ownable and n <= 3  # "its birds of its princess" is too much
    owned = owning(draft) if light and draft.chance(0.2) else None
    if owned:
        determiner, owner = owned
        position = draft.write(determiner.leaf)
        draft.refer(position, owner)
        return determiner
    determiner = pick(draft, noun, number, role == NEGATED)
    draft.write(determiner.leaf)
    return determiner


def settle(
    draft: Draft, determiner: Determiner, start: int, form: int, role: int
) -> list[Token]:
    """The French determiner, now that the words after it are known; and "an"."""
    if determiner is A:
        draft.leaves[start] = ("DET", a_or_an(draft.leaves[start + 1][1]))
    position = (start,)
    if determiner is MANY:
        return [("beaucoup", "ADV", position, ()), ("de", "ADP", (), position)]
    if determiner is A and role == NEGATED:
        return [("de", "DET", position, ())]
    if determiner is SOME and form < 2:  # wine, bread: a part of it
        article = (THE.french[form], "DET", position, ())
        return [("de", "ADP", position, ()), article]
    return [(determiner.french[form], "DET", position, ())]


def a_or_an(following: str) -> str:
    """an agreement, an honest king; a treaty, a university."""
    if following.startswith(EXCEPTIONS["a"]):
        return "a"
    vowel = following[0] in "aeiou" or following.startswith(EXCEPTIONS["an"])
    return "an" if vowel else "a"


def count(draft: Draft, n: int, form: int) -> list[Token]:
    """three → trois; the three hundred → les trois cents; all the → tous les."""
    if draft.chance(0.2):
        whole: Token = (ALL.french[form], "DET", (draft.write(ALL.leaf),), ())
        return [whole, ("les", "DET", (draft.write(THE.leaf),), ())]
    number = draft.lexicon.numbers.draw(draft.random)
    if n < 4:  # no room for two hundred
        number = draft.lexicon.numbers.items[int(draft.random() * 4)]
    elif draft.chance(0.4) and len(number.english) + 2 < n:
        position = draft.write(THE.leaf)
        return [("les", "DET", (position,), ()), *draft.express(number)]
    return draft.express(number)
