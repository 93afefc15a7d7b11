"""The words of the grammar as a dictionary: what a person would look up.

A line is an English word, its part of speech, and French. A word has one entry, even
where it has two parts of speech; a verb has one person for each English form.
"""

from collections.abc import Iterator

from lookback.text.grammar.determiners import (
    ALL,
    EVERY,
    MY,
    OUR,
    OWN,
    SEVERAL,
    SOME,
    THE,
    THESE,
    THIS,
    A,
)  # fmt: skip
from lookback.text.grammar.entries import FEMININE, Verb, conjugation
from lookback.text.grammar.expressions import (
    DAYS,
    MONTHS,
    NUMBERS,
    ORDINALS,
    THOUSANDS,
    YEARS,
    twos,
)  # fmt: skip
from lookback.text.grammar.lexicon import Lexicon, lexicon

HE, THEY = 1, 4  # of `french.PERSONS`: the only two that the dictionary knows
# Words that are no nouns, adjectives or verbs of the tables.
SMALL_WORDS = """
many DET beaucoup de
an DET un/une/des/des
is AUX est
are AUX sont
am AUX suis
was AUX était
were AUX étaient
be AUX être
been AUX été
has AUX a
have AUX ont
had AUX avait
do AUX -
does AUX -
did AUX -
will AUX va
can AUX peut
must AUX doit
used AUX -
wants AUX veut
want AUX veulent
wanted AUX voulait
to ADP à
not PART pas
never ADV jamais
's PART -
' PART -
i PRON je
you PRON vous
he PRON il
she PRON elle
it PRON il
we PRON nous
they PRON ils
him PRON le
them PRON les
me PRON me
us PRON nous
who PRON qui
whom PRON que
that SCONJ que
and CCONJ et
or CCONJ ou
but CCONJ mais
because SCONJ parce que
while SCONJ tandis que
when SCONJ quand
if SCONJ si
of ADP de
in ADP dans
on ADP sur
at ADP à
by ADP par
with ADP avec
from ADP de
near ADP près de
between ADP entre
always ADV toujours
often ADV souvent
rarely ADV rarement
very ADV très
also ADV aussi
quickly ADV rapidement
finally ADV finalement
already ADV déjà
soon ADV bientôt
today ADV aujourd'hui
yesterday ADV hier
tomorrow ADV demain
ago ADV -
last ADJ dernier/dernière/derniers/dernières
next ADJ prochain/prochaine/prochains/prochaines
day NOUN,m jour
days NOUN,mp jours
week NOUN,f semaine
year NOUN,m an
years NOUN,mp ans
month NOUN,m mois
nineteen NUM dix-neuf
. PUNCT .
, PUNCT ,
? PUNCT ?
"""


def dictionary(size: str = "small") -> list[str]:
    """The entries of all words of that size, each English word once."""
    words = lexicon(size)
    found = {line.split()[0]: line for line in SMALL_WORDS.strip().splitlines()}
    for make in (determiners, names, nouns, adjectives, verbs, numbers):
        for line in make(words):
            found.setdefault(line.split()[0], line)
    return list(found.values())


def plain(forms: tuple[str, ...]) -> str:
    """All forms, without those that a word has only before a vowel."""
    return "/".join(form.partition("|")[0] for form in forms)


def determiners(words: Lexicon) -> Iterator[str]:
    for each in (
        THE,
        A,
        SOME,
        THIS,
        THESE,
        EVERY,
        SEVERAL,
        ALL,
        MY,
        OUR,
        *OWN.values(),
    ):
        yield f"{each.leaf[1]} DET {plain(each.french)}"


def names(words: Lexicon) -> Iterator[str]:
    for name in words.names:
        yield f"{name.leaves[0][1]} PROPN {name.french[0]}"


def nouns(words: Lexicon) -> Iterator[str]:
    for noun in words.common:
        gender = "f" if noun.gender == FEMININE else "m"
        one, many = (leaf[1] for leaf in noun.leaves)
        yield f"{one} NOUN,{gender} {noun.french[0]}"
        if not noun.mass:
            yield f"{many} NOUN,{gender}p {noun.french[1]}"


def adjectives(words: Lexicon) -> Iterator[str]:
    for each in words.adjectives:
        code = "ADJ,before" if each.rank <= 1 else "ADJ"
        yield f"{each.leaf[1]} {code} {plain(each.french)}"


def verbs(words: Lexicon) -> Iterator[str]:
    """sign: signent, or signer after an auxiliary; signs: signe; signed: a signé."""
    frames = (words.transitive, words.intransitive, words.motion, words.giving,
              words.saying)  # fmt: skip
    for verb in (verb for frame in frames for verb in frame.verbs):
        yield from entries(verb)


def entries(verb: Verb) -> Iterator[str]:
    french, base, done = verb.french, verb.base[1], verb.participle[1]
    helper = conjugation("être" if verb.with_be else "avoir").present[HE]
    participle = french.participle[0]
    yield f"{base} VERB {french.present[THEY]}/{french.infinitive}"
    yield f"{verb.present[HE][1]} VERB {french.present[HE]}"
    yield f"{verb.past[0][1]} VERB +{helper} {participle}"
    yield f"{done} VERB +{helper} {participle}"


def numbers(words: Lexicon) -> Iterator[str]:
    for en, fr in twos(NUMBERS, YEARS, THOUSANDS, ORDINALS):
        yield f"{en} NUM {fr}"
    for en, fr in twos(DAYS, MONTHS):
        yield f"{en} NOUN,m {fr}"
