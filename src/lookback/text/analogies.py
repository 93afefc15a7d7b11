"""Pairs of words in one relation: questions for word vectors.

Two pairs of a class make a question, *man* is to *woman* as *king* is to what? The
lists are our own, of everyday English, and were written before any vectors were
trained. No word occurs twice in a class, so that each question has one answer.
"""

from collections.abc import Collection, Iterator, Mapping

Pairs = tuple[tuple[str, str], ...]

TABLES = {
    "gender": """
        man woman, boy girl, father mother, brother sister, son daughter, uncle aunt,
        husband wife, king queen, prince princess, actor actress, dad mom, he she,
        him her, himself herself, grandfather grandmother, boyfriend girlfriend,
        men women, boys girls, brothers sisters, sons daughters, kings queens
    """,
    "plural": """
        car cars, book books, dog dogs, cat cats, horse horses, bird birds,
        house houses, school schools, bank banks, market markets, garden gardens,
        teacher teachers, doctor doctors, friend friends, student students,
        letter letters, newspaper newspapers, picture pictures, key keys, law laws,
        report reports, country countries, city cities, child children, tree trees,
        flower flowers, egg eggs, question questions, problem problems, room rooms
    """,
    "third person": """
        go goes, see sees, eat eats, read reads, write writes, buy buys, sell sells,
        know knows, think thinks, want wants, need needs, like likes, love loves,
        work works, sleep sleeps, run runs, sing sings, speak speaks, help helps,
        find finds, give gives, send sends, come comes, play plays, build builds
    """,
    "past": """
        go went, see saw, eat ate, write wrote, buy bought, sell sold, know knew,
        think thought, want wanted, need needed, like liked, love loved, work worked,
        sleep slept, run ran, sing sang, speak spoke, help helped, find found,
        give gave, send sent, come came, play played, build built, take took
    """,
    "comparative": """
        old older, young younger, tall taller, big bigger, small smaller,
        large larger, long longer, short shorter, high higher, fast faster,
        strong stronger, happy happier, good better, bad worse, hard harder,
        easy easier, cheap cheaper, warm warmer, smart smarter, close closer
    """,
    "superlative": """
        old oldest, young youngest, tall tallest, big biggest, large largest,
        long longest, high highest, fast fastest, near nearest, good best, bad worst,
        hard hardest, rich richest, great greatest, close closest
    """,
    "adverb": """
        quick quickly, easy easily, slow slowly, careful carefully, bad badly,
        clear clearly, complete completely, serious seriously, usual usually,
        sudden suddenly, real really, recent recently, final finally, loud loudly,
        perfect perfectly, certain certainly
    """,
    "opposite": """
        good bad, big small, hot cold, rich poor, early late, open closed,
        black white, day night, up down, left right, easy difficult, long short,
        high low, happy sad, fast slow, first last, strong weak, dry wet,
        safe dangerous, always never, more less, before after, inside outside,
        love hate, buy sell, win lose, empty full
    """,
    "negation": """
        happy unhappy, possible impossible, able unable, usual unusual,
        likely unlikely, expected unexpected, patient impatient,
        comfortable uncomfortable, fair unfair, legal illegal, lucky unlucky,
        known unknown, polite impolite
    """,
    "nationality": """
        japan japanese, france french, england english, germany german,
        italy italian, spain spanish, china chinese, russia russian,
        canada canadian, europe european, greece greek, america american,
        australia australian, britain british, africa african, ireland irish
    """,
    "capital": """
        japan tokyo, france paris, england london, italy rome, germany berlin,
        china beijing, russia moscow, spain madrid, greece athens, egypt cairo,
        canada ottawa, ireland dublin, austria vienna, sweden stockholm,
        norway oslo, poland warsaw, portugal lisbon
    """,
}


def _pairs(table: str) -> Pairs:
    rows = [pair.split() for pair in table.split(",")]
    return tuple((one, two) for one, two in rows)


ANALOGIES: Mapping[str, Pairs] = {name: _pairs(t) for name, t in TABLES.items()}


def questions(
    known: Collection[str],
) -> Iterator[tuple[str, tuple[str, str, str, str]]]:
    """Of each class its name and a question: its first two pairs of known words."""
    words = set(known)
    for name, pairs in ANALOGIES.items():
        there = [pair for pair in pairs if words.issuperset(pair)]
        if len(there) >= 2:
            yield name, (*there[0], *there[1])
