"""Noun phrases: determiner, adjectives, noun, and what follows the noun."""

from typing import NamedTuple

from lookback.text.grammar import determiners
from lookback.text.grammar.draft import (
    GENERIC,
    HE,
    NEGATED,
    OBJECT,
    SUBJECT,
    THEY,
    Draft,
    Phrase,
)
from lookback.text.grammar.entries import Classes, Noun
from lookback.text.grammar.expressions import Leaf
from lookback.text.grammar.surface import Token
from lookback.text.pairs import Tree

NAMED = frozenset("pcy")  # classes that have names: people, countries, cities
CITY = frozenset("y")
OWNERS = frozenset("pic")
POSSESSIVE: Leaf = ("PART", "'s")
PLURAL_POSSESSIVE: Leaf = ("PART", "'")
AND: Leaf = ("CCONJ", "and")


def noun_phrase(draft: Draft, n: int, classes: Classes, role: int) -> Phrase:
    """A noun phrase of n English words whose noun is of one of `classes`."""
    if n == 1:
        return one_word(draft, classes, role)
    if n == 2 and role in (OBJECT, NEGATED) and draft.chance(0.12):
        noun = draft.lexicon.nouns("common", classes).draw(draft.random)
        return bare(draft, noun, role, 1)
    if n >= 5 and draft.chance(0.02 * n - 0.06):
        return coordination(draft, n, classes, role)
    noun = draft.lexicon.nouns("common", classes).draw(draft.random)
    if n >= 4 and role != NEGATED and draft.chance(0.12):
        owners = noun.owners & OWNERS
        if owners and "q" not in noun.classes:
            return genitive(draft, n, noun, owners)
    return around(draft, n, noun, role)


def shortest(classes: Classes, role: int) -> int:
    """How few words a noun phrase can have here: a subject needs a name for one."""
    return 1 if role != SUBJECT or classes & NAMED else 2


def one_word(draft: Draft, classes: Classes, role: int) -> Phrase:
    """A name; or, where it is no subject, a noun without article."""
    if classes & NAMED and (role == SUBJECT or draft.chance(0.75)):
        noun = draft.lexicon.nouns("names", classes).draw(draft.random)
        return name(draft, noun)
    choices = draft.lexicon.nouns("common", classes)
    if not choices:
        return name(draft, draft.lexicon.nouns("names", classes).draw(draft.random))
    return bare(draft, choices.draw(draft.random), role)


def name(draft: Draft, noun: Noun, with_article: bool = True) -> Phrase:
    """mary → marie; france → la france, with an article that English does not have."""
    leaf = noun.leaves[0]
    position = (draft.write(leaf),)
    french: list[Token] = [(noun.french[0], "PROPN", position, ())]
    if noun.article and with_article:
        french.insert(0, determiners.article(noun.gender, position))
    pronoun = "" if noun.classes == CITY else noun.pronoun
    tree: Tree = ("NP", leaf)
    return Phrase(tree, french, noun.classes, noun.gender, HE, position, pronoun)


def bare(draft: Draft, noun: Noun, role: int, n_adjectives: int = 0) -> Phrase:
    """treaties → des traités; wine → du vin; not … wine → pas de vin.

    Before an adjective *des* becomes *de*: old treaties → de vieux traités.
    """
    number = 0 if noun.mass else 1
    leaf = noun.leaves[number]
    form = noun.gender + 2 * number
    adj = adjectives(draft, noun, form, n_adjectives)
    position = (draft.write(leaf),)
    french: list[Token] = [*adj.before, (noun.french[number], "NOUN", position, ()),
                           *adj.after]  # fmt: skip
    if role == NEGATED or (adj.before and not noun.mass):
        french.insert(0, ("de", "DET", (), position))
    elif noun.mass and role == OBJECT:
        french.insert(0, determiners.article(form, position))
        french.insert(0, ("de", "ADP", (), position))
    elif noun.mass or role == GENERIC:
        french.insert(0, determiners.article(form, position))
    else:
        french.insert(0, ("des", "DET", (), position))
    pronoun = "" if role == NEGATED or noun.mass else "they"
    slot = THEY if number else HE
    tree: Tree = ("NP", *adj.trees, leaf)
    return Phrase(tree, french, noun.classes, form, slot, position, pronoun)


