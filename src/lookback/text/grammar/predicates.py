"""Predicates: verb phrases of exactly so many words, with a time or a second verb."""

from functools import cache

from lookback.text.grammar import frames, tenses
from lookback.text.grammar.draft import Draft, Phrase
from lookback.text.grammar.entries import Classes
from lookback.text.grammar.expressions import Expression, Leaf
from lookback.text.grammar.lexicon import Lexicon
from lookback.text.grammar.sampling import SLOTS, fill
from lookback.text.grammar.surface import Token
from lookback.text.pairs import Tree

Part = tuple[Tree, list[Token]]

LATEST = 9  # in a longer verb phrase the time at its end would hang in the air
ALIKE = ("pmq", "aq", "aq", "fq", "pq")  # times of two predicates of one subject
MUCH = 9  # more room than this changes no choice
AND: Leaf = ("CCONJ", "and")


def predicate(
    draft: Draft, n: int, subject: Phrase, times: str = tenses.ANY_TIME
) -> Part:
    """A verb phrase of n ≥ 1 words about the subject."""
    if n >= 7 and times == tenses.ANY_TIME and draft.chance(0.012 * n):
        return shared(draft, n, subject)
    if 3 <= n <= LATEST and draft.chance(0.25):
        time = draft.lexicon.time(draft.random)
        part = timed(draft, n, subject, time, both(times, time.times))
        if part:
            return part
    frame = choose(draft, n, subject)
    times = both(frame.times, times)
    if not tenses.possible(n, frame.fits, frame.voice, times):
        times = frame.times
    trees, french = frame.write(draft, n, subject, times)
    return ("VP", *trees), french


def timed(
    draft: Draft, n: int, subject: Phrase, time: Expression, times: str
) -> Part | None:
    """A verb phrase with an expression of time at its end; None if they do not fit."""
    room = n - len(time.english)
    if room < 1:
        return None
    frame = choose(draft, room, subject)
    times = both(frame.times, times)
    fitting = tenses.possible(room, frame.fits, frame.voice, times)
    if frame is frames.SAYING or not fitting:
        return None
    plain, draft.plain = draft.plain, True
    trees, french = frame.write(draft, room, subject, times)
    draft.plain = plain
    label = "PP" if time.english[0][0] == "ADP" else "ADVP"
    return ("VP", *trees, (label, *time.english)), french + draft.express(time)


@cache
def both(times: str, others: str) -> str:
    """Times that are among the others, too."""
    return "".join([time for time in times if time in others])


def shared(draft: Draft, n: int, subject: Phrase) -> Part:
    """Two predicates of one subject, at one time: signs the treaty and visits paris."""
    times = ALIKE[int(draft.random() * len(ALIKE))]
    size = draft.between(3, n - 4)
    first, french = predicate(draft, size, subject, times)
    place = draft.write(AND)
    second, more = predicate(draft, n - 1 - size, subject, times)
    return ("VP", first, AND, second), [*french, ("et", "CCONJ", (place,), ()), *more]


def choose(draft: Draft, room: int, subject: Phrase) -> frames.Frame:
    """A frame that the subject suits and that fits the room."""
    table = options(draft.lexicon, subject.classes, min(room, MUCH))
    return table[int(draft.random() * SLOTS)]


@cache
def options(lexicon: Lexicon, classes: Classes, room: int) -> tuple[frames.Frame, ...]:
    """Frames and how often each is chosen."""
    found: list[tuple[frames.Frame, float]] = []
    if lexicon.intransitive.suiting(classes, None):
        found.append((frames.INTRANSITIVE, 3 if room < 5 else 0.6))
    if room >= 2 and lexicon.transitive.suiting(classes, None):
        found.append((frames.TRANSITIVE, 6))
    if room >= 2 and lexicon.passives(classes):
        found.append((frames.PASSIVE, 2))
    if 2 <= room <= 5 and lexicon.predicative(classes):
        found.append((frames.COPULA, 1.5))
    if room >= 3 and lexicon.motion.suiting(classes, None):
        found.append((frames.MOTION, 1))
    if room >= 4 and lexicon.giving.suiting(classes, None):
        found.append((frames.GIVING, 1.5))
    if room >= 4 and lexicon.saying.suiting(classes, None):
        found.append((frames.SAYING, 1.2 if room < 8 else 3))
    return fill(found)
