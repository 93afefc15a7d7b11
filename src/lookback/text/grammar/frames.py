"""Frames of verbs: their objects and clauses, in exactly so many words."""

from collections.abc import Callable
from typing import NamedTuple

from lookback.text.grammar import modifiers, noun_phrases, tenses
from lookback.text.grammar.draft import (
    GENERIC,
    NEGATED,
    OBJECT,
    OBLIQUE,
    Draft,
    Phrase,
)
from lookback.text.grammar.entries import Verb
from lookback.text.grammar.expressions import Leaf
from lookback.text.grammar.surface import Token
from lookback.text.grammar.verb_groups import Group, verb_group
from lookback.text.pairs import Tree

Parts = tuple[list[Tree], list[Token]]

OBJECT_PRONOUNS = {"he": "him", "she": "her", "it": "it", "they": "them"}
REPLACED = tuple(OBJECT_PRONOUNS)
CLITICS = ("le", "la", "les", "les")
WILLING = frozenset("pi")
GOALS = frozenset("m")
RECEIVERS = frozenset("pi")
TO: Leaf = ("ADP", "to")
BY: Leaf = ("ADP", "by")
THAT: Leaf = ("SCONJ", "that")
VERY: Leaf = ("ADV", "very")


class Frame(NamedTuple):
    """What a verb takes: the rule that writes it, and which plans it allows."""

    write: Callable[[Draft, int, Phrase, str], Parts]
    fits: tenses.Fits
    voice: str = tenses.ACTIVE
    times: str = tenses.ANY_TIME


def begin(
    draft: Draft, verb: Verb, room: int, subject: Phrase, times: str, frame: Frame
) -> tenses.Plan:
    willing = verb.wanted and not WILLING.isdisjoint(subject.classes)
    return tenses.plan(
        draft, verb, room, frame.fits, frame.voice, times, willing=willing
    )


def intransitive(draft: Draft, n: int, subject: Phrase, times: str) -> Parts:
    """the dog sleeps in the garden → le chien dort dans le jardin."""
    verb = draft.lexicon.intransitive.suiting(subject.classes, None).draw(draft.random)
    plan = begin(draft, verb, n, subject, times, INTRANSITIVE)
    group = verb_group(draft, verb, plan, subject)
    return ending(draft, group, [], [], n - plan.cost)


def transitive(draft: Draft, n: int, subject: Phrase, times: str) -> Parts:
    """the king signs the treaty; the king signs it → le roi le signe."""
    if n < 10 and draft.known and draft.chance(0.7):
        parts = with_pronoun(draft, n, subject, times)
        if parts:
            return parts
    verbs = draft.lexicon.transitive.suiting(subject.classes, None)
    if "q" not in times:  # nobody knows paris on monday
        verbs = draft.lexicon.actions.suiting(subject.classes, None) or verbs
    verb = verbs.draw(draft.random)
    plan = begin(draft, verb, n, subject, times, TRANSITIVE)
    group = verb_group(draft, verb, plan, subject)
    rest = n - plan.cost
    placed = draft.between(2, rest - 1) if rest >= 4 and draft.chance(0.2) else 0
    if "p" not in subject.classes:
        placed = 0
    role = NEGATED if plan.denies else OBJECT
    if verb.state and (rest - placed == 1 or not plan.denies):
        role = GENERIC
    object = noun_phrases.noun_phrase(draft, rest - placed, verb.objects, role)
    mention(draft, object)
    return ending(draft, group, [object.tree], object.french, placed)


def with_pronoun(draft: Draft, n: int, subject: Phrase, times: str) -> Parts | None:
    """The object is a pronoun for something in the clause before; None if it cannot."""
    phrase = draft.antecedent(REPLACED)
    if phrase is None or phrase.heads == subject.heads:
        return None
    verbs = draft.lexicon.transitive.suiting(subject.classes, phrase.classes)
    if not verbs or not tenses.possible(n, ONE_WORD, tenses.ACTIVE, times):
        return None
    verb = verbs.draw(draft.random)
    willing = verb.wanted and not WILLING.isdisjoint(subject.classes)
    plan = tenses.plan(draft, verb, n, ONE_WORD, times=times, willing=willing)
    group = verb_group(draft, verb, plan, subject, phrase.form)
    leaf: Leaf = ("PRON", OBJECT_PRONOUNS[phrase.pronoun])
    position = draft.write(leaf)
    draft.refer(position, phrase)
    mention(draft, phrase)
    clitic: Token = (CLITICS[phrase.form], "PRON", (position,), ())
    return ending(draft, group, [("NP", leaf)], [], n - plan.cost - 1, (clitic,))


def ending(
    draft: Draft,
    group: Group,
    objects: list[Tree],
    french: list[Token],
    placed: int,
    clitics: tuple[Token, ...] = (),
) -> Parts:
    """The verb group with its objects, and a place in `placed` words."""
    french = group.french(clitics) + french
    trees: list[Tree] = [*group.trees, *objects]
    if not placed:
        return trees, french
    tree, more = modifiers.place(draft, placed)
    return [*trees, tree], french + more


