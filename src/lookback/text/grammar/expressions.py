"""Numbers, days, dates and other fixed expressions, with their links.

An expression is written `english = french`, each word with its part of speech. A French
word is followed by the positions (1, 2, …) of the English words that it comes from:
`lundi/NOUN:2?1` comes surely from the second and possibly from the first.
"""

from typing import NamedTuple

Leaf = tuple[str, str]  # a part of speech, and a word


class French(NamedTuple):
    """A French word of an expression; positions count from the expression's first."""

    form: str
    tag: str
    sure: tuple[int, ...]
    possible: tuple[int, ...]


class Expression(NamedTuple):
    """Words that go together. `times` names the tenses that it suits."""

    english: tuple[Leaf, ...]
    french: tuple[French, ...]
    times: str = ""


def parse(line: str, times: str = "") -> Expression:
    """Read `on/ADP monday/NOUN = lundi/NOUN:2?1`."""
    english, french = (side.split() for side in line.split("="))
    return Expression(
        tuple(_leaf(item) for item in english),
        tuple(_french(item) for item in french),
        times,
    )


def _leaf(item: str) -> Leaf:
    word, _, tag = item.partition("/")
    return tag, word


def _french(item: str) -> French:
    word, _, positions = item.partition(":")
    form, _, tag = word.partition("/")
    sure, _, possible = positions.partition("?")
    return French(form, tag, _places(sure), _places(possible))


def _places(numbers: str) -> tuple[int, ...]:
    return tuple(int(number) - 1 for number in numbers.split(",") if number)


# The tenses that an expression of time suits: p present, h habit (used to), a past,
# e perfect, f future, m after a modal.
ADVERBS_OF_TIME = """
a yesterday/ADV = hier/ADV:1
f tomorrow/ADV = demain/ADV:1
pefm today/ADV = aujourd'hui/ADV:1
ph every/DET day/NOUN = chaque/DET:1 jour/NOUN:2
a last/ADJ week/NOUN = la/DET:?2 semaine/NOUN:2 dernière/ADJ:1
f next/ADJ year/NOUN = l'/DET:?2 année/NOUN:2 prochaine/ADJ:1
a last/ADJ month/NOUN = le/DET:?2 mois/NOUN:2 dernier/ADJ:1
fm next/ADJ week/NOUN = la/DET:?2 semaine/NOUN:2 prochaine/ADJ:1
a two/NUM years/NOUN ago/ADV = il/PRON:3 y/PRON:3 a/VERB:3 deux/NUM:1 ans/NOUN:2
ph every/DET year/NOUN = chaque/DET:1 année/NOUN:2
a three/NUM days/NOUN ago/ADV = il/PRON:3 y/PRON:3 a/VERB:3 trois/NUM:1 jours/NOUN:2
ph every/DET week/NOUN = chaque/DET:1 semaine/NOUN:2
"""

DAYS = "monday lundi friday vendredi wednesday mercredi sunday dimanche"
DAYS_FULL = "tuesday mardi thursday jeudi saturday samedi"
MONTHS = "may mai june juin january janvier september septembre april avril"
MONTHS_FULL = (
    "march mars july juillet august août october octobre november novembre "
    "december décembre february février"
)
ORDINALS = "first premier third trois tenth dix twentieth vingt"
ORDINALS_FULL = (
    "second deux fourth quatre fifth cinq sixth six eighth huit eleventh onze "
    "twelfth douze fifteenth quinze thirtieth trente"
)
# Years are read in two halves: nineteen ninety-two.
YEARS = "fifty cinquante sixty soixante ninety-two quatre-vingt-douze"
YEARS_FULL = (
    "forty-five quarante-cinq eighty quatre-vingt fourteen quatorze "
    "seventy-one soixante-et-onze thirty trente"
)
# Numbers before a noun; those that end in one agree and are left out.
NUMBERS = "two deux three trois four quatre ten dix twenty vingt five cinq twelve douze"
NUMBERS_FULL = (
    "seven sept six six eight huit eleven onze fifteen quinze fifty cinquante "
    "nine neuf sixty soixante thirty trente forty quarante"
)
THOUSANDS = "hundred cents thousand mille"


def twos(*lists: str) -> list[tuple[str, str]]:
    """Cut lists of words into couples: English, French."""
    words = " ".join(lists).split()
    return list(zip(words[::2], words[1::2], strict=True))


def times(full: bool) -> tuple[list[Expression], list[Expression]]:
    """Every expression of time: short ones; then those with years and whole dates."""
    lines = [line.split(maxsplit=1) for line in ADVERBS_OF_TIME.strip().splitlines()]
    found = [parse(line, times) for times, line in lines]
    found += [
        parse(f"on/ADP {en}/NOUN = {fr}/NOUN:2?1", "afm")
        for en, fr in twos(DAYS, DAYS_FULL * full)
    ]
    found += [
        parse(f"in/ADP {en}/NOUN = en/ADP:1 {fr}/NOUN:2", "afm")
        for en, fr in twos(MONTHS, MONTHS_FULL * full)
    ]
    return found, years(full) + dates(full)


def years(full: bool) -> list[Expression]:
    """In nineteen ninety-two; in may nineteen sixty."""
    found = []
    for en, fr in twos(YEARS, YEARS_FULL * full):
        head = " mille/NUM:{0} neuf/NUM:{0} cent/NUM:{0} " + fr + "/NUM:{1}"
        century = f"nineteen/NUM {en}/NUM"
        found.append(parse(f"in/ADP {century} = en/ADP:1" + head.format(2, 3), "a"))
        for month, mois in twos(MONTHS, MONTHS_FULL * full):
            line = f"in/ADP {month}/NOUN {century} = en/ADP:1 {mois}/NOUN:2"
            found.append(parse(line + head.format(3, 4), "a"))
    return found


def dates(full: bool) -> list[Expression]:
    """On the third of may: *le trois mai*."""
    return [
        parse(
            f"on/ADP the/DET {en}/NUM of/ADP {month}/NOUN = "
            f"le/DET:2?1 {fr}/NUM:3 {mois}/NOUN:5?4",
            "af",
        )
        for month, mois in twos(MONTHS, MONTHS_FULL * full)
        for en, fr in twos(ORDINALS, ORDINALS_FULL * full)
    ]


def numbers(full: bool) -> tuple[Expression, ...]:
    """Two; three hundred; ten thousand."""
    units = twos(NUMBERS, NUMBERS_FULL * full)
    found = [parse(f"{en}/NUM = {fr}/NUM:1") for en, fr in units]
    for many, fois in twos(THOUSANDS):
        found += [
            parse(f"{en}/NUM {many}/NUM = {fr}/NUM:1 {fois}/NUM:2")
            for en, fr in (units[:4] if many == "thousand" else units[:3])
        ]
    return tuple(found)
