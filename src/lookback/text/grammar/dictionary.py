"""What the grammar knows of each word: its dictionary entry, and the kind of a noun."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from lookback.text.grammar.derivation import HE, THEY
from lookback.text.grammar.lexicon import (
    FEMININE,
    Lexicon,
    conjugation,
    couples,
    lexicon,
)
from lookback.text.grammar.noun_phrases import DETERMINERS
from lookback.text.grammar.tables import (
    DAYS,
    MONTHS,
    NUMBERS,
    ORDINALS,
    THOUSANDS,
    YEARS,
)

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
    """The entries of all words of that size, each English word once.

    A line is an English word, its part of speech, and French. A word has one entry,
    even where it has two parts of speech; a verb has one person for each English form.
    """
    found = {line.split()[0]: line for line in SMALL_WORDS.strip().splitlines()}
    for line in entries(lexicon(size)):
        found.setdefault(line.split()[0], line)
    return list(found.values())


def entries(words: Lexicon) -> Iterator[str]:
    """Determiners, names, nouns, adjectives, verbs, numbers.

    sign: signent, or signer after an auxiliary; signs: signe; signed: a signé.
    """
    for each in DETERMINERS:
        yield f"{each.leaf[1]} DET {plain(each.french)}"
    for name in words.nouns_of["names"]:
        yield f"{name.leaves[0][1]} PROPN {name.french[0]}"
    for noun in words.nouns_of["common"]:
        gender = "f" if noun.gender == FEMININE else "m"
        one, many = (leaf[1] for leaf in noun.leaves)
        yield f"{one} NOUN,{gender} {noun.french[0]}"
        if not noun.mass:
            yield f"{many} NOUN,{gender}p {noun.french[1]}"
    for adjective in words.adjectives:
        code = "ADJ,before" if adjective.rank <= 1 else "ADJ"
        yield f"{adjective.leaf[1]} {code} {plain(adjective.french)}"
    for verb in words.all_verbs:
        french = verb.french
        helper = conjugation("être" if verb.with_be else "avoir").present[HE]
        yield f"{verb.base[1]} VERB {french.present[THEY]}/{french.infinitive}"
        yield f"{verb.present[HE][1]} VERB {french.present[HE]}"
        yield f"{verb.past[0][1]} VERB +{helper} {french.participle[0]}"
        yield f"{verb.participle[1]} VERB +{helper} {french.participle[0]}"
    for table in (NUMBERS, YEARS, THOUSANDS, ORDINALS):
        for en, fr in couples(table):
            yield f"{en} NUM {fr}"
    for table in (DAYS, MONTHS):
        for en, fr in couples(table):
            yield f"{en} NOUN,m {fr}"


def plain(forms: tuple[str, ...]) -> str:
    """All forms, without those that a word has only before a vowel."""
    return "/".join(form.partition("|")[0] for form in forms)


KINDS = {
    "p": "person", "i": "institution", "c": "country", "y": "city", "d": "document",
    "r": "reading", "l": "place", "t": "thing", "w": "thing", "a": "animal",
    "f": "food", "b": "drink", "g": "raw material",
}  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """The kind, number and gender of a noun.

    kind     one of KINDS
    form     "one", "many", or "name"
    pronoun  that refers to one of it in English: he, she or it
    gender   in French: m or f
    """

    kind: str
    form: str
    pronoun: str
    gender: str


def noun_kinds(size: str, language: str = "english") -> dict[str, Kind]:
    """Every noun and name of the grammar in all its forms, and what it is.

    size      "small" or "full", as for the corpus
    language  "english" or "french"
    The sentences do not state it: word vectors can learn it from contexts alone. A form
    that two nouns share, or a noun and a verb, says nothing and is left out.
    """
    if language not in ("english", "french"):
        raise ValueError(f"a language is english or french, got {language!r}")
    words, kinds_of = lexicon(size), defaultdict[str, set[Kind]](set)
    for noun in words.all_nouns:
        kind = KINDS[min(noun.classes & KINDS.keys(), key=[*KINDS].index)]
        pronoun, gender = noun.pronoun, "mf"[noun.gender]
        english = [leaf[1] for leaf in noun.leaves]
        forms = english if language == "english" else noun.french
        names = ("name",) if noun.proper else ("one",) if noun.mass else ("one", "many")
        for form, name in zip(forms, names, strict=False):
            kinds_of[form].add(Kind(kind, name, pronoun, gender))
    taken = verb_forms(words, language)
    return {
        form: next(iter(kinds))
        for form, kinds in kinds_of.items()
        if len(kinds) == 1 and form not in taken
    }


def verb_forms(words: Lexicon, language: str) -> set[str]:
    """Every form of every verb."""
    forms = set[str]()
    for verb in words.all_verbs:
        if language == "english":
            leaves = (verb.base, *verb.present, *verb.past, verb.participle)
            forms |= {word for _, word in leaves}
        else:
            tenses = verb.french
            forms |= {*tenses.present, *tenses.imperfect, *tenses.future}
            forms |= {tenses.infinitive, *tenses.participle}
    return forms