def mention(draft: Draft, phrase: Phrase) -> None:
    """Let a pronoun of the next clause mean the phrase."""
    if phrase.pronoun:
        draft.fresh.append(phrase)


def passive(draft: Draft, n: int, subject: Phrase, times: str) -> Parts:
    """the law was signed by the king → la loi a été signée par le roi."""
    verb = draft.lexicon.passives(subject.classes).draw(draft.random)
    plan = begin(draft, verb, n, subject, times, PASSIVE)
    group = verb_group(draft, verb, plan, subject)
    if n == plan.cost:
        return [*group.trees], group.french()
    mark = (draft.write(BY),)
    agent = noun_phrases.noun_phrase(draft, n - plan.cost - 1, verb.subjects, OBLIQUE)
    french = [*group.french(), ("par", "ADP", mark, ()), *agent.french]
    return [*group.trees, ("PP", BY, agent.tree)], french


def copula(draft: Draft, n: int, subject: Phrase, times: str) -> Parts:
    """the house is very old → la maison est très vieille."""
    adjective = draft.lexicon.predicative(subject.classes).draw(draft.random)
    plan = tenses.plan(draft, None, n, COPULA.fits, tenses.COPULA, times)
    group = verb_group(draft, None, plan, subject)
    french, trees = group.french(), []
    if n - plan.cost == 2:
        french.append(("très", "ADV", (draft.write(VERY),), ()))
        trees.append(VERY)
    position = draft.write(adjective.leaf)
    form = adjective.french[subject.form].partition("|")[0]
    french.append((form, "ADJ", (position,), ()))
    return [*group.trees, ("ADJP", *trees, adjective.leaf)], french


def motion(draft: Draft, n: int, subject: Phrase, times: str) -> Parts:
    """the queen went to the market → la reine est allée au marché."""
    verb = draft.lexicon.motion.suiting(subject.classes, None).draw(draft.random)
    plan = begin(draft, verb, n, subject, times, MOTION)
    group = verb_group(draft, verb, plan, subject)
    rest = n - plan.cost
    if rest == 2:
        tree, more = modifiers.named_place(draft, "to")
        return [*group.trees, tree], group.french() + more
    mark = (draft.write(TO),)
    noun = draft.lexicon.nouns("common", GOALS).draw(draft.random)
    goal = noun_phrases.around(draft, rest - 1, noun, OBLIQUE)
    assert noun.place is not None
    french = [*group.french(), (noun.place[1], "ADP", mark, ()), *goal.french]
    return [*group.trees, ("PP", TO, goal.tree)], french


def giving(draft: Draft, n: int, subject: Phrase, times: str) -> Parts:
    """mary gives the book to the teacher → marie donne le livre au professeur."""
    verb = draft.lexicon.giving.suiting(subject.classes, None).draw(draft.random)
    plan = begin(draft, verb, n, subject, times, GIVING)
    group = verb_group(draft, verb, plan, subject)
    rest = n - plan.cost
    size = draft.between(1, rest - 2)
    role = NEGATED if plan.denies else OBJECT
    object = noun_phrases.noun_phrase(draft, size, verb.objects, role)
    mention(draft, object)
    mark = (draft.write(TO),)
    other = noun_phrases.noun_phrase(draft, rest - 1 - size, RECEIVERS, OBLIQUE)
    french = [*group.french(), *object.french, ("à", "ADP", mark, ()), *other.french]
    return [*group.trees, object.tree, ("PP", TO, other.tree)], french


def saying(draft: Draft, n: int, subject: Phrase, times: str) -> Parts:
    """the king says that he sleeps → le roi dit qu' il dort."""
    verb = draft.lexicon.saying.suiting(subject.classes, None).draw(draft.random)
    times = "pq" if verb.state and "p" in times else times
    plan = begin(draft, verb, n, subject, times, SAYING)
    group = verb_group(draft, verb, plan, subject)
    mark = draft.write(THAT)
    saved = draft.known, draft.fresh, draft.owner
    draft.known, draft.fresh = [subject] if subject.pronoun else [], []
    tree, french = draft.rules.clause(draft, n - plan.cost - 1)
    draft.known, draft.fresh, draft.owner = saved
    token: Token = ("que", "SCONJ", (mark,), ())
    return [*group.trees, ("SBAR", THAT, tree)], [*group.french(), token, *french]


INTRANSITIVE = Frame(intransitive, tenses.nothing_or_two)
TRANSITIVE = Frame(transitive, tenses.at_least_one)
PASSIVE = Frame(passive, tenses.nothing_or_two, tenses.PASSIVE)
COPULA = Frame(copula, tenses.one_or_two, tenses.COPULA)
MOTION = Frame(motion, tenses.at_least_two)
GIVING = Frame(giving, tenses.at_least_three)
SAYING = Frame(saying, tenses.at_least_three, times="peq")
ONE_WORD = tenses.one_or_three
