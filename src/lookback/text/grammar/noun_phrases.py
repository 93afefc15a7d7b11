"""Noun phrases: determiner, adjectives, noun, and what follows the noun.

What follows is a prepositional phrase (*of*, *on*, *near*) or a relative clause.
"""

from typing import NamedTuple

from lookback.text.corpus import Tree
from lookback.text.grammar.derivation import (
    GENERIC,
    HE,
    ME,
    NEGATED,
    OBJECT,
    OBLIQUE,
    SUBJECT,
    THEY,
    WE,
    YOU,
    Derivation,
    Part,
    Phrase,
)
from lookback.text.grammar.english import indefinite_article
from lookback.text.grammar.french import Token
from lookback.text.grammar.lexicon import Classes, Leaf, Noun, Verb
from lookback.text.grammar.verb_groups import plan, verb_group

NAMED = frozenset("pcy")  # classes that have names: people, countries, cities
CITIES = frozenset("y")
NAMED_PLACES = frozenset("cy")
OWNERS = frozenset("pic")
PLACES = frozenset("l")
PARTIES = frozenset("ic")
# English preposition → the French one, and the classes of nouns after it.
SIMPLE = {
    "of": ("de", frozenset[str]()),  # after of, the owners of the noun
    "on": ("sur", frozenset("iclg")),
    "with": ("avec", frozenset("ta")),
}
MANY_WORDS = 6  # from here on a noun can have two modifiers
POSSESSIVE: Leaf = ("PART", "'s")
PLURAL_POSSESSIVE: Leaf = ("PART", "'")
AND: Leaf = ("CCONJ", "and")


class Determiner:
    """English and French; `french` by gender + 2 × number, `|` before a vowel."""

    def __init__(self, english: str, french: str, indefinite: bool = False) -> None:
        self.leaf: Leaf = ("DET", english)
        self.french = tuple(french.split())
        self.indefinite = indefinite

    def lasting(self, negated: bool) -> bool:
        """Whether a later pronoun may mean the noun: not after "every", "not a"."""
        return self.leaf[1] != "every" and not (negated and self.indefinite)


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
    "he": Determiner("his", "son sa|son ses ses"),
    "she": Determiner("her", "son sa|son ses ses"),
    "it": Determiner("its", "son sa|son ses ses"),
    "they": Determiner("their", "leur leur leurs leurs"),
}
DETERMINERS = (  # each once, for the dictionary
    THE, A, SOME, THIS, THESE, EVERY, SEVERAL, ALL, MY, OUR, *OWN.values()
)  # fmt: skip
# What a determiner is drawn from: singular, plural, mass nouns.
CHOSEN = (
    [THE] * 12 + [A] * 7 + [THIS] * 3 + [EVERY, MY],
    [THE] * 12 + [THESE] * 3 + [SEVERAL, MANY, SOME] * 2 + [OUR],
    [THE] * 4 + [SOME] * 2 + [THIS, MY],
)
# Under a negation: no every, several, some, which would mean something else.
NEGATED_CHOSEN = (
    [THE] * 5 + [A] * 5 + [THIS], [THE] * 5 + [THESE], [THE] * 5 + [THIS]
)  # fmt: skip


def noun_phrase(d: Derivation, n: int, classes: Classes, role: int) -> Phrase:
    """A noun phrase of n English words whose noun is of one of `classes`."""
    if n == 1:
        return one_word(d, classes, role)
    if n == 2 and role in (OBJECT, NEGATED) and d.chance(0.12):
        noun = d.lexicon.nouns("common", classes).draw(d.random)
        return bare(d, noun, role, 1)
    if n >= 5 and d.chance(0.02 * n - 0.06):
        return coordination(d, n, classes, role)
    noun = d.lexicon.nouns("common", classes).draw(d.random)
    if n >= 4 and role != NEGATED and d.chance(0.12):
        owners = noun.owners & OWNERS
        if owners and "q" not in noun.classes:
            return genitive(d, n, noun, owners)
    return determined(d, n, noun, role)


