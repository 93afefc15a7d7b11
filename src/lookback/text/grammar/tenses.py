"""Tenses as a table, and plans: what a verb group will say, in how many words.

A tense is a line of two templates. English: the words in order, each `word.form`.
French: each `word.form`, then the English words that it comes from, surely, and after
`?` possibly. *do* has no French word of its own, so its link is only possible.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from lookback.text.grammar.draft import Draft
from lookback.text.grammar.entries import Verb
from lookback.text.grammar.expressions import Leaf
from lookback.text.grammar.sampling import SLOTS, fill

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

# tense: how often, and the times that it suits (see `expressions`)
TENSES = {
    "present": (34, "p"), "past": (26, "a"), "state": (26, "a"), "future": (13, "f"),
    "perfect": (11, "e"), "can": (5, "m"), "must": (4, "m"), "want": (5, "m"),
    "wanted": (2, "a"), "habit": (6, "h"),
}  # fmt: skip
ANY_TIME = "pafemhq"  # q: free for an adverb, no date will follow

# English, French, times, whether it can follow "not"; * only beside actions
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
    deniable: bool


ALL_ADVERBS = [
    Adverb(("ADV", row[0]), row[1], row[2], row[3] == "yes")
    for row in map(str.split, ADVERBS.strip().splitlines())
]


class Plan(NamedTuple):
    """What a verb group will say, and how many English words it takes."""

    voice: str
    tense: str
    denied: bool
    adverb: Adverb | None
    cost: int

    @property
    def denies(self) -> bool:
        """Whether an indefinite object becomes *de*: after not, and after never."""
        never = self.adverb is not None and self.adverb.leaf[1] == "never"
        return self.denied or never


Fits = Callable[[int], bool]


def nothing_or_two(rest: int) -> bool:
    return rest == 0 or rest >= 2


def at_least_one(rest: int) -> bool:
    return rest >= 1


def at_least_two(rest: int) -> bool:
    return rest >= 2


def at_least_three(rest: int) -> bool:
    return rest >= 3


def one_or_two(rest: int) -> bool:
    return 1 <= rest <= 2


def one_or_three(rest: int) -> bool:
    return rest == 1 or rest >= 3


LONGEST_GROUP = 8  # more room than this changes nothing


def plan(
    draft: Draft,
    verb: Verb | None,
    room: int,
    fits: Fits,
    voice: str = ACTIVE,
    times: str = ANY_TIME,
    willing: bool = False,
) -> Plan:
    """Choose a tense, perhaps a negation and an adverb, whose cost fits the room.

    fits      says whether so many words may be left for what follows
    willing   whether the subject can want something
    """
    state = verb is None or verb.state
    deniable = verb is None or verb.negatable
    room = min(room, LONGEST_GROUP)
    table = plans(voice, state, deniable, willing, times, room, fits)
    return table[int(draft.random() * SLOTS)]


@cache
def possible(room: int, fits: Fits, voice: str, times: str) -> bool:
    """Whether every verb has a plan here."""
    room = min(room, LONGEST_GROUP)
    return any(
        plan.cost <= room and fits(room - plan.cost)
        for plan, _ in weighted_plans(voice, True, False, False, times)
    )


@cache
def plans(
    voice: str,
    state: bool,
    deniable: bool,
    willing: bool,
    times: str,
    room: int,
    fits: Fits,
) -> tuple[Plan, ...]:
    """All plans that fit, in a table to draw from."""
    return fill([
        (plan, weight)
        for plan, weight in weighted_plans(voice, state, deniable, willing, times)
        if plan.cost <= room and fits(room - plan.cost)
    ])  # fmt: skip


@cache
def weighted_plans(
    voice: str, state: bool, deniable: bool, willing: bool, times: str
) -> list[tuple[Plan, float]]:
    """All plans, whatever the room, and how often each is chosen."""
    weighted: list[tuple[Plan, float]] = []
    for (of_voice, tense), template in TEMPLATE.items():
        weight, time = TENSES[tense]
        wrong = tense in (("past",) if state and voice == ACTIVE else ("state",))
        unwilling = tense in ("want", "wanted") and not willing
        if of_voice != voice or wrong or unwilling or time not in times:
            continue
        for denied in (False, True) if deniable and tense != "habit" else (False,):
            cost = len(template.english) + denied * (1 + needs_do(template))
            share = weight * (0.15 if denied else 0.85)
            found = [Plan(voice, tense, denied, None, cost)]
            found += [
                Plan(voice, tense, denied, adverb, cost + 1)
                for adverb in suitable(tense, time, denied, state)
                if "q" in times
            ]
            weighted += [
                (p, share * (0.12 / len(found) if p.adverb else 0.88)) for p in found
            ]
    return weighted


def needs_do(template: Template) -> bool:
    """Whether a negation needs *do*: not where be, have, will or can comes first."""
    return template.english[0][0] in ("verb", "want")


def suitable(tense: str, time: str, denied: bool, state: bool) -> list[Adverb]:
    if tense in ("want", "wanted", "habit"):
        return []
    return [
        adverb
        for adverb in ALL_ADVERBS
        if time in adverb.times
        and not (state and "*" in adverb.times)
        and (adverb.deniable or not denied)
    ]
