"""Verb groups: tenses as a table, plans that fit, and the words in both languages.

A tense is a line of two templates. English: the words in order, each `word.form`.
French: each `word.form`, then the English words that it comes from, surely, and after
`?` possibly. *do* has no French word of its own, so its link is only possible.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from lookback.text.grammar.derivation import Derivation, Phrase
from lookback.text.grammar.french import Token
from lookback.text.grammar.lexicon import (
    SLOTS,
    Conjugation,
    Expression,
    French,
    Leaf,
    Verb,
    conjugation,
    draw_table,
)

ACTIVE, PASSIVE, COPULA = "active", "passive", "copula"

# voice, tense: English = French
TEMPLATES = """
active  present  verb.present = verb.present:verb?do
active  past     verb.past = perfect.present:?verb,do verb.participle:verb
active  state    verb.past = verb.imperfect:verb?do
active  future   will verb.base = verb.future:verb?will
active  perfect  have.present verb.participle = perfect.present:have verb.participle:verb
active  can      can verb.base = pouvoir.present:can verb.infinitive:verb
active  must     must verb.base = devoir.present:must verb.infinitive:verb
active  want     want.present to verb.base = vouloir.present:want?do verb.infinitive:verb?to
active  wanted   want.past to verb.base = vouloir.imperfect:want?do verb.infinitive:verb?to
active  habit    used to verb.base = verb.imperfect:verb?used,to
passive present  be.present verb.participle = être.present:be verb.participle:verb
passive past     be.past verb.participle = avoir.present:?be être.participle:be verb.participle:verb
passive future   will be.base verb.participle = être.future:be?will verb.participle:verb
passive perfect  have.present be.participle verb.participle = avoir.present:have être.participle:be verb.participle:verb
passive can      can be.base verb.participle = pouvoir.present:can être.infinitive:be verb.participle:verb
passive must     must be.base verb.participle = devoir.present:must être.infinitive:be verb.participle:verb
copula  present  be.present = être.present:be
copula  past     be.past = être.imperfect:be
copula  future   will be.base = être.future:be?will
copula  can      can be.base = pouvoir.present:can être.infinitive:be
copula  must     must be.base = devoir.present:must être.infinitive:be
"""  # noqa: E501

# tense: how often, and the times that it suits (see `tables.ADVERBS_OF_TIME`)
TENSES = {
    "present": (34, "p"), "past": (26, "a"), "state": (26, "a"), "future": (13, "f"),
    "perfect": (11, "e"), "can": (5, "m"), "must": (4, "m"), "want": (5, "m"),
    "wanted": (2, "a"), "habit": (6, "h"),
}  # fmt: skip
ANY_TIME = "pafemhq"  # q: free for an adverb, no date will follow
WILLING = frozenset("pi")
LONGEST_GROUP = 8  # more room than this changes nothing

# English, French, times, whether it can follow "not"; * only with actions
ADVERBS = """
often    souvent    pafem yes
never    jamais     pafem no
always   toujours   pafe  yes
already  déjà       e*    no
rarely   rarement   paf   no
quickly  rapidement pafem* no
finally  finalement aef*  no
soon     bientôt    f*    no
"""


class Slot(NamedTuple):
    """A French word of a template: which word, which form, where it comes from."""

    word: str
    form: str
    sure: tuple[str, ...]
    possible: tuple[str, ...]


class Template(NamedTuple):
    english: tuple[tuple[str, str], ...]
    french: tuple[Slot, ...]


def read_templates() -> dict[tuple[str, str], Template]:
    found = {}
    for line in TEMPLATES.strip().splitlines():
        voice, tense, rest = line.split(maxsplit=2)
        english, french = (side.split() for side in rest.split("="))
        words = [item.partition(".")[::2] for item in english]
        found[voice, tense] = Template(tuple(words), tuple(map(read_slot, french)))
    return found


def read_slot(item: str) -> Slot:
    name, _, positions = item.partition(":")
    sure, _, possible = positions.partition("?")
    word, _, form = name.partition(".")
    split = [tuple(part.split(",")) if part else () for part in (sure, possible)]
    return Slot(word, form, split[0], split[1])


TEMPLATE = read_templates()


class Adverb(NamedTuple):
    leaf: Leaf
    french: str
    times: str
    negatable: bool


ALL_ADVERBS = [
    Adverb(("ADV", row[0]), row[1], row[2], row[3] == "yes")
    for row in map(str.split, ADVERBS.strip().splitlines())
]


class Plan(NamedTuple):
    """What a verb group will say, and how many English words it takes."""

    voice: str
    tense: str
    negated: bool
    adverb: Adverb | None
    cost: int

    @property
    def negative(self) -> bool:
        """Whether an indefinite object becomes *de*: after not, and after never."""
        never = self.adverb is not None and self.adverb.leaf[1] == "never"
        return self.negated or never


def plan(
    d: Derivation,
    verb: Verb | None,
    room: int,
    rest: Sequence[int],
    subject: Phrase | None = None,
    voice: str = ACTIVE,
    times: str = ANY_TIME,
) -> Plan:
    """Choose a tense, perhaps a negation and an adverb, whose cost fits the room.

    verb      None: be, with an adjective
    rest      how many words may be left for what follows
    subject   who may want something; None: nobody
    """
    state = verb is None or verb.state
    negatable = verb is None or verb.negatable
    willing = bool(verb and verb.wanted and subject and subject.classes & WILLING)
    room = min(room, LONGEST_GROUP)
    table = plans(voice, state, negatable, willing, times, room, rest)
    return table[int(d.random() * SLOTS)]


@cache
def possible(room: int, rest: Sequence[int], voice: str, times: str) -> bool:
    """Whether every verb has a plan here."""
    room = min(room, LONGEST_GROUP)
    every = weighted_plans(voice, True, False, False, times)
    return any(room - plan.cost in rest for plan, _ in every)


@cache
def plans(
    voice: str,
    state: bool,
    negatable: bool,
    willing: bool,
    times: str,
    room: int,
    rest: Sequence[int],
) -> tuple[Plan, ...]:
    """All plans that fit, in a table to draw from."""
    every = weighted_plans(voice, state, negatable, willing, times)
    return draw_table([(plan, w) for plan, w in every if room - plan.cost in rest])


@cache
def weighted_plans(
    voice: str, state: bool, negatable: bool, willing: bool, times: str
) -> list[tuple[Plan, float]]:
    """All plans, whatever the room, and how often each is chosen."""
    weighted: list[tuple[Plan, float]] = []
    for (of_voice, tense), template in TEMPLATE.items():
        weight, time = TENSES[tense]
        wrong = tense in (("past",) if state and voice == ACTIVE else ("state",))
        unwilling = tense in ("want", "wanted") and not willing
        if of_voice != voice or wrong or unwilling or time not in times:
            continue
        for negated in (False, True) if negatable and tense != "habit" else (False,):
            cost = len(template.english) + negated * (1 + needs_do(template))
            share = weight * (0.15 if negated else 0.85)
            found = [Plan(voice, tense, negated, None, cost)]
            found += [
                Plan(voice, tense, negated, adverb, cost + 1)
                for adverb in suitable(tense, time, negated, state)
                if "q" in times
            ]
            weighted += [
                (p, share * (0.12 / len(found) if p.adverb else 0.88)) for p in found
            ]
    return weighted


def needs_do(template: Template) -> bool:
    """Whether a negation needs *do*: not where be, have, will or can comes first."""
    return template.english[0][0] in ("verb", "want")


def suitable(tense: str, time: str, negated: bool, state: bool) -> list[Adverb]:
    if tense in ("want", "wanted", "habit"):
        return []
    return [
        adverb
        for adverb in ALL_ADVERBS
        if time in adverb.times
        and not (state and "*" in adverb.times)
        and (adverb.negatable or not negated)
    ]


class Auxiliary(NamedTuple):
    """English words that are no verbs of the lexicon: be, have, do, want."""

    base: Leaf
    present: tuple[Leaf, ...]
    past: tuple[Leaf, ...]
    participle: Leaf


def auxiliary(tag: str, base: str, present: str, past: str, done: str) -> Auxiliary:
    return Auxiliary(
        (tag, base),
        tuple((tag, word) for word in present.split()),
        tuple((tag, word) for word in past.split()),
        (tag, done),
    )


BE = auxiliary("AUX", "be", "am is are are are", "was was were were were", "been")
HAVE = auxiliary("AUX", "have", "have has have have have", "had " * 5, "had")
DO = auxiliary("AUX", "do", "do does do do do", "did " * 5, "done")
WANT = auxiliary("VERB", "want", "want wants want want want", "wanted " * 5, "wanted")
WORDS: dict[str, Leaf] = {
    "will": ("AUX", "will"), "can": ("AUX", "can"), "must": ("AUX", "must"),
    "used": ("AUX", "used"), "to": ("PART", "to"),
}  # fmt: skip
AUXILIARIES = {"be": BE, "have": HAVE, "do": DO, "want": WANT}
NOT: Leaf = ("PART", "not")


class Group(NamedTuple):
    """A finished verb group: English leaves, French words.

    gap   where among the French words a pronoun goes that is an object
    """

    trees: tuple[Leaf, ...]
    words: list[Token]
    gap: int

    def french(self, clitics: tuple[Token, ...] = ()) -> list[Token]:
        return [*self.words[: self.gap], *clitics, *self.words[self.gap :]]


def verb_group(
    d: Derivation, verb: Verb | None, plan: Plan, subject: Phrase, preceding: int = 0
) -> Group:
    """Write the verb as planned.

    preceding   gender + 2 × number of an object before it, with which the participle
                agrees under *avoir*; with the subject it agrees under *être*
    """
    with_be = plan.voice == PASSIVE or (verb is not None and verb.with_be)
    agreeing = subject.form if with_be else preceding
    words, gap = wording(verb, plan, subject.slot, agreeing)
    return Group(words.english, d.emit(words), gap)


@cache
def wording(
    verb: Verb | None, plan: Plan, slot: int, agreeing: int
) -> tuple[Expression, int]:
    """The words of a verb group, and where a pronoun goes among the French ones.

    The French are ne, the finite verb, pas and the adverb, the rest. A pronoun precedes
    the finite verb, or an infinitive.
    """
    template = TEMPLATE[plan.voice, plan.tense]
    english, positions = write_english(verb, plan, slot, template)
    finite, *rest = write_french(verb, template, slot, agreeing, positions)
    ne, middle = negate(plan, positions)
    before_infinitive = bool(rest) and template.french[1].form == "infinitive"
    gap = len(ne) + (1 + len(middle) if before_infinitive else 0)
    return Expression(english, (*ne, finite, *middle, *rest)), gap


def write_english(
    verb: Verb | None, plan: Plan, slot: int, template: Template
) -> tuple[tuple[Leaf, ...], dict[str, int]]:
    """The English words, and the position of each by its name in the template."""
    leaves: list[Leaf] = []
    positions: dict[str, int] = {}

    def write(word: str, leaf: Leaf) -> None:
        positions[word] = len(leaves)
        leaves.append(leaf)

    waiting = plan.adverb
    with_do = plan.negated and needs_do(template)
    alone = needs_do(template)  # no auxiliary: the adverb goes before the verb
    for index, (word, form) in enumerate(template.english):
        if index == 0 and with_do:
            write("do", english_form("do", form, verb, slot))
            write("not", NOT)
            form = "base"
        if waiting and (index == 1 or alone):
            write("adverb", waiting.leaf)
            waiting = None
        write(word, english_form(word, form, verb, slot))
        if index == 0 and plan.negated and not with_do:
            write("not", NOT)
    if waiting:
        write("adverb", waiting.leaf)
    return tuple(leaves), positions


def english_form(word: str, form: str, verb: Verb | None, slot: int) -> Leaf:
    if word in WORDS:
        return WORDS[word]
    source = verb if word == "verb" else AUXILIARIES[word]
    leaf: Leaf | tuple[Leaf, ...] = getattr(source, form)
    return leaf[slot] if form in ("present", "past") else leaf  # type: ignore


def negate(plan: Plan, positions: dict[str, int]) -> tuple[list[French], list[French]]:
    """Ne, which goes before the verb, and pas and the adverb, which follow it."""
    ne: list[French] = []
    middle: list[French] = []
    if plan.negated:
        position = (positions["not"],)
        ne.append(French("ne", "ADV", position, ()))
        middle.append(French("pas", "ADV", position, ()))
    if plan.adverb:
        position = (positions["adverb"],)
        middle.append(French(plan.adverb.french, "ADV", position, ()))
        if plan.adverb.french == "jamais":
            ne.append(French("ne", "ADV", position, ()))
    return ne, middle


def write_french(
    verb: Verb | None,
    template: Template,
    slot: int,
    agreeing: int,
    positions: dict[str, int],
) -> list[French]:
    """The French words of a template. Its participle agrees; été never does."""
    found = []
    for word, form, sure, possible in template.french:
        gender_number = 0 if word == "être" else agreeing
        spoken = french_form(french_verb(word, verb), form, slot, gender_number)
        surely = tuple([positions[name] for name in sure])
        there = [name for name in possible if name in positions]
        possibly = tuple([positions[name] for name in there])
        found.append(French(spoken, french_tag(word), surely, possibly))
    return found


def french_verb(word: str, verb: Verb | None) -> Conjugation:
    if word == "perfect":
        return conjugation("être" if verb and verb.with_be else "avoir")
    return verb.french if verb and word == "verb" else conjugation(word)


def french_form(verb: Conjugation, form: str, slot: int, agreeing: int) -> str:
    found: str | tuple[str, ...] = getattr(verb, form)
    if isinstance(found, str):
        return found
    return found[agreeing] if form == "participle" else found[slot]


def french_tag(word: str) -> str:
    return "AUX" if word in ("être", "avoir", "perfect") else "VERB"