def one_word(d: Derivation, classes: Classes, role: int) -> Phrase:
    """A name; or, where it is no subject, a noun without article."""
    if classes & NAMED and (role == SUBJECT or d.chance(0.75)):
        return name(d, d.lexicon.nouns("names", classes).draw(d.random))
    choices = d.lexicon.nouns("common", classes)
    if not choices:
        return name(d, d.lexicon.nouns("names", classes).draw(d.random))
    return bare(d, choices.draw(d.random), role)


def name(d: Derivation, noun: Noun, with_article: bool = True) -> Phrase:
    """mary → marie; france → la france, with an article that English does not have."""
    leaf = noun.leaves[0]
    position = (d.write(leaf),)
    french: list[Token] = [(noun.french[0], "PROPN", position, ())]
    if noun.article and with_article:
        french.insert(0, definite(noun.gender, position))
    pronoun = "" if noun.classes == CITIES else noun.pronoun
    tree: Tree = ("NP", leaf)
    return Phrase(tree, french, noun.classes, noun.gender, HE, position, pronoun)


def definite(form: int, positions: tuple[int, ...]) -> Token:
    """A definite article that English does not have: possible links only."""
    return THE.french[form], "DET", (), positions


def bare(d: Derivation, noun: Noun, role: int, n_adjectives: int = 0) -> Phrase:
    """treaties → des traités; wine → du vin; not … wine → pas de vin.

    Before an adjective *des* becomes *de*: old treaties → de vieux traités.
    """
    number = 0 if noun.mass else 1
    leaf = noun.leaves[number]
    form = noun.gender + 2 * number
    adj = adjectives(d, noun, form, n_adjectives)
    position = (d.write(leaf),)
    articles: list[Token] = [("des", "DET", (), position)]
    if role == NEGATED or (adj.before and not noun.mass):
        articles = [("de", "DET", (), position)]
    elif noun.mass and role == OBJECT:
        articles = [("de", "ADP", (), position), definite(form, position)]
    elif noun.mass or role == GENERIC:
        articles = [definite(form, position)]
    word: Token = (noun.french[number], "NOUN", position, ())
    lasting = role != NEGATED and not noun.mass
    return common(
        ("NP", *adj.trees, leaf),
        [*articles, *adj.before, word, *adj.after],
        noun, number, position[0], lasting,
    )  # fmt: skip


def coordination(d: Derivation, n: int, classes: Classes, role: int) -> Phrase:
    """Two noun phrases and "and". Both are of a kind, so that one verb suits both."""
    start = d.between(2, n - 3)
    first = noun_phrase(d, start, classes, role)
    position = d.write(AND)
    second = noun_phrase(d, n - 1 - start, first.classes & classes, role)
    gender = first.form & second.form & 1  # feminine where both are
    return Phrase(
        ("NP", first.tree, AND, second.tree),
        [*first.french, ("et", "CCONJ", (position,), ()), *second.french],
        first.classes & second.classes,
        gender + 2,
        THEY,
        first.heads + second.heads,
        "they" if first.pronoun and second.pronoun else "",
    )


def genitive(d: Derivation, n: int, noun: Noun, owners: Classes) -> Phrase:
    """the queen 's new treaty → le nouveau traité de la reine."""
    number = 0 if noun.mass or d.chance(0.7) else 1
    form = noun.gender + 2 * number
    shortest = 1 if owners & NAMED else 2
    owned = d.between(shortest, min(n - 2, 3))  # a longer owner would be hard to read
    spare = n - 2 - owned
    n_adjectives = how_many(d, spare, len(noun.adjectives))
    owner = noun_phrase(d, owned, owners, SUBJECT)
    plural = d.leaves[-1][1].endswith("s") and owner.slot == THEY
    possessive = PLURAL_POSSESSIVE if plural else POSSESSIVE
    mark = d.write(possessive)
    adj = adjectives(d, noun, form, n_adjectives)
    leaf = noun.leaves[number]
    position = d.write(leaf)
    tree: Tree = ("NP", ("NP", owner.tree, possessive), *adj.trees, leaf)
    article = definite(form, (position, mark))
    french = [article, *adj.before, (noun.french[number], "NOUN", (position,), ()),
              *adj.after, ("de", "ADP", (mark,), ()), *owner.french]  # fmt: skip
    phrase = common(tree, french, noun, number, position)
    return modify(d, phrase, noun, spare - n_adjectives)


