"""Clauses and sentences: a subject and its predicate, in exactly so many words.

A predicate is a verb in a frame, which says what follows it, and perhaps a time or a
second predicate.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from lookback.text.corpus import Tree
from lookback.text.grammar import noun_phrases
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
from lookback.text.grammar.french import Token
from lookback.text.grammar.lexicon import (
    SLOTS,
    Classes,
    Expression,
    Leaf,
    Lexicon,
    Verb,
    draw_table,
)
from lookback.text.grammar.verb_groups import (
    ACTIVE,
    ANY_TIME,
    COPULA,
    PASSIVE,
    Group,
    plan,
    possible,
    verb_group,
)

Parts = tuple[list[Tree], list[Token]]

# What a clause is about, and how often.
SUBJECTS = draw_table(
    [(frozenset(c), w) for c, w in
     (("p", 45), ("i", 24), ("d", 9), ("a", 8), ("r", 4), ("l", 4), ("t", 4),
      ("c", 2), ("g", 1), ("f", 1), ("b", 1))]
)  # fmt: skip
PEOPLE, NAMED = frozenset("p"), frozenset("pc")
GOALS, RECEIVERS = frozenset("m"), frozenset("pi")
SPEAKERS = ((("PRON", "i"), "je", ME, 0), (("PRON", "we"), "nous", WE, 2),
            (("PRON", "you"), "vous", YOU, 2))  # fmt: skip
# By gender + 2 × number: subject, object.
PRONOUNS = ("il", "elle", "ils", "elles")
CLITICS = ("le", "la", "les", "les")
OBJECT_PRONOUNS = {"he": "him", "she": "her", "it": "it", "they": "them"}
STOP: Leaf = ("PUNCT", ".")
COMMA: Leaf = ("PUNCT", ",")
AND: Leaf = ("CCONJ", "and")
THAT: Leaf = ("SCONJ", "that")
VERY: Leaf = ("ADV", "very")
# English conjunction, French words, their parts of speech.
CONJUNCTIONS = draw_table(
    [((leaf, french), weight) for leaf, french, weight in (
        (AND, (("et", "CCONJ"),), 5),
        (("CCONJ", "but"), (("mais", "CCONJ"),), 3),
        (("SCONJ", "because"), (("parce", "SCONJ"), ("que", "SCONJ")), 3),
        (("SCONJ", "while"), (("tandis", "SCONJ"), ("que", "SCONJ")), 1))]
)  # fmt: skip
FEWEST = 3  # words of a clause that is joined to another
LATEST = 9  # in a longer verb phrase the time at its end would hang in the air
ALIKE = ("pmq", "aq", "aq", "fq", "pq")  # times of two predicates of one subject
MUCH = 9  # more room than this changes no choice


def sentence(d: Derivation, n: int) -> Part:
    """A sentence of n ≥ 3 words, the full stop included."""
    tree, french = clause_with_next(d, n - 1, first_share(d, n - 1))
    position = d.write(STOP)
    return ("S", tree, STOP), [*french, (".", "PUNCT", (position,), ())]


def first_share(d: Derivation, n: int) -> int:
    """How many of n words the first clause takes; all, or so many that a next fits."""
    share = 4 + int(d.random() * 13)
    return share if share + 1 + FEWEST <= n else n


def clause_with_next(d: Derivation, n: int, share: int) -> Part:
    """A clause of `share` words and, if there are more, a conjunction and the next."""
    tree, french = clause(d, share)
    left = n - share
    if not left:
        return tree, french
    d.known, d.fresh = d.fresh, []
    marks: list[Tree] = []
    if left > FEWEST + 2 and d.chance(0.4):
        french.append((",", "PUNCT", (d.write(COMMA),), ()))
        marks, left = [COMMA], left - 1
    leaf, words = CONJUNCTIONS[int(d.random() * SLOTS)]
    while leaf is d.joined:  # "because …, because …" would tire
        leaf, words = CONJUNCTIONS[int(d.random() * SLOTS)]
    d.joined = leaf
    position = (d.write(leaf),)
    french += [(form, tag, position, ()) for form, tag in words]
    left -= 1
    other, more = clause_with_next(d, left, first_share(d, left))
    return ("S", tree, *marks, leaf, other), french + more


def clause(d: Derivation, n: int) -> Part:
    """A subject and what it does, in n ≥ 2 words."""
    begun, d.owner = len(d.leaves), None
    subject = pronoun(d) if d.known and d.chance(0.6) else None
    if subject is None:
        subject = subject_of(d, n)
    size = len(d.leaves) - begun
    d.owner = subject
    mention(d, subject)
    tree, french = predicate(d, n - size, subject)
    return ("S", subject.tree, tree), subject.french + french


def mention(d: Derivation, phrase: Phrase) -> None:
    """Let a pronoun of the next clause mean the phrase."""
    if phrase.pronoun:
        d.fresh.append(phrase)


def subject_of(d: Derivation, n: int) -> Phrase:
    """A subject that leaves words for the predicate of a clause of n words."""
    if n == 2 or d.chance(0.22 if n > 3 else 0.5):
        if d.chance(0.4):
            return speaker(d)
        classes = NAMED if d.chance(0.2) else PEOPLE
        return noun_phrases.one_word(d, classes, SUBJECT)
    most = n - 1 if n < 8 else int(n * 0.6)
    size = 2 + int(d.random() ** 2 * (most - 1))
    classes = SUBJECTS[int(d.random() * SLOTS)]
    return noun_phrases.noun_phrase(d, size, classes, SUBJECT)


def speaker(d: Derivation) -> Phrase:
    """i, we or you."""
    leaf, french, slot, form = SPEAKERS[int(d.random() * 3)]
    token: Token = (french, "PRON", (d.write(leaf),), ())
    return Phrase(("NP", leaf), [token], PEOPLE, form, slot, ())


def pronoun(d: Derivation) -> Phrase | None:
    """he, she, it, they for something in the clause before, if it is clear for what."""
    phrase = d.antecedent(tuple(OBJECT_PRONOUNS))
    if phrase is None:
        return None
    leaf: Leaf = ("PRON", phrase.pronoun)
    position = d.write(leaf)
    d.add_coreference(position, phrase)
    token: Token = (PRONOUNS[phrase.form], "PRON", (position,), ())
    slot = THEY if phrase.form >= 2 else HE
    return phrase._replace(tree=("NP", leaf), french=[token], slot=slot)


def predicate(d: Derivation, n: int, subject: Phrase, times: str = ANY_TIME) -> Part:
    """A verb phrase of n ≥ 1 words about the subject."""
    if n >= 7 and times == ANY_TIME and d.chance(0.012 * n):
        return shared(d, n, subject)
    if 3 <= n <= LATEST and d.chance(0.25):
        time = d.lexicon.time(d.random)
        part = timed(d, n, subject, time, both(times, time.times))
        if part:
            return part
    frame = choose(d, n, subject)
    times = both(frame.times, times)
    if not possible(n, frame.rest, frame.voice, times):
        times = frame.times
    trees, french = frame.write(d, n, subject, times)
    return ("VP", *trees), french


def timed(
    d: Derivation, n: int, subject: Phrase, time: Expression, times: str
) -> Part | None:
    """A verb phrase with an expression of time at its end; None if they do not fit."""
    room = n - len(time.english)
    if room < 1:
        return None
    frame = choose(d, room, subject)
    times = both(frame.times, times)
    if frame.write is saying or not possible(room, frame.rest, frame.voice, times):
        return None
    plain, d.plain = d.plain, True
    trees, french = frame.write(d, room, subject, times)
    d.plain = plain
    label = "PP" if time.english[0][0] == "ADP" else "ADVP"
    return ("VP", *trees, (label, *time.english)), french + d.emit(time)


@cache
def both(times: str, others: str) -> str:
    """Times that are among the others, too."""
    return "".join([time for time in times if time in others])


def shared(d: Derivation, n: int, subject: Phrase) -> Part:
    """Two predicates of one subject, at one time: signs the treaty and visits paris."""
    times = ALIKE[int(d.random() * len(ALIKE))]
    size = d.between(3, n - 4)
    first, french = predicate(d, size, subject, times)
    place = d.write(AND)
    second, more = predicate(d, n - 1 - size, subject, times)
    return ("VP", first, AND, second), [*french, ("et", "CCONJ", (place,), ()), *more]


class Frame(NamedTuple):
    """What a verb takes: the rule that writes it, and which plans it allows.

    rest   how many words may follow the verb group, of 8 at most that the two have
    """

    write: Callable[[Derivation, int, Phrase, str], Parts]
    rest: Sequence[int]
    voice: str = ACTIVE
    times: str = ANY_TIME


def choose(d: Derivation, room: int, subject: Phrase) -> Frame:
    """A frame that the subject suits and that fits the room."""
    table = options(d.lexicon, subject.classes, min(room, MUCH))
    return table[int(d.random() * SLOTS)]


@cache
def options(lexicon: Lexicon, classes: Classes, room: int) -> tuple[Frame, ...]:
    """Frames and how often each is chosen."""
    found: list[tuple[Frame, float]] = []
    if lexicon.verbs("intransitive", classes):
        found.append((FRAMES["intransitive"], 3 if room < 5 else 0.6))
    if room >= 2 and lexicon.verbs("transitive", classes):
        found.append((FRAMES["transitive"], 6))
    if room >= 2 and lexicon.passives(classes):
        found.append((FRAMES["passive"], 2))
    if 2 <= room <= 5 and lexicon.predicative(classes):
        found.append((FRAMES["copula"], 1.5))
    if room >= 3 and lexicon.verbs("motion", classes):
        found.append((FRAMES["motion"], 1))
    if room >= 4 and lexicon.verbs("giving", classes):
        found.append((FRAMES["giving"], 1.5))
    if room >= 4 and lexicon.verbs("saying", classes):
        found.append((FRAMES["saying"], 1.2 if room < 8 else 3))
    return draw_table(found)


def conjugate(
    d: Derivation, frame: str, verb: Verb | None, n: int, subject: Phrase, times: str
) -> tuple[Group, int, int]:
    """The verb group, how many of n words are left after it, the role of an object."""
    _, rest, voice, _ = FRAMES[frame]
    planned = plan(d, verb, n, rest, subject, voice, times)
    group = verb_group(d, verb, planned, subject)
    return group, n - planned.cost, NEGATED if planned.negative else OBJECT


def intransitive(d: Derivation, n: int, subject: Phrase, times: str) -> Parts:
    """the dog sleeps in the garden → le chien dort dans le jardin."""
    verb = d.lexicon.verbs("intransitive", subject.classes).draw(d.random)
    group, rest, _ = conjugate(d, "intransitive", verb, n, subject, times)
    return ending(d, group, [], [], rest)


def transitive(d: Derivation, n: int, subject: Phrase, times: str) -> Parts:
    """the king signs the treaty; the king signs it → le roi le signe."""
    if n < 10 and d.known and d.chance(0.7):
        parts = with_pronoun(d, n, subject, times)
        if parts:
            return parts
    verbs = d.lexicon.verbs("transitive", subject.classes)
    if "q" not in times:  # nobody knows paris on monday
        verbs = d.lexicon.verbs("actions", subject.classes) or verbs
    verb = verbs.draw(d.random)
    group, rest, role = conjugate(d, "transitive", verb, n, subject, times)
    placed = d.between(2, rest - 1) if rest >= 4 and d.chance(0.2) else 0
    if "p" not in subject.classes:
        placed = 0
    if verb.state and (rest - placed == 1 or role == OBJECT):
        role = GENERIC
    object = noun_phrases.noun_phrase(d, rest - placed, verb.objects, role)
    mention(d, object)
    return ending(d, group, [object.tree], object.french, placed)


def with_pronoun(d: Derivation, n: int, subject: Phrase, times: str) -> Parts | None:
    """The object is a pronoun for something in the clause before; None if it cannot."""
    phrase = d.antecedent(tuple(OBJECT_PRONOUNS))
    if phrase is None or phrase.heads == subject.heads:
        return None
    verbs = d.lexicon.verbs("transitive", subject.classes, phrase.classes)
    rest = (1, *range(3, 9))  # the pronoun, and a place of two words or more
    if not verbs or not possible(n, rest, ACTIVE, times):
        return None
    verb = verbs.draw(d.random)
    planned = plan(d, verb, n, rest, subject, times=times)
    group = verb_group(d, verb, planned, subject, phrase.form)
    leaf: Leaf = ("PRON", OBJECT_PRONOUNS[phrase.pronoun])
    position = d.write(leaf)
    d.add_coreference(position, phrase)
    mention(d, phrase)
    clitic: Token = (CLITICS[phrase.form], "PRON", (position,), ())
    return ending(d, group, [("NP", leaf)], [], n - planned.cost - 1, (clitic,))


def ending(
    d: Derivation,
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
    tree, more = noun_phrases.place(d, placed)
    return [*trees, tree], french + more


def passive(d: Derivation, n: int, subject: Phrase, times: str) -> Parts:
    """the law was signed by the king → la loi a été signée par le roi."""
    verb = d.lexicon.passives(subject.classes).draw(d.random)
    group, rest, _ = conjugate(d, "passive", verb, n, subject, times)
    if rest == 0:
        return [*group.trees], group.french()
    mark = d.write(("ADP", "by"))
    agent = noun_phrases.noun_phrase(d, rest - 1, verb.subjects, OBLIQUE)
    tree, french = noun_phrases.preposition(d, mark, "par", agent)
    return [*group.trees, tree], group.french() + french


def copula(d: Derivation, n: int, subject: Phrase, times: str) -> Parts:
    """the house is very old → la maison est très vieille."""
    adjective = d.lexicon.predicative(subject.classes).draw(d.random)
    group, rest, _ = conjugate(d, "copula", None, n, subject, times)
    french, trees = group.french(), []
    if rest == 2:
        french.append(("très", "ADV", (d.write(VERY),), ()))
        trees.append(VERY)
    position = d.write(adjective.leaf)
    form = adjective.french[subject.form].partition("|")[0]
    french.append((form, "ADJ", (position,), ()))
    return [*group.trees, ("ADJP", *trees, adjective.leaf)], french


def motion(d: Derivation, n: int, subject: Phrase, times: str) -> Parts:
    """the queen went to the market → la reine est allée au marché."""
    verb = d.lexicon.verbs("motion", subject.classes).draw(d.random)
    group, rest, _ = conjugate(d, "motion", verb, n, subject, times)
    if rest == 2:
        tree, french = noun_phrases.named_place(d, "to")
        return [*group.trees, tree], group.french() + french
    mark = d.write(("ADP", "to"))
    noun = d.lexicon.nouns("common", GOALS).draw(d.random)
    assert noun.place is not None
    goal = noun_phrases.determined(d, rest - 1, noun, OBLIQUE)
    tree, french = noun_phrases.preposition(d, mark, noun.place[1], goal)
    return [*group.trees, tree], group.french() + french


def giving(d: Derivation, n: int, subject: Phrase, times: str) -> Parts:
    """mary gives the book to the teacher → marie donne le livre au professeur."""
    verb = d.lexicon.verbs("giving", subject.classes).draw(d.random)
    group, rest, role = conjugate(d, "giving", verb, n, subject, times)
    size = d.between(1, rest - 2)
    object = noun_phrases.noun_phrase(d, size, verb.objects, role)
    mention(d, object)
    mark = d.write(("ADP", "to"))
    other = noun_phrases.noun_phrase(d, rest - 1 - size, RECEIVERS, OBLIQUE)
    tree, french = noun_phrases.preposition(d, mark, "à", other)
    return [*group.trees, object.tree, tree], [
        *group.french(), *object.french, *french
    ]  # fmt: skip


def saying(d: Derivation, n: int, subject: Phrase, times: str) -> Parts:
    """the king says that he sleeps → le roi dit qu' il dort."""
    verb = d.lexicon.verbs("saying", subject.classes).draw(d.random)
    times = "pq" if verb.state and "p" in times else times
    group, rest, _ = conjugate(d, "saying", verb, n, subject, times)
    mark = d.write(THAT)
    saved = d.known, d.fresh, d.owner
    d.known, d.fresh = [subject] if subject.pronoun else [], []
    tree, french = clause(d, rest - 1)
    d.known, d.fresh, d.owner = saved
    token: Token = ("que", "SCONJ", (mark,), ())
    return [*group.trees, ("SBAR", THAT, tree)], [*group.french(), token, *french]


FRAMES = {
    "intransitive": Frame(intransitive, (0, *range(2, 9))),
    "transitive": Frame(transitive, range(1, 9)),
    "passive": Frame(passive, (0, *range(2, 9)), PASSIVE),
    "copula": Frame(copula, (1, 2), COPULA),
    "motion": Frame(motion, range(2, 9)),
    "giving": Frame(giving, range(3, 9)),
    "saying": Frame(saying, range(3, 9), times="peq"),
}