def coordination(draft: Draft, n: int, classes: Classes, role: int) -> Phrase:
    """Two noun phrases and "and". Both are of a kind, so that one verb suits both."""
    start = draft.between(2, n - 3)
    first = noun_phrase(draft, start, classes, role)
    position = draft.write(AND)
    second = noun_phrase(draft, n - 1 - start, first.classes & classes, role)
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


def genitive(draft: Draft, n: int, noun: Noun, owners: Classes) -> Phrase:
    """the queen 's new treaty → le nouveau traité de la reine."""
    number = 0 if noun.mass or draft.chance(0.7) else 1
    form = noun.gender + 2 * number
    shortest_owner = 1 if owners & NAMED else 2
    owned = draft.between(
        shortest_owner, min(n - 2, 3)
    )  # a longer owner would be hard to read
    spare = n - 2 - owned
    n_adjectives = how_many(draft, spare, len(noun.adjectives))
    owner = noun_phrase(draft, owned, owners, SUBJECT)
    plural = draft.leaves[-1][1].endswith("s") and owner.slot == THEY
    possessive = PLURAL_POSSESSIVE if plural else POSSESSIVE
    mark = draft.write(possessive)
    adj = adjectives(draft, noun, form, n_adjectives)
    leaf = noun.leaves[number]
    position = draft.write(leaf)
    tree: Tree = ("NP", ("NP", owner.tree, possessive), *adj.trees, leaf)
    article = determiners.article(form, (position, mark))
    french = [article, *adj.before, (noun.french[number], "NOUN", (position,), ()),
              *adj.after, ("de", "ADP", (mark,), ()), *owner.french]  # fmt: skip
    phrase = common(tree, french, noun, number, position)
    return draft.rules.modify(draft, phrase, noun, spare - n_adjectives)


def around(draft: Draft, n: int, noun: Noun, role: int) -> Phrase:
    """Determiner, adjectives, `noun` and what follows it, in n words."""
    number = 0 if noun.mass or draft.chance(0.7) else 1
    form = noun.gender + 2 * number
    counted = number and n >= 3 and role != NEGATED and draft.chance(0.2)
    start = len(draft.leaves)
    numeral = determiners.count(draft, n, form) if counted else []
    determiner = None
    if not counted:
        determiner = determiners.determine(draft, noun, number, n, role)
    spare = n - 1 - (len(draft.leaves) - start)
    n_adjectives = how_many(draft, spare, len(noun.adjectives))
    adj = adjectives(draft, noun, form, n_adjectives)
    leaf = noun.leaves[number]
    position = draft.write(leaf)
    if determiner:
        numeral = determiners.settle(draft, determiner, start, form, role)
    core: Tree = ("NP", *draft.leaves[start : position + 1])
    french = [*numeral, *adj.before, (noun.french[number], "NOUN", (position,), ()),
              *adj.after]  # fmt: skip
    lasting = determiner is None or determiner.lasting(role == NEGATED)
    phrase = common(core, french, noun, number, position, lasting)
    return draft.rules.modify(draft, phrase, noun, spare - n_adjectives)


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
    return Phrase(
        tree,
        french,
        noun.classes,
        noun.gender + 2 * number,
        THEY if number else HE,
        (position,),
        pronoun if lasting else "",
    )


def how_many(draft: Draft, spare: int, ranks: int) -> int:
    """How many adjectives, so that what is left is nothing or enough to modify."""
    wanted = int(draft.random() ** 2 * 4)  # 0 to 3, few are more likely
    wanted = min(wanted, spare, ranks, 3)
    if spare - wanted == 1:  # nothing that follows a noun has one word
        wanted += 1 if wanted < min(ranks, 3) else -1
    return wanted


class AdjectiveWords(NamedTuple):
    """The adjectives of a noun: trees; French ones before and after it."""

    trees: list[Leaf]
    before: list[Token]
    after: list[Token]


NO_ADJECTIVES = AdjectiveWords([], [], [])


def adjectives(draft: Draft, noun: Noun, form: int, n: int) -> AdjectiveWords:
    """n adjectives in English order; in French those after the noun are reversed."""
    if n == 0:
        return NO_ADJECTIVES
    adj = AdjectiveWords([], [], [])
    ways = noun.adjective_sets[n]
    for choices in ways[int(draft.random() * len(ways))]:
        adjective = choices.draw(draft.random)
        position = draft.write(adjective.leaf)
        adj.trees.append(adjective.leaf)
        token = (adjective.french[form], "ADJ", (position,), ())
        if adjective.rank <= 1:
            adj.before.append(token)
        else:
            adj.after.insert(0, token)
    return adj