def determined(d: Derivation, n: int, noun: Noun, role: int) -> Phrase:
    """Determiner, adjectives, `noun` and what follows it, in n words."""
    number = 0 if noun.mass or d.chance(0.7) else 1
    form = noun.gender + 2 * number
    counted = number and n >= 3 and role != NEGATED and d.chance(0.2)
    start, determiner = len(d.leaves), None
    if counted:
        first = count(d, n, form)
    else:
        determiner = determine(d, noun, number, n, role)
    spare = n - 1 - (len(d.leaves) - start)
    n_adjectives = how_many(d, spare, len(noun.adjectives))
    adj = adjectives(d, noun, form, n_adjectives)
    position = d.write(noun.leaves[number])
    if determiner:
        first = french_determiner(d, determiner, start, form, role)
    core: Tree = ("NP", *d.leaves[start : position + 1])
    french = [*first, *adj.before, (noun.french[number], "NOUN", (position,), ()),
              *adj.after]  # fmt: skip
    lasting = determiner is None or determiner.lasting(role == NEGATED)
    phrase = common(core, french, noun, number, position, lasting)
    return modify(d, phrase, noun, spare - n_adjectives)


def determine(d: Derivation, noun: Noun, number: int, n: int, role: int) -> Determiner:
    """Choose a determiner and write it in English; "a" or "an" is settled later."""
    light = noun.ownable and n <= 3  # "its birds of its princess" is too much
    owned = owning(d) if light and d.chance(0.2) else None
    if owned:
        determiner, owner = owned
        d.add_coreference(d.write(determiner.leaf), owner)
        return determiner
    table = NEGATED_CHOSEN if role == NEGATED else CHOSEN
    choices = table[2 if noun.mass else number]
    determiner = choices[int(d.random() * len(choices))]
    if determiner in (MY, OUR) and not noun.ownable:
        determiner = THE
    d.write(determiner.leaf)
    return determiner


def owning(d: Derivation) -> tuple[Determiner, Phrase] | None:
    """His, her, its, their, my, our, when the subject of the clause can own things."""
    owner = d.owner
    if owner is None or owner.slot == YOU or OWNERS.isdisjoint(owner.classes):
        return None
    if owner.slot in (ME, WE):
        return (MY if owner.slot == ME else OUR), owner
    return (OWN[owner.pronoun], owner) if owner.pronoun else None


def french_determiner(
    d: Derivation, determiner: Determiner, start: int, form: int, role: int
) -> list[Token]:
    """The French determiner, now that the words after it are known; and "an"."""
    if determiner is A:
        d.leaves[start] = ("DET", indefinite_article(d.leaves[start + 1][1]))
    position = (start,)
    if determiner is MANY:
        return [("beaucoup", "ADV", position, ()), ("de", "ADP", (), position)]
    if determiner is A and role == NEGATED:
        return [("de", "DET", position, ())]
    if determiner is SOME and form < 2:  # wine, bread: a part of it
        return [("de", "ADP", position, ()), (THE.french[form], "DET", position, ())]
    return [(determiner.french[form], "DET", position, ())]


def count(d: Derivation, n: int, form: int) -> list[Token]:
    """three → trois; the three hundred → les trois cents; all the → tous les."""
    if d.chance(0.2):
        whole: Token = (ALL.french[form], "DET", (d.write(ALL.leaf),), ())
        return [whole, ("les", "DET", (d.write(THE.leaf),), ())]
    number = d.lexicon.numbers.draw(d.random)
    if n < 4:  # no room for two hundred
        number = d.lexicon.numbers.items[int(d.random() * 4)]
    elif d.chance(0.4) and len(number.english) + 2 < n:
        position = d.write(THE.leaf)
        return [("les", "DET", (position,), ()), *d.emit(number)]
    return d.emit(number)


def common(
    tree: Tree,
    french: list[Token],
    noun: Noun,
    number: int,
    position: int,
    lasting: bool = True,
) -> Phrase:
    """The phrase of a common noun; lasting if a later pronoun may refer to it."""
    pronoun = "they" if number else noun.pronoun
    form, slot = noun.gender + 2 * number, THEY if number else HE
    return Phrase(
        tree, french, noun.classes, form, slot, (position,), pronoun if lasting else ""
    )


class AdjectiveWords(NamedTuple):
    """The adjectives of a noun: trees; French ones before and after it."""

    trees: list[Leaf]
    before: list[Token]
    after: list[Token]


def how_many(d: Derivation, spare: int, ranks: int) -> int:
    """How many adjectives, so that what is left is nothing or enough to modify."""
    wanted = int(d.random() ** 2 * 4)  # 0 to 3, few are more likely
    wanted = min(wanted, spare, ranks, 3)
    if spare - wanted == 1:  # nothing that follows a noun has one word
        wanted += 1 if wanted < min(ranks, 3) else -1
    return wanted


def adjectives(d: Derivation, noun: Noun, form: int, n: int) -> AdjectiveWords:
    """n adjectives in English order; in French those after the noun are reversed."""
    adj = AdjectiveWords([], [], [])
    if n == 0:
        return adj
    ways = noun.adjective_sets[n]
    for choices in ways[int(d.random() * len(ways))]:
        adjective = choices.draw(d.random)
        position = d.write(adjective.leaf)
        adj.trees.append(adjective.leaf)
        token = (adjective.french[form], "ADJ", (position,), ())
        if adjective.rank <= 1:
            adj.before.append(token)
        else:
            adj.after.insert(0, token)
    return adj


def modify(d: Derivation, phrase: Phrase, noun: Noun, n: int) -> Phrase:
    """The noun phrase with n more words after it: none, two or more."""
    if n == 0:
        return phrase
    if d.plain:
        return add(phrase, prepositional(d, noun, n))
    if n >= MANY_WORDS and noun.modifiers and d.chance(0.5):
        first = d.between(2, 4)
        phrase = add(phrase, prepositional(d, noun, first))
        return add(phrase, relative(d, phrase, n - first))
    if noun.modifiers and d.chance(0.55 if n < 12 else 0.3):
        return add(phrase, prepositional(d, noun, n))
    return add(phrase, relative(d, phrase, n))


def add(phrase: Phrase, part: Part) -> Phrase:
    tree, french = part
    return Phrase(("NP", phrase.tree, tree), phrase.french + french, *phrase[2:])


def prepositional(d: Derivation, noun: Noun, n: int) -> Part:
    """A phrase of n words that begins with a preposition and suits the noun."""
    kinds = noun.modifiers or ("in",)
    kind = kinds[int(d.random() * len(kinds))]
    if kind in ("of", "on") or (kind == "with" and n > 2):
        return simple(d, noun, kind, n)
    if kind == "between" and n >= 4:
        return between(d, n)
    if kind == "near" and n > 2:
        mark = d.write(("ADP", "near"))
        inner = noun_phrase(d, n - 1, PLACES, OBLIQUE)
        return preposition(d, mark, "près de", inner)
    if kind == "from" and n == 2:  # wine from italy → vin d' italie
        mark = d.write(("ADP", "from"))
        named = d.lexicon.nouns("names", NAMED_PLACES).draw(d.random)
        inner = name(d, named, with_article=named.gender == 0)
        return preposition(d, mark, "de", inner)
    if kind in ("in", "near") or (kind == "with" and n > 3):
        return place(d, n)
    return simple(d, noun, "of", n) if noun.owners else place(d, n)


def preposition(d: Derivation, mark: int, french: str, inner: Phrase) -> Part:
    """The English preposition written at `mark`, the French one, a noun phrase."""
    words: list[Token] = [
        (word, "ADV" if word == "près" else "ADP", (mark,), ())
        for word in french.split()
    ]
    return ("PP", d.leaves[mark], inner.tree), [*words, *inner.french]


def simple(d: Derivation, noun: Noun, english: str, n: int) -> Part:
    """the president of france → le président de la france; a law on banks."""
    mark = d.write(("ADP", english))
    french, classes = SIMPLE[english]
    if english == "of":
        classes = CITIES if noun.owners >= CITIES and n == 2 else noun.owners
    return preposition(d, mark, french, noun_phrase(d, n - 1, classes, SUBJECT))


def between(d: Derivation, n: int) -> Part:
    """a treaty between france and the bank → un traité entre la france et la banque."""
    leaf: Leaf = ("ADP", "between")
    mark = (d.write(leaf),)
    size = d.between(1, n - 3)
    first = noun_phrase(d, size, PARTIES, SUBJECT)
    link = (d.write(AND),)
    second = noun_phrase(d, n - 2 - size, PARTIES, SUBJECT)
    tree = ("PP", leaf, ("NP", first.tree, AND, second.tree))
    return tree, [("entre", "ADP", mark, ()), *first.french,
                  ("et", "CCONJ", link, ()), *second.french]  # fmt: skip


def place(d: Derivation, n: int) -> Part:
    """in paris → à paris; in france → en france; at the market → au marché."""
    if n == 2:
        return named_place(d)
    noun = d.lexicon.nouns("common", PLACES).draw(d.random)
    assert noun.place is not None
    leaf, french = noun.place
    mark = d.write(leaf)
    return preposition(d, mark, french, determined(d, n - 1, noun, OBLIQUE))


def named_place(d: Derivation, english: str = "in") -> Part:
    """in paris → à paris; in france → en france; in canada → au canada."""
    mark = d.write(("ADP", english))
    noun = d.lexicon.nouns("names", NAMED_PLACES).draw(d.random)
    masculine = noun.article and noun.gender == 0
    french = "en" if noun.article and not masculine else "à"
    return preposition(d, mark, french, name(d, noun, with_article=masculine))


def relative(d: Derivation, phrase: Phrase, n: int) -> Part:
    """A clause of n words about the noun; it neither sees nor makes antecedents."""
    saved = d.known, d.fresh, d.owner
    d.known, d.fresh, d.owner = [], [], None
    verbs = d.lexicon.verbs("transitive", None, phrase.classes)
    if verbs and 4 <= n <= 9 and d.chance(0.45):
        part = object_relative(d, phrase, n, verbs.draw(d.random))
    else:
        part = subject_relative(d, phrase, n)
    d.known, d.fresh, d.owner = saved
    return part


def relative_pronoun(d: Derivation, phrase: Phrase, person: str) -> tuple[Leaf, int]:
    leaf: Leaf = ("PRON", person if "p" in phrase.classes else "that")
    position = d.write(leaf)
    d.add_coreference(position, phrase)
    return leaf, position


def subject_relative(d: Derivation, phrase: Phrase, n: int) -> Part:
    """the minister who sleeps → le ministre qui dort."""
    leaf, position = relative_pronoun(d, phrase, "who")
    tree, french = d.predicate(d, n - 1, phrase)
    token: Token = ("qui", "PRON", (position,), ())
    return ("SBAR", leaf, tree), [token, *french]


def object_relative(d: Derivation, phrase: Phrase, n: int, verb: Verb) -> Part:
    """the law that the king signed → la loi que le roi a signée."""
    leaf, position = relative_pronoun(d, phrase, "whom")
    shortest = 1 if verb.subjects & NAMED else 2  # of a subject: a name has one word
    planned = plan(d, verb, n - 1, range(shortest, n))
    subject = noun_phrase(d, n - 1 - planned.cost, verb.subjects, SUBJECT)
    group = verb_group(d, verb, planned, subject, phrase.form)
    tree: Tree = ("S", subject.tree, ("VP", *group.trees))
    token: Token = ("que", "PRON", (position,), ())
    return ("SBAR", leaf, tree), [token, *subject.french, *group.french()]
